package metrics

import "time"

// Peak finds the most events in one second: in any half-open second, and in
// any second of the clock, [k s, k s + 1 s). Its memory is bounded by the
// largest number of distinct instants in one second.
type Peak struct {
	any    *Window
	second int64 // of the latest event
	now    int64 // events in it
	most   int64 // in a second of the clock
	n      int64
}

// NewPeak returns a Peak that has seen nothing.
func NewPeak() *Peak { return &Peak{any: NewWindow(time.Second, 0)} }

// Add counts an event. Times are >= 0 and never decrease.
func (p *Peak) Add(t time.Duration) {
	p.any.Admit(t, 1)
	if second := int64(t / time.Second); second != p.second {
		p.second, p.now = second, 0
	}
	p.now++
	p.most = max(p.most, p.now)
	p.n++
}

// N returns how many events there were.
func (p *Peak) N() int64 { return p.n }

// Any returns the most in any interval [s, s + 1 s), whatever s.
func (p *Peak) Any() int64 { return p.any.Max() }

// Aligned returns the most in any second of the clock.
func (p *Peak) Aligned() int64 { return p.most }

// OverMean returns Aligned by the mean in a second of length, NaN if there
// were no events.
func (p *Peak) OverMean(length time.Duration) float64 {
	return ratio(p.most, int64(length), p.n, int64(time.Second))
}
