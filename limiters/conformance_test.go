package limiters_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/limiters"
)

// TestConformance holds every canonical limiter to what all of them promise.
// A limiter that is registered is tested: specs are drawn from the units that
// it declares for its parameters.
func TestConformance(t *testing.T) {
	all := []regime{tiny, usual, extreme}
	near := []regime{tiny, tiny, usual}
	properties := []struct {
		name    string
		regimes []regime
		charges bool
		holds   func(t *rapid.T, s limiters.Spec, ops []op)
	}{
		{"take is ask, then charge if admitted", all, true, takeIsAskThenCharge},
		{"admit decides and charges as take", all, true, admitIsTake},
		{"ask changes nothing but the latest time", all, true, askChangesNothing},
		{"a refusal changes nothing but the latest time", all, true, refusalChangesNothing},
		{"retry_after is exact", near, true, retryAfterIsExact},
		{"remaining is exact", near, true, remainingIsExact},
		{"reset is exact", near, true, resetIsExact},
		{"a cost of 2 is twice a cost of 1", all, true, costsAdd},
		{"keys do not know of each other", all, true, keysAreIndependent},
		{"a forgotten key is new", all, true, forgottenIsNew},
		{"an interval admits no more than its envelope", near, false, envelopeHolds},
		{"the total admitted grows with limit, rate and burst", near, false, totalsAreMonotone},
	}
	for _, name := range limiters.Canonical() {
		t.Run(name, func(t *testing.T) {
			for _, p := range properties {
				t.Run(p.name, rapid.MakeCheck(func(t *rapid.T) {
					checkDrawn(t, name, p.regimes, 15, p.charges, p.holds)
				}))
			}
		})
	}
}

// countsAll reports whether a limiter charges what it refuses.
func countsAll(s limiters.Spec) bool { return strings.Contains(s.String(), "count=all") }

func takeIsAskThenCharge(t *rapid.T, s limiters.Spec, ops []op) {
	a, b := s.New(1, nil), s.New(1, nil)
	for i, o := range ops {
		if o.charge {
			require.Equal(t, run(a, o), run(b, o), "op %d", i)
			continue
		}
		take, ask := a.Take(o.now, o.key, o.cost), b.Ask(o.now, o.key, o.cost)
		if ask.Admitted || countsAll(s) && o.cost <= s.Capacity() {
			b.Charge(o.now, o.key, o.cost)
		} else {
			require.Equal(t, take, ask, "op %d: nothing was charged", i)
		}
		require.Equal(t, take.Admitted, ask.Admitted, "op %d", i)
		require.Equal(t, take.Delay, ask.Delay, "op %d", i)
		require.Equal(t, a.Ask(o.now, o.key, 1), b.Ask(o.now, o.key, 1), "op %d: the state afterwards", i)
	}
}

func admitIsTake(t *rapid.T, s limiters.Spec, ops []op) {
	a, b := s.New(1, nil), s.New(1, nil)
	for i, o := range ops {
		if o.charge {
			require.Equal(t, run(a, o), run(b, o), "op %d", i)
			continue
		}
		take := a.Take(o.now, o.key, o.cost)
		admitted, delay := b.Admit(o.now, o.key, o.cost)
		require.Equal(t, take.Admitted, admitted, "op %d", i)
		require.Equal(t, take.Delay, delay, "op %d", i)
		require.Equal(t, a.Ask(o.now, o.key, 1), b.Ask(o.now, o.key, 1), "op %d: the state afterwards", i)
	}
}

func askChangesNothing(t *rapid.T, s limiters.Spec, ops []op) {
	a, b := s.New(1, nil), s.New(1, nil)
	for i, o := range ops {
		b.Ask(o.now, o.key, rapid.Int64Range(1, s.Capacity()+1).Draw(t, "asked"))
		require.Equal(t, run(a, o), run(b, o), "op %d", i)
	}
}

func refusalChangesNothing(t *rapid.T, s limiters.Spec, ops []op) {
	a, b := s.New(1, nil), s.New(1, nil)
	for i, o := range ops {
		b.Take(o.now, o.key, s.Capacity()+1) // moves the latest time to that of the op, and no more
		got := run(a, o)
		if !o.charge && !got.Admitted && !countsAll(s) {
			require.Equal(t, got, b.Ask(o.now, o.key, o.cost), "op %d", i) // instead of being refused
			continue
		}
		require.Equal(t, got, run(b, o), "op %d", i)
	}
}

