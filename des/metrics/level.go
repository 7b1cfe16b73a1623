package metrics

import (
	"math"
	"time"
)

// Level measures the tokens of one bucket over a span. Between observations the
// level rises evenly to the capacity and stays there, so that its integral is
// exact but for float64 rounding; the sums are compensated.
//
// It counts from the first observation on, or from the start of the span if
// that is later: observe the initial level at the start of the run.
type Level struct {
	capacity float64 // tokens
	slope    float64 // tokens a nanosecond
	span     Span

	begun bool
	at    time.Duration // the level was last known here,
	level float64       // and was this

	any      bool // some of the span was seen
	min, max float64
	tokens   total // integral of the level, tokens·ns
	full     total // time at capacity, ns
	seen     time.Duration
}

// NewLevel returns the level of a bucket of capacity >= 0 tokens that is
// refilled evenly with rate >= 0 tokens a second.
func NewLevel(capacity, rate float64, span Span) *Level {
	return &Level{capacity: capacity, slope: rate / 1e9, span: span}
}

// NewSteppedLevel returns the level of a bucket that changes only when it is
// observed: refills at fixed instants must be observed like decisions.
func NewSteppedLevel(capacity float64, span Span) *Level {
	return NewLevel(capacity, 0, span)
}

// Observe says that from t on, after whatever happened at t, the level is this.
// It may be below 0 (a debt); above the capacity it counts as the capacity.
// Times never decrease.
func (l *Level) Observe(t time.Duration, level float64) {
	l.advance(t)
	l.begun, l.at, l.level = true, t, min(level, l.capacity)
	if l.span.Contains(t) {
		l.visit(l.level)
	}
}

// Finish counts up to the end of the span. A second call adds nothing.
func (l *Level) Finish() { l.advance(l.span.End) }

// advance integrates from the last known level up to t, within the span.
func (l *Level) advance(t time.Duration) {
	t = min(t, l.span.End)
	if !l.begun || t <= l.at {
		return
	}
	if l.at < l.span.Start {
		if t <= l.span.Start {
			return
		}
		l.level, _ = l.rise(l.span.Start - l.at)
		l.at = l.span.Start
	}
	dt := t - l.at
	from := l.level
	to, rising := l.rise(dt)
	full := float64(dt) - rising
	l.visit(from)
	l.visit(to)
	l.tokens.add(float64(float64((from+to)/2) * rising))
	l.tokens.add(float64(l.capacity * full))
	l.full.add(full)
	l.seen += dt
	l.at, l.level = t, to
}

// rise returns the level dt from now, and how many nanoseconds of dt pass before
// it is at capacity.
func (l *Level) rise(dt time.Duration) (level, rising float64) {
	missing := l.capacity - l.level
	if missing <= 0 {
		return l.capacity, 0
	}
	if rising = missing / l.slope; rising <= float64(dt) {
		return l.capacity, rising
	}
	return min(l.capacity, l.level+float64(l.slope*float64(dt))), float64(dt)
}

func (l *Level) visit(level float64) {
	if !l.any {
		l.any, l.min, l.max = true, level, level
	}
	l.min, l.max = min(l.min, level), max(l.max, level)
}

// Merge adds what other saw: the level of a fleet of buckets is the mean over
// them, their extremes are the extremes of any.
func (l *Level) Merge(other *Level) {
	if other.any {
		l.visit(other.min)
		l.visit(other.max)
	}
	l.tokens.merge(&other.tokens)
	l.full.merge(&other.full)
	l.seen += other.seen
}

// Min returns the lowest level, NaN if nothing was seen.
func (l *Level) Min() float64 { return l.orNaN(l.min) }

// Max returns the highest level, NaN if nothing was seen.
func (l *Level) Max() float64 { return l.orNaN(l.max) }

// Mean returns the mean of the level over time, NaN if no time was seen.
func (l *Level) Mean() float64 { return l.tokens.value() / float64(l.seen) }

// FullShare returns the share of time at capacity, NaN if no time was seen.
func (l *Level) FullShare() float64 { return l.full.value() / float64(l.seen) }

func (l *Level) orNaN(x float64) float64 {
	if !l.any {
		return math.NaN()
	}
	return x
}

// Statistics gives every statistic of the dictionary that begins with prefix,
// which is "level", in its order.
func (l *Level) Statistics(prefix string, emit func(name string, value float64)) {
	emit(prefix+"_min", l.Min())
	emit(prefix+"_max", l.Max())
	emit(prefix+"_mean", l.Mean())
	emit(prefix+"_full_share", l.FullShare())
}
