package limiters

import "time"

// firstWindow is the fixed-window with origin=first: a window opens at the
// first admitted request after the last one ended.
type firstWindow struct {
	slab[countedWindow, *countedWindow]
	limit  int64
	length time.Duration
}

// seen brings the key's state to the latest of now and what it has seen. The
// window is closed at t exactly if it is over at t; its count is 0 then.
func (l *firstWindow) seen(now time.Duration, key uint32) (s *countedWindow, t time.Duration) {
	s = l.at(key)
	if !s.begun {
		l.known++
		s.begun, s.latest, s.end = true, now, now
	}
	if t = s.see(now); s.over(t) {
		s.count = 0
	}
	return s, t
}

func (l *firstWindow) spend(s *countedWindow, t time.Duration, cost int64) {
	if s.over(t) {
		s.open(t, l.length)
	}
	s.count = pile(s.count, cost)
}

func (l *firstWindow) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	s, t := l.seen(now, key)
	admitted := cost <= l.limit-s.count
	if admitted {
		l.spend(s, t, cost)
	}
	return admitted, 0
}

func (l *firstWindow) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s, t := l.seen(now, key)
	admitted := cost <= l.limit-s.count
	if admitted {
		l.spend(s, t, cost)
	}
	l.answer(&d, s, now, cost, admitted)
	return d
}

func (l *firstWindow) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s, _ := l.seen(now, key)
	l.answer(&d, s, now, cost, cost <= l.limit-s.count)
	return d
}

func (l *firstWindow) Charge(now time.Duration, key uint32, cost int64) {
	s, t := l.seen(now, key)
	l.spend(s, t, cost)
}

func (l *firstWindow) answer(d *Decision, s *countedWindow, now time.Duration, cost int64, admitted bool) {
	answer(d, admitted, l.limit, l.limit-s.count)
	if !s.over(s.latest) {
		d.Reset = hint(now, s.latest, s.left(s.latest))
	}
	if !admitted {
		d.RetryAfter = refusal(cost, l.limit, d.Reset)
	}
}

// AtRest reports whether no window is open.
func (l *firstWindow) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || s.latest <= now && s.over(now)
}