// lastAnswer replays the ops and returns the answer to the last.
func lastAnswer(s limiters.Spec, ops []op) (op, limiters.Decision) {
	o := ops[len(ops)-1]
	d := run(replay(s, ops[:len(ops)-1]), o)
	if o.charge {
		o.cost = 1 // what was asked afterwards
	}
	return o, d
}

func retryAfterIsExact(t *rapid.T, s limiters.Spec, ops []op) {
	o, d := lastAnswer(s, ops)
	switch {
	case d.Admitted:
		require.Zero(t, d.RetryAfter)
	case o.cost > s.Capacity():
		require.Equal(t, limiters.Never, d.RetryAfter)
	default:
		require.Positive(t, d.RetryAfter)
		require.NotEqual(t, limiters.Never, d.RetryAfter)
		early := replay(s, ops).Take(o.now+d.RetryAfter-1, o.key, o.cost)
		require.False(t, early.Admitted, "1 ns before %d", d.RetryAfter)
		require.True(t, replay(s, ops).Take(o.now+d.RetryAfter, o.key, o.cost).Admitted, "after %d", d.RetryAfter)
	}
}

func remainingIsExact(t *rapid.T, s limiters.Spec, ops []op) {
	o, d := lastAnswer(s, ops)
	require.Equal(t, s.Capacity(), d.Limit)
	require.LessOrEqual(t, d.Remaining, d.Limit)
	l := replay(s, ops)
	for n := range d.Remaining {
		require.True(t, l.Take(o.now, o.key, 1).Admitted, "unit %d of %d", n, d.Remaining)
	}
	require.False(t, l.Take(o.now, o.key, 1).Admitted, "one after %d", d.Remaining)
	require.Zero(t, l.Ask(o.now, o.key, 1).Remaining)
}

func resetIsExact(t *rapid.T, s limiters.Spec, ops []op) {
	o, d := lastAnswer(s, ops)
	if d.Reset == 0 {
		require.Equal(t, d.Limit, d.Remaining)
		return
	}
	before := replay(s, ops).Ask(o.now+d.Reset-1, o.key, 1)
	then := replay(s, ops).Ask(o.now+d.Reset, o.key, 1)
	require.Equal(t, d.Limit, then.Remaining, "after %d", d.Reset)
	if s.Name() == "fixed-window" { // the end of the window, whatever remains
		require.Equal(t, time.Duration(1), before.Reset)
		return
	}
	require.Less(t, before.Remaining, d.Limit, "1 ns before %d", d.Reset)
	require.Zero(t, then.Reset)
}

func costsAdd(t *rapid.T, s limiters.Spec, ops []op) {
	if s.Capacity() < 2 {
		return
	}
	o := ops[len(ops)-1]
	m := rapid.Int64Range(1, min(s.Capacity()-1, 1<<40)).Draw(t, "m")
	n := rapid.Int64Range(1, s.Capacity()-m).Draw(t, "n")
	one, two := replay(s, ops), replay(s, ops)
	whole := one.Take(o.now, o.key, m+n)
	first := two.Take(o.now, o.key, m)
	second := two.Take(o.now, o.key, n)
	if !countsAll(s) {
		require.Equal(t, whole.Admitted, first.Admitted && second.Admitted)
	}
	if whole.Admitted {
		require.True(t, first.Admitted && second.Admitted)
		require.Equal(t, one.Ask(o.now, o.key, 1), two.Ask(o.now, o.key, 1))
	}
}

func keysAreIndependent(t *rapid.T, s limiters.Spec, ops []op) {
	together, alone := s.New(1, nil), map[uint32]limiters.Limiter{}
	for i, o := range ops {
		if alone[o.key] == nil {
			alone[o.key] = s.New(1, nil)
		}
		require.Equal(t, run(alone[o.key], o), run(together, o), "op %d", i)
	}
	require.Equal(t, len(alone), together.Keys())
}

