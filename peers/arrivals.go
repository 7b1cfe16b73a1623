package peers

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"time"

	"ratelab/limiters"
)

const (
	day = 24 * time.Hour
	// firstStart is 14 November 2023, in the middle of a second.
	firstStart = 1_700_000_000*time.Second + 500*time.Millisecond
)

// arrivals makes a case. The limiter itself is asked as they are made, to learn
// at which instants something happens: those, and what lies one unit beside
// them, are where most arrivals come.
func (w Ways) arrivals(s limiters.Spec, start time.Duration, n int, r *rand.Rand) []Arrival {
	unit := max(w.Resolution, time.Nanosecond)
	rest := w.Rest
	if rest == 0 {
		rest = 400 * day
	}
	keys := w.Keys
	if keys == 0 {
		keys = 4
	}
	keys = 1 + r.IntN(keys)
	pace := pace(s)
	l := s.New(1, nil)
	latest := start
	if !w.Onward && r.IntN(4) > 0 {
		latest += time.Duration(r.Int64N(int64(30 * day)))
	}
	// A case may last 90 years, so that no time leaves int64.
	last := latest + min(32850*day, math.MaxInt64/2-latest)
	var edges [16]time.Duration
	seen := 0
	edge := func(at time.Duration) {
		if at > 0 && at < last {
			edges[seen%len(edges)] = at
			seen++
		}
	}
	now := latest
	out := make([]Arrival, 0, n)
	for range n {
		switch dice := r.IntN(100); {
		case dice < 20: // at once
		case dice < 55 && seen > 0: // at an edge or a unit beside it
			at := edges[r.IntN(min(seen, len(edges)))]
			at += time.Duration(r.IntN(3)-1) * [...]time.Duration{1, unit}[r.IntN(2)]
			if at < latest && (w.Back == 0 || latest-at > w.Back) {
				break
			}
			now = at
		case dice < 65:
			now += time.Duration(r.Int64N(4)) * unit
		case dice < 92:
			now += time.Duration(r.ExpFloat64() * float64(pace))
		case dice < 95:
			now += min(rest, time.Duration(r.Int64N(20))*pace)
		case dice < 96:
			now += time.Duration(r.Int64N(int64(rest)))
		case w.Back > 0:
			back := [...]time.Duration{1, unit, pace, 3 * pace, w.Back}[r.IntN(5)]
			now -= time.Duration(r.Int64N(int64(min(back, w.Back)) + 1))
		}
		if w.Back == 0 {
			now = max(now, latest)
		}
		now = min(max(now, latest-w.Back), last)
		a := Arrival{At: now, Key: uint32(r.IntN(keys)), Cost: 1}
		if !w.UnitCost && !s.UnitCost() {
			a.Cost = cost(s.Capacity(), r)
		}
		out = append(out, a)
		d := l.Take(a.At, a.Key, a.Cost)
		latest = max(latest, now)
		for _, hint := range [...]time.Duration{d.Delay, d.RetryAfter, d.Reset} {
			if hint > 0 && hint < last-now {
				edge(now + hint)
			}
		}
		edge(now + pace)
		if window, ok := s.Window(); ok {
			edge(now + window)
			edge(now - now%window + window)
			edge(now - now%window + window + fraction(window, s.Capacity(), r))
		}
	}
	return out
}

// fraction is where in a window the weight of the one before it may make a count
// a whole number or half of one.
func fraction(window time.Duration, capacity int64, r *rand.Rand) time.Duration {
	parts := time.Duration(2 * max(1, min(capacity, 1000))) // if it was full
	if r.IntN(2) == 0 {
		parts = 1 + time.Duration(r.Int64N(int64(min(parts, 60))))
	}
	part := time.Duration(r.Int64N(int64(parts)))
	return window/parts*part + window%parts*part/parts
}

// pace is a time in which the limiter does something: its emission interval or
// a fraction of its window.
func pace(s limiters.Spec) time.Duration {
	p := time.Second
	if r, ok := s.Rate(); ok {
		p = r.P / time.Duration(r.N)
	}
	if w, ok := s.Window(); ok {
		p = max(p, w/8)
	}
	return min(max(p, 1), 100*day)
}

// cost is 1 as a rule, else up to the capacity or above it, at times far.
func cost(capacity int64, r *rand.Rand) int64 {
	switch dice := r.IntN(100); {
	case dice < 60 || capacity <= 0:
		return 1
	case dice < 80:
		return 1 + r.Int64N(min(capacity, 4))
	case dice < 90:
		return 1 + r.Int64N(capacity)
	case dice < 95:
		return capacity
	case dice < 98:
		return capacity + 1
	case dice < 99:
		return 1 + r.Int64N(4*capacity)
	}
	return 1 + r.Int64N(1<<(1+r.IntN(bits.Len64(1<<40))))
}
