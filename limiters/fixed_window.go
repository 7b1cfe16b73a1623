package limiters

import (
	"strconv"
	"time"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

func init() {
	registerCanonical(spec.Entry{
		Name: "fixed-window",
		Doc:  "count requests in windows of fixed length; each window starts from zero",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "most units admitted in one window"},
			{Name: "window", Unit: "duration", Doc: "length of a window"},
			{Name: "origin", Unit: "epoch|first", Default: "epoch", Doc: "windows begin at multiples of their length, or at the first admitted request after the last one ended"},
			{Name: "jitter", Unit: "duration", Default: "0s", Doc: "shift the edges of each key by its own offset, uniform from 0 to this; only with origin=epoch"},
		},
		More: `A request of cost n at t belongs to window floor(t / window). It is admitted if
the window's count + n <= limit, and then counted. Up to twice the limit passes
in an instant around an edge: the end of one window and the beginning of the next.
retry_after and reset: the time until the window ends. With origin=first no window
is open before the first admitted request and after the last window's end; reset
is then 0.
The offset of a jitter is drawn once a key from the stream (seed, "window-phase",
key). A jitter as long as the window spreads the edges over all of it.`,
	}, func(v *spec.Values) rule {
		r := fixedWindowRule{
			limit:  v.Count("limit"),
			length: v.Duration("window"),
			first:  v.Choice("origin", "epoch", "first") == "first",
			jitter: v.DurationOrZero("jitter"),
		}
		switch {
		case r.jitter > 0 && r.first:
			v.Fail("jitter", "needs origin=epoch: with origin=first every key has edges of its own")
		case r.jitter > r.length:
			v.Fail("jitter", "must be at most the window, %s, got %s", v.Text("window"), v.Text("jitter"))
		}
		return r
	})
}

type fixedWindowRule struct {
	limit  int64
	length time.Duration
	first  bool
	jitter time.Duration
}

func (r fixedWindowRule) capacity() int64               { return r.limit }
func (r fixedWindowRule) rate() (spec.Rate, bool)       { return windowRate(r.limit, r.length) }
func (r fixedWindowRule) window() (time.Duration, bool) { return r.length, true }

func (r fixedWindowRule) scaled(v *spec.Values, _, _, capacity int64) (string, error) {
	return withAll(v, "limit", strconv.FormatInt(capacity, 10))
}

func (r fixedWindowRule) limiter(seed uint64, keyText func(uint32) string) Limiter {
	if r.first {
		return &firstWindow{limit: r.limit, length: r.length}
	}
	return &fixedWindow{limit: r.limit, length: r.length, jitter: r.jitter, seed: seed, keyText: keyText}
}

// offset draws a key's phase.
func offset(jitter time.Duration, seed uint64, keyText func(uint32) string, key uint32) time.Duration {
	if jitter == 0 {
		return 0
	}
	return time.Duration(random.Stream(seed, "window-phase", textOf(key, keyText)).Int64N(int64(jitter)))
}

// textOf returns a key's text: its decimal number, if keys have none.
func textOf(key uint32, keyText func(uint32) string) string {
	if keyText == nil {
		return strconv.FormatUint(uint64(key), 10)
	}
	return keyText(key)
}

// fixedWindow counts in windows aligned to the epoch, or to the key's offset.
type fixedWindow struct {
	slab[countedWindow, *countedWindow]
	limit   int64
	length  time.Duration
	jitter  time.Duration
	seed    uint64
	keyText func(uint32) string
	carry   bool // see CarryDebt
}

type countedWindow struct {
	windowed
	count int64
}

// seen brings the key's state to the latest of now and what it has seen.
func (l *fixedWindow) seen(now time.Duration, key uint32) *countedWindow {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun, s.latest = true, now
		o := offset(l.jitter, l.seed, l.keyText, key)
		s.open(now, l.length-phase(now, l.length, o))
	}
	if t := s.see(now); s.over(t) {
		s.count = l.carried(s.count, s.roll(t, l.length))
	}
	return s
}

func (l *fixedWindow) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	s := l.seen(now, key)
	admitted := cost <= l.limit-s.count
	if admitted {
		s.count += cost
	}
	return admitted, 0
}

func (l *fixedWindow) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	admitted := cost <= l.limit-s.count
	if admitted {
		s.count += cost
	}
	l.answer(&d, s, now, cost, admitted)
	return d
}

func (l *fixedWindow) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, now, cost, cost <= l.limit-s.count)
	return d
}

func (l *fixedWindow) Charge(now time.Duration, key uint32, cost int64) {
	s := l.seen(now, key)
	s.count = pile(s.count, cost)
}

func (l *fixedWindow) answer(d *Decision, s *countedWindow, now time.Duration, cost int64, admitted bool) {
	answer(d, admitted, l.limit, l.limit-s.count)
	d.Reset = hint(now, s.latest, s.left(s.latest))
	if !admitted {
		d.RetryAfter = refusal(cost, l.limit, d.Reset)
	}
}

// AtRest reports whether nothing counts in the window that now lies in.
func (l *fixedWindow) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || s.latest <= now && (s.count == 0 || s.over(now))
}