func forgottenIsNew(t *rapid.T, s limiters.Spec, ops []op) {
	l, fresh := replay(s, ops), s.New(1, nil)
	keys := l.Keys()
	l.Forget(0)
	l.Forget(0)
	l.Forget(12345) // nobody
	for _, o := range ops {
		if o.key == 0 {
			require.Equal(t, keys-1, l.Keys())
			break
		}
	}
	for i, o := range ops {
		if o.key == 0 {
			require.Equal(t, run(fresh, o), run(l, o), "op %d", i)
		}
	}
	require.Equal(t, keys, l.Keys())
}

// envelopeHolds checks every interval between two admissions of a key.
func envelopeHolds(t *rapid.T, s limiters.Spec, ops []op) {
	type passed struct {
		at   time.Duration
		cost int64
	}
	admitted, latest := map[uint32][]passed{}, map[uint32]time.Duration{}
	l := s.New(1, nil)
	for _, o := range ops {
		if _, seen := latest[o.key]; !seen {
			latest[o.key] = o.now
		}
		latest[o.key] = max(latest[o.key], o.now) // the instant for which it was decided
		if run(l, o).Admitted {
			admitted[o.key] = append(admitted[o.key], passed{latest[o.key], o.cost})
		}
	}
	most := envelope(s)
	for _, list := range admitted {
		for i := range list {
			var total int64
			for _, p := range list[i:] {
				total += p.cost
				require.LessOrEqual(t, total, most(list[i].at, p.at), "from %d to %d", list[i].at, p.at)
			}
		}
	}
}

// envelope returns the most that a limiter admits from one instant to another,
// both included.
func envelope(s limiters.Spec) func(from, to time.Duration) int64 {
	limit := s.Capacity()
	window, windowed := s.Window()
	if !windowed {
		if strings.Contains(s.String(), "interval") {
			p := newSlow(rapidPanics{}, s)
			return func(from, to time.Duration) int64 {
				periods := diff(p.index(rat(int64(to))), p.index(rat(int64(from))))
				gain := floor(times(times(periods, p.length), p.perNs))
				return limit + gain.Num().Int64() + 1 // the fraction of a token that the level may have had
			}
		}
		return func(from, to time.Duration) int64 { return s.Promise(to - from) }
	}
	rate := func(d time.Duration) int64 {
		return floor(over(times(rat(limit), rat(int64(d))), rat(int64(window)))).Num().Int64()
	}
	return func(from, to time.Duration) int64 {
		d := to - from
		windows := int64(d/window) + 1
		switch {
		case s.Name() == "sliding-log":
			return windows * limit
		case s.Name() == "sliding-counter" && d < window && strings.Contains(s.String(), "below"):
			return limit + rate(d) + 1
		case s.Name() == "sliding-counter" && d < window:
			return limit + rate(d)
		}
		return (windows + 1) * limit
	}
}

type rapidPanics struct{}

func (rapidPanics) Errorf(string, ...any) {}
func (rapidPanics) FailNow()              { panic("a spec that parsed can be read") }

// totalsAreMonotone raises each parameter that makes a limiter more generous.
func totalsAreMonotone(t *rapid.T, s limiters.Spec, ops []op) {
	for _, param := range []string{"limit", "burst", "queue", "rate"} {
		var text string
		for _, pair := range strings.Split(strings.SplitN(s.String(), ":", 2)[1], ",") {
			if k, v, _ := strings.Cut(pair, "="); k == param {
				text = v
			}
		}
		if text == "" {
			continue
		}
		if param == "rate" {
			r, ok := s.Rate()
			require.True(t, ok)
			if strings.Contains(s.String(), "interval") {
				text = "9" + text // more digits
			} else {
				r, err := r.Times(rapid.Int64Range(11, 40).Draw(t, "raise"), 10)
				require.NoError(t, err)
				text = r.String()
			}
		} else {
			text = "1" + text
		}
		more, err := s.With(param, text)
		require.NoError(t, err)
		a, b := s.New(1, nil), more.New(1, nil)
		totals := map[uint32]int{}
		for i, o := range ops {
			if ok, _ := a.Admit(o.now, o.key, 1); ok {
				totals[o.key]--
			}
			if ok, _ := b.Admit(o.now, o.key, 1); ok {
				totals[o.key]++
			}
			require.GreaterOrEqual(t, totals[o.key], 0, "op %d, with %s=%s", i, param, text)
		}
	}
}
