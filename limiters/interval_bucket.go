package limiters

import "time"

// intervalBucket is the token-bucket with refill=interval: Num/Den tokens at
// once at every whole multiple of a period since the epoch. Its level is in
// parts, Den to the token; the window that it is in ends with the next refill.
type intervalBucket struct {
	slab[intervalLevel, *intervalLevel]
	burst   int64
	every   time.Duration
	gain    uint64 // Num, parts that come with each refill
	part    uint64 // Den, parts of a token
	full    wide   // parts of the whole burst
	initial wide
}

type intervalLevel struct {
	windowed
	level wide
}

// seen brings the key's state to the latest of now and what it has seen.
func (l *intervalBucket) seen(now time.Duration, key uint32) *intervalLevel {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun, s.latest, s.level = true, now, l.initial
		s.open(now, l.every-phase(now, l.every, 0))
	}
	if t := s.see(now); s.over(t) {
		s.level = s.level.plus(product(s.roll(t, l.every), l.gain))
		if l.full.less(s.level) {
			s.level = l.full
		}
	}
	return s
}

func (l *intervalBucket) take(s *intervalLevel, cost int64) bool {
	rest := s.level.minus(product(uint64(cost), l.part))
	if rest.negative() {
		return false
	}
	s.level = rest
	return true
}

func (l *intervalBucket) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.take(l.seen(now, key), cost), 0
}

func (l *intervalBucket) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, now, cost, l.take(s, cost))
	return d
}

func (l *intervalBucket) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, now, cost, !s.level.less(product(uint64(cost), l.part)))
	return d
}

func (l *intervalBucket) Charge(now time.Duration, key uint32, cost int64) {
	s := l.seen(now, key)
	s.level = s.level.minus(product(uint64(cost), l.part)).capped()
}

func (l *intervalBucket) answer(d *Decision, s *intervalLevel, now time.Duration, cost int64, admitted bool) {
	answer(d, admitted, l.burst, int64(s.level.floorDiv(l.part)))
	if d.Remaining < l.burst {
		d.Reset = l.until(s, now, l.full)
	}
	if !admitted {
		d.RetryAfter = refusal(cost, l.burst, l.until(s, now, product(uint64(cost), l.part)))
	}
}

// until returns the time from now to the refill that brings the level, which
// is not reached yet, up to a target.
func (l *intervalBucket) until(s *intervalLevel, now time.Duration, target wide) time.Duration {
	refills := target.minus(s.level).ceilDiv(l.gain)
	wait := product(refills-1, uint64(l.every)).plus(wide{0, s.left(s.latest)})
	return hint(now, s.latest, wait.floorDiv(1))
}

// AtRest reports whether the bucket is full, if keys begin with a full one.
func (l *intervalBucket) AtRest(now time.Duration, key uint32) bool {
	s := copyOf(&l.slab, key)
	if !s.begun {
		return true
	}
	if s.latest > now || l.initial != l.full {
		return false
	}
	if s.over(now) {
		s.level = s.level.plus(product(s.roll(now, l.every), l.gain))
	}
	return !s.level.less(l.full)
}
