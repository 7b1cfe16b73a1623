package metrics

import (
	"math"
	"math/rand/v2"
	"time"

	"ratelab/internal/random"
)

// OpenErrors is the error, estimate − true trailing count, of a weighted
// two-window counter that refuses nothing, for one key. It sees it twice: at
// random instants, which is what closed forms are about, and at arrivals, which
// is the same under Poisson arrivals only.
type OpenErrors struct {
	// Time is seen at the points of a Poisson process of its own, with all that
	// arrived up to and at the instant.
	Time Errors
	// Arrivals is seen at each arrival just before it is counted, with all
	// earlier arrivals, those at the same instant too.
	Arrivals Errors

	counter counter
	span    Span
	gaps    *random.ExpGaps
	next    time.Duration // instant to look at; math.MaxInt64 when there is none left
}

// NewOpenErrors returns the errors of a counter with a window > 0 over a span.
// The instants it looks at are drawn from r, one in meanGap > 0 on average.
func NewOpenErrors(window time.Duration, span Span, meanGap time.Duration, r *rand.Rand) *OpenErrors {
	mustBePositive("mean gap", meanGap)
	e := &OpenErrors{counter: newCounter(window), span: span, gaps: random.NewExpGaps(r, 1, int64(meanGap))}
	e.draw()
	return e
}

// Arrive counts a request, admitted or not. Times never decrease.
func (e *OpenErrors) Arrive(t time.Duration, cost int64) {
	e.look(t)
	e.counter.move(t)
	if e.span.Contains(t) {
		e.Arrivals.Add(e.counter.deviation(t))
	}
	e.counter.add(t, cost)
}

// Finish looks at the instants that are left in the span. It must come after the
// last arrival in the span.
func (e *OpenErrors) Finish() { e.look(math.MaxInt64) }

// look sees the error at the instants before t.
func (e *OpenErrors) look(t time.Duration) {
	for e.next < t {
		e.counter.move(e.next)
		e.Time.Add(e.counter.deviation(e.next))
		e.draw()
	}
}

func (e *OpenErrors) draw() {
	e.next = math.MaxInt64
	if since := e.gaps.Next(); since < e.span.Length() {
		e.next = e.span.Start + since
	}
}

// ClosedErrors is the error of a weighted two-window counter over the requests
// that it admitted itself, for one key, seen at each arrival just before it is
// decided: what users feel. Earlier arrivals at the same instant are counted.
type ClosedErrors struct {
	Errors

	counter counter
	span    Span
}

// NewClosedErrors returns the errors of a counter with a window > 0 over a span.
func NewClosedErrors(window time.Duration, span Span) *ClosedErrors {
	return &ClosedErrors{counter: newCounter(window), span: span}
}

// Decide sees the error at an arrival and counts the arrival if it was admitted.
// Times never decrease.
func (e *ClosedErrors) Decide(t time.Duration, cost int64, admitted bool) {
	e.counter.move(t)
	if e.span.Contains(t) {
		e.Add(e.counter.deviation(t))
	}
	if admitted {
		e.counter.add(t, cost)
	}
}
