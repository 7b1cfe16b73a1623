package advise

import (
	"fmt"
	"math/big"
	"slices"
	"time"
)

// Goals are what is asked of a choice.
type Goals struct {
	Protect  *Protected    // nil: nothing stands behind that could have too much
	Promise  *Promise      // nil: nothing was promised
	Tolerate *big.Rat      // the share of the requests that may remain without success, 0 to 1
	Wait     time.Duration // that those which succeed may take longer, in the mean, >= 0
}

// A rule gives an outcome a figure of which less is better; 0 or less of the first four is as good as 0.
type rule uint8

// The rules, in the order in which they decide, see [Goals.order].
const (
	keepsTotal     rule = iota // by how much the most admitted in all exceeds what stands behind
	keepsPromise               // refused attempts of keys that kept to the promise
	keepsShare                 // keys that had less than was promised
	serves                     // the share of requests without success above what is tolerated
	answersSoon                // the mean wait above what is tolerated
	exposesLeast               // rate × most at once of one key
	servesMost                 // requests without success
	refusesLeast               // attempts
	waitsLeast                 // mean
	remembersLeast             // bytes
	rules
)

// figure returns what a rule says of an outcome.
func (g Goals) figure(r rule, o *Outcome) *big.Rat {
	whole := func(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }
	switch r {
	case keepsTotal:
		if g.Protect != nil {
			return whole(max(0, o.Total-g.Protect.Most))
		}
	case keepsPromise:
		if o.Promise != nil {
			return whole(o.Promise.Refused)
		}
	case keepsShare:
		if o.Promise != nil {
			return whole(int64(o.Promise.Short))
		}
	case serves:
		return positive(unserved(o).Sub(unserved(o), g.Tolerate))
	case answersSoon:
		return whole(max(0, int64(o.MeanWait-g.Wait)))
	case exposesLeast:
		return exposure(o.Limiter)
	case servesMost:
		return whole(o.Lost + o.Waiting)
	case refusesLeast:
		return whole(o.Refused)
	case waitsLeast:
		return whole(int64(o.MeanWait))
	case remembersLeast:
		return whole(o.Bytes)
	}
	return new(big.Rat)
}

// unserved is Outcome.Unserved, exactly.
func unserved(o *Outcome) *big.Rat { return big.NewRat(o.Lost+o.Waiting, o.Requests) }

func positive(q *big.Rat) *big.Rat {
	if q.Sign() < 0 {
		return new(big.Rat)
	}
	return q
}

// order returns the rules in the order in which they decide between outcomes. Where none keeps the total, that would cost
// requests and keep nothing: then it is asked only of those that serve and answer as is wanted.
func (g Goals) order(outcomes []*Outcome) []rule {
	var list []rule
	for r := range rules {
		list = append(list, r)
	}
	if g.Protect != nil && !slices.ContainsFunc(outcomes, func(o *Outcome) bool { return o.Total <= g.Protect.Most }) {
		list = slices.Insert(list[1:], int(answersSoon), keepsTotal)
	}
	return list
}

// compare compares two outcomes by the first of the rules that tells them apart, which it returns; rules if none does.
func (g Goals) compare(order []rule, a, b *Outcome) (int, rule) {
	for _, r := range order {
		if c := g.figure(r, a).Cmp(g.figure(r, b)); c != 0 {
			return c, r
		}
	}
	return 0, rules
}

// Choose returns the best of outcomes: by the rules, one after the other, and then the first. It is -1 if there is none.
//
// First that no more is admitted in all than what stands behind can take, if any limiter does that; that nobody who kept to a promise is refused,
// and nobody has less than was promised; that no more requests remain without success than is tolerated, nor wait longer.
// What fails in one of these is compared by how much it fails. Among equals, what lets one key take least: its rate times
// what it may have within a moment, which is the measure of fit's knee. Then what refuses least, waits least, and
// remembers least.
func (g Goals) Choose(outcomes []*Outcome) int {
	best, order := -1, g.order(outcomes)
	for i, o := range outcomes {
		if best < 0 {
			best = i
			continue
		}
		if c, _ := g.compare(order, o, outcomes[best]); c < 0 {
			best = i
		}
	}
	return best
}

// Change is a value of a goal at which the choice is another.
type Change struct {
	Goal  string // the flag of the goal
	When  string // the value, as people say it
	At    int64  // the value: work, requests without success, or ns; below it if Below says so
	Below bool
	Other int // what is chosen then
}

// Changes says at which other values of the goals the choice would be another: of each the nearest that is looser, and
// the nearest that is tighter. Between two values that outcomes have the choice is the same, so that these are exact.
func (g Goals) Changes(outcomes []*Outcome) []Change {
	best := g.Choose(outcomes)
	if best < 0 {
		return nil
	}
	var list []Change
	o := outcomes[best]
	try := func(goal, when string, at int64, below bool, h Goals) bool {
		other := h.Choose(outcomes)
		if other == best || h.twins(h.order(outcomes), outcomes[other], o) {
			return false
		}
		list = append(list, Change{goal, when, at, below, other})
		return true
	}
	protect := func(most int64) Goals {
		h, p := g, Protected{Most: most}
		h.Protect = &p
		return h
	}
	every := time.Second
	if g.Protect != nil {
		every = g.Protect.Every
		for _, most := range above(outcomes, g.Protect.Most, func(o *Outcome) int64 { return o.Total }) {
			if try("protect", fmt.Sprintf("at %s or more", rateText(most, every)), most, false, protect(most)) {
				break
			}
		}
	}
	if (g.Protect == nil || o.Total <= g.Protect.Most) && o.Total > 1 {
		try("protect", fmt.Sprintf("below %s", rateText(o.Total, every)), o.Total, true, protect(o.Total-1))
	}
	share := func(n int64) *big.Rat { return big.NewRat(n, o.Requests) }
	tolerate := func(q *big.Rat) Goals {
		h := g
		h.Tolerate = q
		return h
	}
	lost := func(o *Outcome) int64 { return o.Lost + o.Waiting }
	floor := new(big.Int).Div(new(big.Int).Mul(g.Tolerate.Num(), big.NewInt(o.Requests)), g.Tolerate.Denom()).Int64()
	for _, n := range above(outcomes, floor, lost) {
		if try("tolerate", "at "+percent(n, o.Requests)+" or more", n, false, tolerate(share(n))) {
			break
		}
	}
	if n := lost(o); n > 0 && unserved(o).Cmp(g.Tolerate) <= 0 {
		try("tolerate", "below "+percent(n, o.Requests), n, true, tolerate(share(n-1)))
	}
	wait := func(d time.Duration) Goals {
		h := g
		h.Wait = d
		return h
	}
	for _, ns := range above(outcomes, int64(g.Wait), func(o *Outcome) int64 { return int64(o.MeanWait) }) {
		if d := time.Duration(ns); try("wait", "at "+short(d)+" or more", ns, false, wait(d)) {
			break
		}
	}
	if o.MeanWait > 0 && o.MeanWait <= g.Wait {
		try("wait", "below "+short(o.MeanWait), int64(o.MeanWait), true, wait(o.MeanWait-1))
	}
	return list
}

// twins reports whether no rule tells two outcomes apart.
func (g Goals) twins(order []rule, a, b *Outcome) bool {
	c, _ := g.compare(order, a, b)
	return c == 0
}

// above returns the different values of outcomes above a bound, in order.
func above(outcomes []*Outcome, bound int64, value func(*Outcome) int64) []int64 {
	var list []int64
	for _, o := range outcomes {
		if v := value(o); v > bound {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
