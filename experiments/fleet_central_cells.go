package experiments

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
)

// centralWorld is a cell's world as it is put together.
type centralWorld struct {
	texts    fleetTexts
	arrivals string
	cell     sweep.Cell
	simulate func(scenario.Config) (scenario.Result, error)
	quick    bool
	glance   bool
	limit    int64
	window   time.Duration
	load     *big.Rat
}

func centralCell(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	get := func(factor, otherwise string) string {
		if v := c.Get(factor); v != "" {
			return v
		}
		return otherwise
	}
	limit, window, servers := get("limit", "100000"), get("window", "1s"), get("servers", "8")
	w := centralWorld{
		texts:    fleetTexts{limiter: fixedWindow(limit, window), balancer: fleetRandom, coordination: c.Get("coordination"), rtt: get("rtt", "0s")},
		arrivals: get("arrivals", "poisson"),
		cell:     c,
		simulate: func(s scenario.Config) (scenario.Result, error) { return lab.Simulate(ctx, s) },
		quick:    lab.Quick,
		glance:   lab.Glance,
	}
	var err error
	if w.limit, err = spec.ParseCount(limit); err != nil {
		return err
	}
	if w.window, err = spec.ParseDuration(window); err != nil {
		return err
	}
	if w.texts.servers, err = strconv.Atoi(servers); err != nil {
		return err
	}
	w.load, _ = new(big.Rat).SetString(get("load", "1"))
	measure, err := centralParts.find(c.Get("part"))
	if err != nil {
		return err
	}
	return measure(w, out)
}

// world returns the cell's world, offered load times n requests in a time.
func (w centralWorld) world(n int64, in time.Duration) (scenario.Config, error) {
	rate, err := spec.Rate{N: n, P: in}.Times(w.load.Num().Int64(), w.load.Denom().Int64())
	if err != nil {
		return scenario.Config{}, err
	}
	w.texts.workload = w.arrivals + ":rate=" + rate.String()
	return w.texts.world(w.cell)
}

// latency offers the load in units of 1000/s for as long as a queue at it needs
// to show its mean. It begins empty, and at load 0.9 forgets that within 400
// services or so.
func (w centralWorld) latency(out *sweep.Row) error {
	s, err := w.world(1000, time.Second)
	if err != nil {
		return err
	}
	requests := w.queueing()
	s.Warmup = w.lasts(2_000)
	s.Horizon = s.Warmup + w.lasts(requests)
	r, err := w.simulate(s)
	if err != nil {
		return err
	}
	take(out, r, "delay_mean", "store_ops_per_request", "store_hot_shard_share")
	return nil
}

// queueing returns how many requests it takes at the load of a shard.
func (w centralWorld) queueing() int64 {
	shards := int64(1)
	if strings.Contains(w.texts.coordination, "pick=random") {
		_, _ = fmt.Sscanf(w.texts.coordination, "sharded:shards=%d,", &shards)
	}
	busy := new(big.Rat).Quo(w.load, big.NewRat(shards, 1)).Cmp(big.NewRat(7, 10)) > 0
	switch {
	case w.quick && busy:
		return 3_000
	case w.quick:
		return 8_000
	case busy:
		return 50_000
	}
	return 20_000
}

// timeout counts from the beginning, so that each late answer is counted when
// its server gives up and when the store charges it. At these loads a queue
// that began empty forgets it in the first thousandth of the requests.
func (w centralWorld) timeout(out *sweep.Row) error {
	s, err := w.world(1000, time.Second)
	if err != nil {
		return err
	}
	requests := int64(50_000)
	for _, t := range centralTail {
		if t.coordination() == w.texts.coordination && t.load == w.cell.Get("load") {
			requests = t.asked()
		}
	}
	if w.quick {
		requests = min(requests, 20_000)
	}
	s.Horizon = w.lasts(requests)
	r, err := w.simulate(s)
	if err != nil {
		return err
	}
	offered, late := r.Get("offered"), r.Get("late_answers")
	out.Set(centralLate, late/offered)
	out.Set(centralWasted, r.Get("wasted_charges")/late)
	return nil
}

