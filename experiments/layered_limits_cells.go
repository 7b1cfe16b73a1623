package experiments

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/limiters"
	"ratelab/workloads"
)

// layeredWindow is longer than any part that sums what was charged: all of it
// falls into one window, and what a key has spent is its limit less what remains.
const layeredWindow = time.Hour

// layeredStack makes the layers of a cell, in its order, of those columns that
// have a limit.
func layeredStack(lab Lab, c sweep.Cell, limits map[string]string) (*limiters.Layers, limiters.LayersSpec, error) {
	for _, o := range layeredOrders {
		if o.name == c.Get("order") {
			return layeredMake(lab, c, o.columns, limits)
		}
	}
	return nil, limiters.LayersSpec{}, fmt.Errorf("unknown order %q", c.Get("order"))
}

func layeredMake(lab Lab, c sweep.Cell, columns []string, limits map[string]string) (*limiters.Layers, limiters.LayersSpec, error) {
	var texts []string
	for _, column := range columns {
		if text := limits[column]; text != "" {
			texts = append(texts, column+"="+text)
		}
	}
	s, err := limiters.ParseLayers(texts, limiters.ChargeMode(c.Get("charge")))
	return lab.Layers(s, c.Seed), s, err
}

// layeredSpent returns what n keys of a layer have been charged, in one window.
func layeredSpent(l limiters.Limiter, at time.Duration, n uint32) (spent int64) {
	for key := range n {
		d := l.Ask(at, key, 1)
		spent += d.Limit - d.Remaining
	}
	return spent
}

// layeredGreedy: all at one instant. User 0 is greedy.
func layeredGreedy(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	window := ",window=" + layeredWindow.String()
	stack, s, err := layeredStack(lab, c, map[string]string{
		"user":   fmt.Sprintf("fixed-window:limit=%d%s", layeredUserLimit, window),
		"global": fmt.Sprintf("fixed-window:limit=%d%s", layeredSharedLimit, window),
	})
	if err != nil {
		return err
	}
	refused := make(map[string]float64)
	knock := func(user uint32, times int64) (admitted float64) {
		keys := make([]uint32, 2)
		for i, layer := range s.Layers {
			if layer.Column == "user" {
				keys[i] = user
			}
		}
		for range times {
			if _, by := stack.Admit(0, keys, 1); by < 0 {
				admitted++
			} else {
				refused[s.Layers[by].Column]++
			}
		}
		return admitted
	}
	others := uint32(c.Int("others"))
	greedy, polite := knock(0, c.Int("greedy")), 0.0
	for user := range others {
		polite += knock(user+1, layeredEach)
	}
	out.Set("greedy_admitted", greedy)
	out.Set("others_admitted", polite)
	out.Set("admitted", greedy+polite)
	out.Set("refused_by_user", refused["user"])
	out.Set("refused_by_global", refused["global"])
	for i, layer := range s.Layers {
		if layer.Column == "user" {
			out.Set("spent_user", float64(layeredSpent(stack.Limiter(i), 0, others+1)))
		} else {
			out.Set("spent_shared", float64(layeredSpent(stack.Limiter(i), 0, 1)))
		}
	}
	return nil
}

// Poisson traffic of users to endpoints.
const (
	layeredUsers     = 40
	layeredEndpoints = 5
	layeredLength    = 100 * time.Second // 1000 requests at load 1
)

// layeredTraffic calls do for each request, with its key in each layer.
func layeredTraffic(c sweep.Cell, s limiters.LayersSpec, do func(at time.Duration, keys []uint32)) error {
	w, err := workloads.Parse("poisson:rate=" + c.Get("load") + "/100ms")
	if err != nil {
		return err
	}
	stream := workloads.Streams(c.Seed, c.Rep, "layered-limits")
	arrivals, err := scenario.Arrivals(w, layeredUsers, stream)
	if err != nil {
		return err
	}
	endpoints, keys := stream("endpoints"), make([]uint32, len(s.Layers))
	for a, ok := arrivals.Next(); ok && a.At < layeredLength; a, ok = arrivals.Next() {
		endpoint := endpoints.Uint32N(layeredEndpoints)
		for i, layer := range s.Layers {
			keys[i] = map[string]uint32{"user": a.Key, "endpoint": endpoint}[layer.Column]
		}
		do(a.At, keys)
	}
	return nil
}

