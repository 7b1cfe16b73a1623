package fit

import (
	"cmp"
	"slices"
	"time"
)

// Misfit is a key that a bucket refuses, and why; of a key that fits, what it asks for.
type Misfit struct {
	Key      int
	Requests int
	Refused  int
	Burst    int64 // that it would need at the rate, b(r)
	// The interval that needs it, the first of several: the work in it and its length. Sustained says that the bucket
	// could have filled up from empty meanwhile: the key is faster than the rate for so long that no burst of a sane
	// size fits it. Otherwise it comes in bursts, and a larger bucket would.
	Work      int64
	Length    time.Duration
	Sustained bool
}

// Refusals is what a bucket refuses of a log.
type Refusals struct {
	Requests int
	Keys     int
	Misfits  []Misfit // the keys refused most, most first
	Fitting  []Misfit // the keys refused nothing that ask for the largest bursts, the largest first: five at most
	// Offered and Refused count requests in equal parts of the time from the first request to the last.
	Offered, Refused []int
	First            int64         // when the first part begins
	Part             time.Duration // the length of a part
}

// partLengths are the lengths of parts that people like.
var partLengths = func() (lengths []time.Duration) {
	for unit := time.Microsecond; unit < time.Second; unit *= 10 {
		lengths = append(lengths, unit, 2*unit, 5*unit)
	}
	for _, unit := range []time.Duration{time.Second, time.Minute} {
		for _, n := range []time.Duration{1, 2, 5, 10, 15, 30} {
			lengths = append(lengths, n*unit)
		}
	}
	for _, hours := range []time.Duration{1, 2, 3, 6, 12, 24, 48, 7 * 24, 28 * 24, 365 * 24} {
		lengths = append(lengths, hours*time.Hour)
	}
	return lengths
}()

// partOf returns the length of a part: the first that cuts a span into 150 at most.
func partOf(span uint64) uint64 {
	for _, length := range partLengths {
		if span/uint64(length) < 150 {
			return uint64(length)
		}
	}
	return span/150 + 1
}

// RefusalsOf replays a log under a token bucket for each key, full at first.
func RefusalsOf(a *Arrivals, rate Rate, burst int64, most int) *Refusals {
	first, last := a.Ends()
	length := partOf(uint64(last) - uint64(first))
	r := &Refusals{First: first, Part: time.Duration(length)}
	n := (uint64(last)-uint64(first))/length + 1
	r.Offered, r.Refused = make([]int, n), make([]int, n)
	part := func(t int64) uint64 { return (uint64(t) - uint64(first)) / length }
	fitting, fits := a.Bursts(rate.Rate), 0 // the needs of those that fit, 0 for others
	for key := range a.Numbers() {
		at, cost := a.Of(key)
		for _, t := range at {
			r.Offered[part(t)]++
		}
		refused := Refused(at, cost, rate.Rate, burst, len(at), func(i int) { r.Refused[part(at[i])]++ })
		if refused == 0 {
			if len(at) > 0 {
				fits++
			}
			continue
		}
		fitting[key] = 0
		r.Requests += refused
		r.Keys++
		r.Misfits = append(r.Misfits, Misfit{Key: key, Requests: len(at), Refused: refused})
	}
	slices.SortFunc(r.Misfits, func(x, y Misfit) int { return cmp.Or(cmp.Compare(y.Refused, x.Refused), cmp.Compare(x.Key, y.Key)) })
	r.Misfits = slices.Clip(r.Misfits[:min(most, len(r.Misfits))])
	for _, key := range byNeed(fitting, 0)[:min(5, fits)] {
		at, _ := a.Of(key)
		r.Fitting = append(r.Fitting, Misfit{Key: key, Requests: len(at)})
	}
	for _, keys := range [][]Misfit{r.Misfits, r.Fitting} {
		for i := range keys {
			keys[i].explain(a, rate, burst)
		}
	}
	return r
}

// explain finds the interval with the largest deficit.
func (m *Misfit) explain(a *Arrivals, rate Rate, burst int64) {
	at, cost := a.Of(m.Key)
	n, p := uint64(rate.N), uint64(rate.P)
	var now, top deficit
	begin, workNow := 0, int64(0)
	for i, t := range at {
		if i > 0 {
			now = now.drained(uint64(t)-uint64(at[i-1]), n)
		}
		if now == (deficit{}) {
			begin, workNow = i, 0
		}
		c := int64(1)
		if cost != nil {
			c = cost[i]
		}
		now = now.plus(uint64(c), p)
		workNow += c
		if top.less(now) {
			top = now
			m.Work, m.Length = workNow, time.Duration(uint64(t)-uint64(at[begin]))
		}
	}
	m.Burst = top.tokens(p)
	brought := deficit{}.plus(uint64(m.Length), n)
	m.Sustained = !brought.less(deficit{}.plus(uint64(burst), p))
}