// lasts returns the time in which so many requests come, 1000 a second times
// the load.
func (w centralWorld) lasts(requests int64) time.Duration {
	d := new(big.Rat).Quo(big.NewRat(requests*int64(time.Millisecond), 1), w.load)
	return time.Duration(new(big.Int).Quo(d.Num(), d.Denom()).Int64())
}

// race offers 1000/s times the load, in windows one after the other.
func (w centralWorld) race(out *sweep.Row) error {
	s, err := w.world(1000, time.Second)
	if err != nil {
		return err
	}
	long := 60 * time.Second
	if w.quick {
		long = 15 * time.Second
	}
	s.Horizon = max(long/w.window, 1) * w.window
	r, err := w.simulate(s)
	if err != nil {
		return err
	}
	take(out, r, "excess_mean", "store_ops_per_request")
	return nil
}

// spread simulates windows one by one, each a replication of its own, for what
// is admitted above the limit in each.
func (w centralWorld) spread(out *sweep.Row) error {
	s, err := w.world(1000, time.Second)
	if err != nil {
		return err
	}
	if w.window > time.Minute {
		return errors.New("factor \"window\": must be at most 1m in this part")
	}
	windows := 3000
	if w.quick {
		windows = 20
	}
	s.Horizon = w.window
	var sum, squares int64
	for i := range windows {
		s.Rep = w.cell.Rep*windows + i
		r, err := w.simulate(s)
		if err != nil {
			return err
		}
		over := int64(r.Get("excess_mean")) // of one window
		sum += over
		squares += over * over
	}
	n := int64(windows)
	out.Set("excess_mean", float64(sum)/float64(n))
	out.Set(centralVariance, float64(n*squares-sum*sum)/float64(n*(n-1)))
	return nil
}

// outage takes the store down from 4/10 to 7/10 of each window.
func (w centralWorld) outage(out *sweep.Row) error {
	const windows = 50
	if w.window%10 != 0 || w.window > 1000*time.Hour {
		return errors.New("factor \"window\": must be a multiple of 10ns, at most 1000h, in this part")
	}
	faults := make([]string, windows)
	for i := range faults {
		from := time.Duration(i)*w.window + 4*w.window/10
		faults[i] = fmt.Sprintf("store-down=%s..%s", spec.FormatDuration(from), spec.FormatDuration(from+3*w.window/10))
	}
	w.texts.faults = strings.Join(faults, ",")
	s, err := w.world(w.limit, w.window)
	if err != nil {
		return err
	}
	s.Horizon = windows * w.window
	r, err := w.simulate(s)
	if err != nil {
		return err
	}
	out.Set(perWindow, r.Get("admitted")/windows)
	return nil
}

// frontier offers load times the limit to servers of which some get more than
// others.
func (w centralWorld) frontier(out *sweep.Row) error {
	w.texts.balancer = fleetZipf
	s, err := w.world(w.limit, w.window)
	if err != nil {
		return err
	}
	warmup, counted := time.Duration(2), time.Duration(2)
	if w.quick {
		warmup, counted = 0, 1
	}
	if !w.glance && w.load.Cmp(big.NewRat(2, 1)) < 0 { // where few come, and windows differ
		counted *= 3
	}
	s.Warmup, s.Horizon = warmup*w.window, (warmup+counted)*w.window
	r, err := w.simulate(s)
	if err != nil {
		return err
	}
	take(out, r, "excess_mean", "admitted_over_rate", "delay_mean", "store_ops_per_request", "unused_share")
	return nil
}

// take takes metrics over from a result; those that it has not stay empty.
func take(out *sweep.Row, r scenario.Result, metrics ...string) {
	for _, name := range metrics {
		out.Set(name, r.Get(name))
	}
}

func centralCheckWindow(v string) error {
	d, err := spec.ParseDuration(v)
	if err == nil && d <= 0 {
		err = errors.New("must be > 0")
	}
	return err
}