// layeredSums: each limit is four fifths of what its keys are sent on average
// at load 1.
func layeredSums(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	window := ",window=" + layeredWindow.String()
	stack, s, err := layeredStack(lab, c, map[string]string{
		"user": "fixed-window:limit=20" + window, "endpoint": "fixed-window:limit=160" + window, "global": "fixed-window:limit=800" + window,
	})
	if err != nil {
		return err
	}
	layers := len(s.Layers)
	offered := make([]map[uint32]int64, layers)
	for i := range offered {
		offered[i] = make(map[uint32]int64)
	}
	admitted, refused := int64(0), make([]int64, layers)
	err = layeredTraffic(c, s, func(at time.Duration, keys []uint32) {
		for i, key := range keys {
			offered[i][key]++
		}
		if _, by := stack.Admit(at, keys, 1); by < 0 {
			admitted++
		} else {
			refused[by]++
		}
	})
	if err != nil {
		return err
	}
	spent, inOrder, alone := int64(0), int64(layers)*admitted, int64(0)
	for i, layer := range s.Layers {
		out.Set("refused_by_"+layer.Column, float64(refused[i]))
		inOrder += int64(i) * refused[i]
		spent += layeredSpent(stack.Limiter(i), layeredLength, layeredUsers)
		for _, n := range offered[i] { // a sum of whole numbers, in any order
			alone += min(n, layer.Spec.Capacity())
		}
	}
	out.Set("admitted", float64(admitted))
	out.Set("overcharged", float64(spent-int64(layers)*admitted))
	out.Set("in_order_gap", float64(spent-inOrder))
	out.Set("alone_gap", float64(spent-alone))
	return nil
}

// layeredOrder: the same requests through six stacks, which differ in their order.
func layeredOrder(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	limits := make(map[string]string)
	for _, set := range layeredSets {
		if set.name == c.Get("limits") {
			limits = map[string]string{"user": set.user, "endpoint": set.endpoint, "global": set.global}
		}
	}
	type request struct {
		admitted, refused int
		by                string
		several           bool
	}
	var requests []request
	for _, columns := range []string{"user endpoint global", "user global endpoint", "endpoint user global", "endpoint global user", "global user endpoint", "global endpoint user"} {
		stack, s, err := layeredMake(lab, c, strings.Fields(columns), limits)
		if err != nil {
			return err
		}
		i := 0
		err = layeredTraffic(c, s, func(at time.Duration, keys []uint32) {
			if i == len(requests) {
				requests = append(requests, request{})
			}
			r := &requests[i]
			i++
			_, by := stack.Admit(at, keys, 1)
			if by < 0 {
				r.admitted++
				return
			}
			name := s.Layers[by].Column
			r.several = r.several || r.refused > 0 && name != r.by
			r.by = name
			r.refused++
		})
		if err != nil {
			return err
		}
	}
	var admitted, changed, renamed float64
	for _, r := range requests {
		switch {
		case r.refused == 0:
			admitted++
		case r.admitted > 0:
			changed++
		case r.several:
			renamed++
		}
	}
	out.Set("admitted", admitted)
	out.Set("decisions_changed", changed)
	out.Set("names_changed", renamed)
	return nil
}

// layeredGuard puts a cell's limit, one limiter or layers, into a scenario.
func layeredGuard(name string) (scenario.Config, error) {
	var config scenario.Config
	for _, l := range layeredLimits {
		switch {
		case l.name != name:
		case l.global == "":
			var err error
			config.Limiter, err = limiters.Parse(l.user)
			return config, err
		default:
			var err error
			config.Layers, err = limiters.ParseLayers([]string{"user=" + l.user, "global=" + l.global}, limiters.ChargeAdmitted)
			return config, err
		}
	}
	return config, fmt.Errorf("unknown limit %q", name)
}

// layeredSpan: the dearest span of an hour, quickly of twenty minutes.
func layeredSpan(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	config, err := layeredGuard(c.Get("limit"))
	if err != nil {
		return err
	}
	for _, d := range layeredDemands {
		if d.name == c.Get("demand") {
			if config.Workload, err = workloads.Parse(d.workload); err != nil {
				return err
			}
		}
	}
	config.Servers, config.Keys, config.Horizon, config.Seed, config.Rep = 1, 1, time.Hour, c.Seed, c.Rep
	if lab.Quick {
		config.Horizon = 20 * time.Minute
	}
	config.Measure.Within = c.Duration("span")
	r, err := lab.Simulate(ctx, config)
	if err != nil {
		return err
	}
	price := c.Float("price")
	bill := float64(r.Get("max_window_admitted") * price) // rounded, as the bound is
	bound := layeredBound(c.Get("limit"), config.Measure.Within, price)
	out.Set("bill", bill)
	out.Set("bill_beyond", max(0, bill-bound))
	return nil
}

// layeredLoop: requests every pause, from 0 to the end of the span.
func layeredLoop(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	config, err := layeredGuard(c.Get("limit"))
	if err != nil {
		return err
	}
	var admit func(at time.Duration) bool
	if config.Limiter.IsZero() {
		stack, keys := lab.Layers(config.Layers, c.Seed), make([]uint32, len(config.Layers.Layers))
		admit = func(at time.Duration) bool { _, by := stack.Admit(at, keys, 1); return by < 0 }
	} else {
		l := lab.Limiter(config.Limiter, c.Seed)
		admit = func(at time.Duration) bool { ok, _ := l.Admit(at, 0, 1); return ok }
	}
	admitted, pause, end := 0.0, c.Duration("pause"), c.Duration("span")
	for at := time.Duration(0); at < end; at += pause {
		if admit(at) {
			admitted++
		}
	}
	out.Set("admitted", admitted)
	out.Set("bill", admitted*c.Float("price"))
	return nil
}
