package metrics

import (
	"math"
	"time"
)

// Pages measures what one key was admitted above the promise in the aligned
// windows [k·w, (k+1)·w) that lie wholly in a span. A window in which nothing
// was admitted counts like any other, with excess 0.
type Pages struct {
	rule pageRule
	page page
}

// NewPages returns Pages of length w > 0 against a promise >= 0, for the whole
// windows of span.
func NewPages(w time.Duration, promise int64, span Span) *Pages {
	rule := newPageRule(w, promise, span)
	return &Pages{rule: rule, page: rule.first()}
}

// Admit adds an admitted request; outside the whole windows it is ignored.
// Times never decrease.
func (p *Pages) Admit(t time.Duration, cost int64) {
	if p.rule.counts(t) {
		p.page.admit(&p.rule, t, cost)
	}
}

// AdmitAll does Admit for each of list, in order.
func (p *Pages) AdmitAll(list []Admission) {
	if len(list) == 0 {
		return
	}
	if last := list[len(list)-1].At; list[0].At >= p.rule.from && last < p.rule.to && last < p.page.end {
		for _, a := range list { // all in the open window
			p.page.admitted += a.Cost
		}
		return
	}
	for _, a := range list {
		p.Admit(a.At, a.Cost)
	}
}

// Windows returns how many whole windows the span has.
func (p *Pages) Windows() int64 { return p.rule.windows }

// ExcessMean returns the mean over windows of max(0, admitted − promise), NaN
// if the span holds no whole window.
func (p *Pages) ExcessMean() float64 {
	excess, _ := p.page.totals(&p.rule)
	return share(excess, p.rule.windows)
}

// ExcessShare returns the share of windows in which more than the promise was
// admitted, NaN if the span holds no whole window.
func (p *Pages) ExcessShare() float64 {
	_, above := p.page.totals(&p.rule)
	return share(above, p.rule.windows)
}

// KeyedPages measures the same for each key by itself, over the same windows
// for all keys, whenever a key came first or last. Beyond [MostKeys] keys its
// answers are lower bounds: see there which keys it follows.
type KeyedPages struct {
	rule pageRule
	keys slab[page]
}

// NewKeyedPages returns KeyedPages of length w > 0 against the promise >= 0 made
// to each key, for the whole windows of span.
func NewKeyedPages(w time.Duration, promise int64, span Span) *KeyedPages {
	rule := newPageRule(w, promise, span)
	return &KeyedPages{rule: rule, keys: slab[page]{fresh: rule.first()}}
}

// Admit adds an admitted request; outside the whole windows it is ignored.
// Times never decrease for one key.
func (p *KeyedPages) Admit(t time.Duration, key uint32, cost int64) {
	if p.rule.counts(t) {
		if k := p.keys.at(key); k != nil {
			k.admit(&p.rule, t, cost)
		}
	}
}

// Windows returns how many whole windows the span has.
func (p *KeyedPages) Windows() int64 { return p.rule.windows }

// ExcessMean returns the largest over keys of the key's mean over windows of
// max(0, admitted − promise), 0 if nothing was admitted to any key, NaN if the
// span holds no whole window.
func (p *KeyedPages) ExcessMean() float64 {
	excess, _ := p.largest()
	return share(excess, p.rule.windows)
}

// ExcessShare returns the largest over keys of the key's share of windows above
// the promise; the key need not be the one with the largest mean. It is NaN if
// the span holds no whole window.
func (p *KeyedPages) ExcessShare() float64 {
	_, above := p.largest()
	return share(above, p.rule.windows)
}

// Sampled reports whether a key was left out because there were too many.
func (p *KeyedPages) Sampled() bool { return p.keys.sampled }

func (p *KeyedPages) largest() (excess, above int64) {
	for i := range p.keys.items {
		e, a := p.keys.items[i].totals(&p.rule)
		excess, above = max(excess, e), max(above, a)
	}
	return excess, above
}

// pageRule says which windows count: those in [from, to), two of their edges.
type pageRule struct {
	w        time.Duration
	promise  int64
	from, to time.Duration
	windows  int64
}

func newPageRule(w time.Duration, promise int64, span Span) pageRule {
	mustBePositive("window", w)
	rule := pageRule{w: w, promise: promise, from: floorEdge(span.Start, w), to: floorEdge(span.End, w)}
	if rule.from < span.Start {
		if rule.from > math.MaxInt64-w {
			rule.from = rule.to // the first whole window would end beyond all time
		} else {
			rule.from += w
		}
	}
	rule.to = max(rule.from, rule.to)
	rule.windows = int64((rule.to - rule.from) / w)
	return rule
}

func (r *pageRule) counts(t time.Duration) bool { return r.from <= t && t < r.to }

func (r *pageRule) first() page { return page{end: r.from} }

// page is the window that a key is in, and what its windows before came to.
type page struct {
	end      time.Duration
	admitted int64
	excess   int64 // sum over closed windows
	above    int64 // closed windows with an excess
}

func (p *page) admit(rule *pageRule, t time.Duration, cost int64) {
	if t >= p.end {
		p.excess, p.above = p.totals(rule)
		p.admitted = 0
		p.end = floorEdge(t, rule.w) + rule.w
	}
	p.admitted += cost
}

// totals counts the open window as if it ended now.
func (p *page) totals(rule *pageRule) (excess, above int64) {
	if over := p.admitted - rule.promise; over > 0 {
		return p.excess + over, p.above + 1
	}
	return p.excess, p.above
}
