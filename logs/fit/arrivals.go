package fit

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// maxWork bounds the work of a log, so that work times the period of a rate fits in 128 bits.
const maxWork = 1 << 62

// block is how many requests Traffic keeps in one piece: none is ever copied to grow.
const block = 1 << 16

// Traffic takes in requests one after another, in any order. The zero value is empty. It keeps 12 bytes a request, 20
// where costs differ from 1.
type Traffic struct {
	at   [][]int64
	key  [][]uint32
	cost [][]int64 // nil as long as every cost is 1
	n    int
	work int64
	keys int
}

// Add takes in a request of a key at a time in nanoseconds with a cost >= 1. Keys are numbered from 0 without gaps to
// speak of: memory goes with the largest. It fails when the costs add up to more than 2⁶².
func (t *Traffic) Add(key uint32, at, cost int64) error {
	if cost < 1 {
		return fmt.Errorf("a cost must be >= 1, got %d", cost)
	}
	if cost > maxWork-t.work {
		return fmt.Errorf("the costs add up to more than 2^62")
	}
	if t.n%block == 0 {
		t.at = append(t.at, make([]int64, 0, block))
		t.key = append(t.key, make([]uint32, 0, block))
		if t.cost != nil {
			t.cost = append(t.cost, make([]int64, 0, block))
		}
	}
	last := len(t.at) - 1
	if cost != 1 && t.cost == nil {
		for i, times := range t.at {
			ones := make([]int64, len(times), block)
			for j := range ones {
				ones[j] = 1
			}
			t.cost = append(t.cost[:i], ones)
		}
	}
	t.at[last] = append(t.at[last], at)
	t.key[last] = append(t.key[last], key)
	if t.cost != nil {
		t.cost[last] = append(t.cost[last], cost)
	}
	t.n++
	t.work += cost
	t.keys = max(t.keys, int(key)+1)
	return nil
}

// Len returns how many requests there are.
func (t *Traffic) Len() int { return t.n }

// Arrivals are the requests of a log by key, those of each key in time order. Slices of it share their memory.
type Arrivals struct {
	at       []int64 // ns
	cost     []int64 // nil: every cost is 1
	from, to []int   // of each key in at; equal for a key without requests
	requests int
	keys     int // with requests
	work     int64
}

// Arrivals groups what was taken in, but for the requests that drop names by their number in the order of Add (nil:
// all). Requests of a key at the same time are in no particular order.
func (t *Traffic) Arrivals(drop func(i int) bool) *Arrivals {
	a := &Arrivals{from: make([]int, t.keys), to: make([]int, t.keys)}
	kept := func(b, i int) bool { return drop == nil || !drop(b*block+i) }
	for b, keys := range t.key {
		for i, key := range keys {
			if kept(b, i) {
				a.to[key]++
				a.requests++
			}
		}
	}
	sum := 0
	for key, n := range a.to {
		if n > 0 {
			a.keys++
		}
		a.from[key], a.to[key] = sum, sum
		sum += n
	}
	a.at = make([]int64, sum)
	if t.cost != nil {
		a.cost = make([]int64, sum)
	}
	for b, keys := range t.key {
		for i, key := range keys {
			if !kept(b, i) {
				continue
			}
			place := a.to[key]
			a.to[key]++
			a.at[place] = t.at[b][i]
			cost := int64(1)
			if t.cost != nil {
				cost = t.cost[b][i]
				a.cost[place] = cost
			}
			a.work += cost
		}
	}
	for key := range a.from {
		a.sort(a.from[key], a.to[key])
	}
	return a
}

// Together groups what was taken in as if it were of one key.
func (t *Traffic) Together() *Arrivals {
	a := &Arrivals{from: []int{0}, to: []int{t.n}, requests: t.n, keys: min(1, t.n), work: t.work, at: slices.Concat(t.at...)}
	if t.cost != nil {
		a.cost = slices.Concat(t.cost...)
	}
	a.sort(0, t.n)
	return a
}

// sort brings the requests of a key into time order, if they are not.
func (a *Arrivals) sort(from, to int) {
	at := a.at[from:to]
	switch {
	case slices.IsSorted(at):
	case a.cost == nil:
		slices.Sort(at)
	default:
		sort.Stable(byTime{at, a.cost[from:to]})
	}
}

type byTime struct{ at, cost []int64 }

func (b byTime) Len() int           { return len(b.at) }
func (b byTime) Less(i, j int) bool { return b.at[i] < b.at[j] }
func (b byTime) Swap(i, j int) {
	b.at[i], b.at[j] = b.at[j], b.at[i]
	b.cost[i], b.cost[j] = b.cost[j], b.cost[i]
}

// Requests returns how many requests there are.
func (a *Arrivals) Requests() int { return a.requests }

// Keys returns how many keys have requests.
func (a *Arrivals) Keys() int { return a.keys }

// Work returns the sum of the costs.
func (a *Arrivals) Work() int64 { return a.work }

// UnitCosts reports whether every cost is 1.
func (a *Arrivals) UnitCosts() bool { return a.cost == nil }

// Numbers returns how far keys are numbered: each key is below it, and those without requests count too.
func (a *Arrivals) Numbers() int { return len(a.from) }

// Of returns the times of a key's requests, in ns and in order, and their costs, nil if every cost of the log is 1.
// They must not be changed.
func (a *Arrivals) Of(key int) (at, cost []int64) {
	from, to := a.from[key], a.to[key]
	if a.cost == nil {
		return a.at[from:to], nil
	}
	return a.at[from:to], a.cost[from:to]
}

// Ends returns the times of the first request and of the last; 0 and 0 if there is none.
func (a *Arrivals) Ends() (first, last int64) {
	none := true
	for key := range a.from {
		if a.from[key] == a.to[key] {
			continue
		}
		f, l := a.at[a.from[key]], a.at[a.to[key]-1]
		if none || f < first {
			first = f
		}
		if none || l > last {
			last = l
		}
		none = false
	}
	return first, last
}

// Halves returns the requests of the first half of the time from the first request to the last, and those of the second.
func (a *Arrivals) Halves() (halves [2]*Arrivals) {
	first, last := a.Ends()
	middle := first + int64((uint64(last)-uint64(first))/2)
	split := make([]int, len(a.from))
	for key := range split {
		n, _ := slices.BinarySearch(a.at[a.from[key]:a.to[key]], middle)
		split[key] = a.from[key] + n
	}
	return [2]*Arrivals{a.part(a.from, split), a.part(split, a.to)}
}

// part returns the requests of each key between two places in at.
func (a *Arrivals) part(from, to []int) *Arrivals {
	part := &Arrivals{at: a.at, cost: a.cost, from: from, to: to}
	for key := range from {
		n := to[key] - from[key]
		if n > 0 {
			part.keys++
			part.requests += n
		}
		if a.cost == nil {
			part.work += int64(n)
			continue
		}
		for _, c := range a.cost[from[key]:to[key]] {
			part.work += c
		}
	}
	return part
}

// byNeed returns the keys with more than least of a need, the neediest first, those with equal needs by number.
func byNeed(needs []int64, least int64) []int {
	var keys []int
	for key, need := range needs {
		if need > least {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(x, y int) int { return cmp.Or(cmp.Compare(needs[y], needs[x]), cmp.Compare(x, y)) })
	return keys
}
