package limiters

import (
	"time"

	"ratelab/internal/spec"
)

// Adjustable is a Limiter that can go on with another limit: that of a server
// whose share changes. fixed-window, sliding-counter, gcra and the token-bucket
// with continuous refill are.
type Adjustable interface {
	Limiter
	// Adjust sets the capacity, and the rate of a limiter that has no window,
	// from now on, which must not lie before the latest time of any key. What
	// is in a bucket stays, up to the new capacity, less than a part of a
	// token excepted; what a window has counted stays. It takes time in
	// proportion to the keys of a bucket. The rate is > 0, the capacity >= 0.
	Adjust(now time.Duration, rate spec.Rate, capacity int64)
}

// Adjust sets the limit.
func (l *fixedWindow) Adjust(_ time.Duration, _ spec.Rate, capacity int64) { l.limit = capacity }

// Adjust sets the limit.
func (l *firstWindow) Adjust(_ time.Duration, _ spec.Rate, capacity int64) { l.limit = capacity }

// Adjust sets the limit.
func (l *slidingCounter) Adjust(_ time.Duration, _ spec.Rate, capacity int64) { l.limit = capacity }

// Adjust sets the rate and the burst. A key that has not come yet begins with
// a full bucket, or with what it was to begin with if that is less.
func (l *tokenBucket) Adjust(now time.Duration, rate spec.Rate, capacity int64) {
	old := *l
	l.burst, l.gain, l.part = capacity, uint64(rate.N), uint64(rate.P)
	l.full = product(uint64(capacity), l.part)
	if l.initial = l.full; old.initial != old.full {
		l.initial = smaller(old.initial.converted(old.part, l.part), l.full)
	}
	for s := range l.all {
		level := s.level
		if now > s.latest {
			level = smaller(level.plus(product(uint64(now)-uint64(s.latest), old.gain)), old.full)
			s.latest = now
		}
		s.level = smaller(level.converted(old.part, l.part), l.full)
	}
}

// Adjust sets the rate and the burst, as a token-bucket does.
func (l *gcra) Adjust(now time.Duration, rate spec.Rate, capacity int64) {
	old := *l
	l.burst, l.scale, l.emission = capacity, uint64(rate.N), uint64(rate.P)
	l.tolerance = product(uint64(capacity), l.emission)
	for s := range l.all {
		level := old.tolerance
		if ahead := s.tat.minus(scaled(s.see(now), old.scale)); !ahead.negative() {
			level = level.minus(ahead)
		}
		level = smaller(level.converted(old.emission, l.emission), l.tolerance)
		s.tat = scaled(s.latest, l.scale).plus(l.tolerance).minus(level).capped()
	}
}

func smaller(x, y wide) wide {
	if y.less(x) {
		return y
	}
	return x
}

// converted returns ⌊x·to/from⌋: a level counted in parts of a token, from to
// the token, counted in others.
func (x wide) converted(from, to uint64) wide {
	if from == to {
		return x
	}
	negative := x.negative()
	if negative {
		x = wide{}.minus(x)
	}
	whole := x.floorDiv(from)
	rest := product(x.minus(product(whole, from)).lo, to)
	fraction := rest.floorDiv(from)
	if negative {
		fraction = rest.ceilDiv(from)
	}
	y := product(whole, to).plus(wide{0, fraction})
	if negative {
		return wide{}.minus(y).capped()
	}
	return y
}

// Indebted is a Limiter whose windows can begin with what was charged above the
// limit before. fixed-window with origin=epoch is.
type Indebted interface {
	Limiter
	// CarryDebt makes what a window counts above the limit count in the next.
	// Without it every window begins from zero.
	CarryDebt()
}

// CarryDebt makes what a window counts above the limit count in the next.
func (l *fixedWindow) CarryDebt() { l.carry = true }

// carried is what a count leaves for the window that comes edges later.
func (l *fixedWindow) carried(count int64, edges uint64) int64 {
	if !l.carry || count <= l.limit {
		return 0
	}
	if l.limit > 0 && edges > uint64(count/l.limit) {
		return 0
	}
	return count - int64(edges)*l.limit
}

// Counted is a Limiter whose state of a key is one count, as a store keeps it
// that is read and written. fixed-window with origin=epoch is.
type Counted interface {
	Limiter
	// Count returns the key's count at now, and when its window ends.
	Count(now time.Duration, key uint32) (count int64, end time.Duration)
	// SetCount writes the count of the window that ends at end; if that is
	// over at now, nothing happens.
	SetCount(now time.Duration, key uint32, count int64, end time.Duration)
}

// Count returns the key's count at now, and when its window ends.
func (l *fixedWindow) Count(now time.Duration, key uint32) (int64, time.Duration) {
	s := l.seen(now, key)
	return s.count, s.end
}

// SetCount writes the count of the window that ends at end.
func (l *fixedWindow) SetCount(now time.Duration, key uint32, count int64, end time.Duration) {
	if s := l.seen(now, key); s.end == end {
		s.count = count
	}
}
