package experiments

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"time"

	"ratelab/experiments/sweep"
	"ratelab/limiters"
	"ratelab/logs/decide"
)

// replayWindow is what all limits are of.
const replayWindow = time.Minute

// replayed is a log under one limit, on servers that take turns.
type replayed []limiters.Limiter

// newReplayed makes servers of which each has the limit.
func newReplayed(lab Lab, c sweep.Cell, limiter string, limit, servers int64) (replayed, error) {
	s, err := replayParsed(limiter, limit)
	if err != nil {
		return nil, err
	}
	r := make(replayed, servers)
	for i := range r {
		r[i] = lab.Limiter(s, c.Seed)
	}
	return r, nil
}

func replayParsed(limiter string, limit int64) (limiters.Spec, error) {
	text, err := replaySpec(limiter, limit)
	if err != nil {
		return limiters.Spec{}, err
	}
	return limiters.Parse(text)
}

// admit decides request i of the log.
func (r replayed) admit(i int, at time.Duration, key uint32, cost int64) bool {
	ok, _ := r[i%len(r)].Admit(at, key, cost)
	return ok
}

// replayCost is what request i costs.
func replayCost(l *replayLog, mixed bool) func(i int) int64 {
	if mixed {
		return func(i int) int64 { return int64(i%4) + 1 }
	}
	return func(i int) int64 { return l.log.Records[i].Cost }
}

func replayCell(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	l, err := holdReplayLog(c.Get("log"), false)
	if err != nil {
		return err
	}
	limiter, limit := c.Get("limiter"), c.Int("limit")
	cost := replayCost(l, c.Get("cost") == "mixed")
	out.Set("offered", float64(len(l.log.Records)))
	s, err := replayParsed(limiter, limit)
	if err != nil {
		return err
	}
	for i := range l.log.Records {
		if s.UnitCost() && cost(i) != 1 {
			return nil // its program knows no such requests
		}
	}
	decided, err := replayDecide(s, c.Seed, l.arrivals(cost))
	if err != nil {
		return err
	}
	under, err := newReplayed(lab, c, limiter, limit, c.Int("servers"))
	if err != nil {
		return err
	}
	exact, err := newReplayed(trueLab(false), c, "sliding-log", limit, 1)
	if err != nil {
		return err
	}
	bucket, err := newReplayed(trueLab(false), c, "token-bucket", limit, 1)
	if err != nil {
		return err
	}
	var smaller replayed // there is none of 0
	if limit > 1 {
		if smaller, err = newReplayed(lab, c, limiter, limit-1, c.Int("servers")); err != nil {
			return err
		}
	}

	keys := l.log.Keys.Len()
	refused := make([]int64, keys)
	lead := make([]int64, keys) // over the smaller limit, by cost
	admitted := make([][]time.Duration, keys)
	var all, differ, unlikeLog, unlikeBucket, behind int64
	for i, r := range l.log.Records {
		at, n := time.Duration(r.At), cost(i)
		ok := under.admit(i, at, r.Key, n)
		if ok {
			for range n {
				admitted[r.Key] = append(admitted[r.Key], at)
			}
			lead[r.Key] += n
		} else {
			all++
			refused[r.Key]++
		}
		if ok != decided[i] {
			differ++
		}
		if ok != exact.admit(i, at, r.Key, n) {
			unlikeLog++
		}
		if ok != bucket.admit(i, at, r.Key, n) {
			unlikeBucket++
		}
		if smaller != nil && smaller.admit(i, at, r.Key, n) {
			lead[r.Key] -= n
		}
		behind = max(behind, -lead[r.Key])
	}
	requests := float64(len(l.log.Records))
	keysRefused, most := 0, int64(0)
	for key := range keys {
		if refused[key] > 0 {
			keysRefused++
		}
		most = max(most, mostWithin(admitted[key], replayWindow))
	}
	out.Set("refused", float64(all))
	out.Set("refused_share", float64(all)/requests)
	out.Set("keys_refused", float64(keysRefused))
	out.Set("rows_differ", float64(differ))
	out.Set("unlike_log", float64(unlikeLog)/requests)
	out.Set("unlike_bucket", float64(unlikeBucket))
	if smaller != nil {
		out.Set("behind_smaller", float64(behind))
	}
	out.Set("most_in_window", float64(most))
	return nil
}

// replayDecide returns what ratelab decide answers to arrivals, row by row.
func replayDecide(s limiters.Spec, seed uint64, arrivals []byte) ([]bool, error) {
	var answers bytes.Buffer
	if err := decide.Run("-", &answers, decide.Options{Limiter: s.String(), Seed: seed, Stream: true, Stdin: bytes.NewReader(arrivals)}); err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(&answers).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("what decide prints: %w", err)
	}
	column := slices.Index(rows[0], "admitted")
	admitted := make([]bool, 0, len(rows))
	for _, row := range rows[1:] {
		admitted = append(admitted, row[column] == "true")
	}
	return admitted, nil
}

// replayLeast looks for the smallest limit by halves: what is refused falls as
// the limit grows.
func replayLeast(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	l, err := holdReplayLog(c.Get("log"), false)
	if err != nil {
		return err
	}
	cost := replayCost(l, false)
	refuses := func(limit int64) (bool, error) {
		under, err := newReplayed(lab, c, c.Get("limiter"), limit, c.Int("servers"))
		if err != nil {
			return false, err
		}
		for i, r := range l.log.Records {
			if !under.admit(i, time.Duration(r.At), r.Key, cost(i)) {
				return true, nil
			}
		}
		return false, nil
	}
	low, high := int64(0), int64(1) // low refuses some, high nothing
	for {
		some, err := refuses(high)
		if err != nil {
			return err
		}
		if !some {
			break
		}
		if low, high = high, 2*high; high > 1<<40 {
			return fmt.Errorf("%s refuses requests of %s at every limit", c.Get("limiter"), c.Get("log"))
		}
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		some, err := refuses(middle)
		if err != nil {
			return err
		}
		if some {
			low = middle
		} else {
			high = middle
		}
	}
	out.Set("least_limit", float64(high))
	return nil
}
