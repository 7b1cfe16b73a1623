package limiters_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// slow is a limiter for one key that remembers everything that was ever
// charged and works out every decision from that, in ratios of integers of any
// size: nothing is kept up to date, so nothing can be kept up to date wrongly.
type slow struct {
	name   string
	param  map[string]string
	count  func(name string) int64
	length *big.Rat // window, or period of the interval refill
	perNs  *big.Rat // rate in requests per ns
	begun  bool
	begin  *big.Rat // time of the first request
	latest time.Duration
	log    []charged
}

type charged struct {
	at   *big.Rat
	cost int64
}

func rat(n int64) *big.Rat         { return new(big.Rat).SetInt64(n) }
func sum(a, b *big.Rat) *big.Rat   { return new(big.Rat).Add(a, b) }
func diff(a, b *big.Rat) *big.Rat  { return new(big.Rat).Sub(a, b) }
func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func over(a, b *big.Rat) *big.Rat  { return new(big.Rat).Quo(a, b) }
func larger(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}
func smaller(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}
func floor(a *big.Rat) *big.Rat {
	q, m := new(big.Int).DivMod(a.Num(), a.Denom(), new(big.Int))
	_ = m
	return new(big.Rat).SetInt(q)
}

func newSlow(t require.TestingT, s limiters.Spec) *slow {
	name, rest, _ := strings.Cut(s.String(), ":")
	m := &slow{name: name, param: map[string]string{}}
	for _, pair := range strings.Split(rest, ",") {
		k, v, _ := strings.Cut(pair, "=")
		m.param[k] = v
	}
	m.count = func(name string) int64 {
		n, err := spec.ParseCount(m.param[name])
		require.NoError(t, err)
		return n
	}
	if text, ok := m.param["window"]; ok {
		d, err := spec.ParseDuration(text)
		require.NoError(t, err)
		m.length = rat(int64(d))
	}
	if text, ok := m.param["rate"]; ok {
		// The number is all before the last slash; the period is behind it.
		slash := strings.LastIndexByte(text, '/')
		number, ok := new(big.Rat).SetString(text[:slash])
		require.True(t, ok, text)
		period := text[slash+1:]
		if strings.IndexAny(period, "0123456789") != 0 {
			period = "1" + period
		}
		d, err := spec.ParseDuration(period)
		require.NoError(t, err)
		m.length = rat(int64(d))
		m.perNs = over(number, m.length)
	}
	return m
}

func (m *slow) capacity() int64 {
	switch m.name {
	case "token-bucket", "gcra":
		return m.count("burst")
	case "leaky-meter":
		return 1
	case "leaky-queue":
		return m.count("queue") + 1
	}
	return m.count("limit")
}

// index is the number of the window or period that t lies in.
func (m *slow) index(t *big.Rat) *big.Rat { return floor(over(t, m.length)) }

// charges is what has been charged in the windows that lie by before t's.
func (m *slow) charges(log []charged, t *big.Rat, by int64) *big.Rat {
	total, k := rat(0), diff(m.index(t), rat(by))
	for _, c := range log {
		if m.index(c.at).Cmp(k) == 0 {
			total = sum(total, rat(c.cost))
		}
	}
	return total
}

// first returns the count of the window that is open at t and its end, with
// windows that open at a charge; nil if none is open.
func (m *slow) first(log []charged, t *big.Rat) (count, end *big.Rat) {
	for _, c := range log {
		if end == nil || c.at.Cmp(end) >= 0 {
			count, end = rat(0), sum(c.at, m.length)
		}
		count = sum(count, rat(c.cost))
	}
	if end == nil || t.Cmp(end) >= 0 {
		return rat(0), nil
	}
	return count, end
}

// tokens is the level at t of a bucket that holds burst.
func (m *slow) tokens(log []charged, t *big.Rat, burst int64) *big.Rat {
	level, last := rat(burst), m.begin
	if _, given := m.param["initial"]; given {
		level = rat(m.count("initial"))
	}
	advance := func(to *big.Rat) {
		dt := diff(to, last)
		if m.param["refill"] == "interval" {
			dt = times(diff(m.index(to), m.index(last)), m.length)
		}
		level, last = smaller(rat(burst), sum(level, times(dt, m.perNs))), to
	}
	for _, c := range log {
		advance(c.at)
		level = diff(level, rat(c.cost))
	}
	advance(t)
	return level
}

// free is the later of t and the next free departure.
func (m *slow) free(log []charged, t *big.Rat) *big.Rat {
	d := m.begin
	for _, c := range log {
		d = sum(larger(d, c.at), over(rat(c.cost), m.perNs))
	}
	return larger(d, t)
}

// admits says whether a request of the cost is admitted at t, after the log.
func (m *slow) admits(log []charged, t *big.Rat, cost int64) bool {
	n := rat(cost)
	if cost > m.capacity() {
		return false
	}
	switch m.name {
	case "fixed-window":
		count := m.charges(log, t, 0)
		if m.param["origin"] == "first" {
			count, _ = m.first(log, t)
		}
		return sum(count, n).Cmp(rat(m.count("limit"))) <= 0
	case "sliding-log":
		total := n
		for _, c := range log {
			if diff(t, c.at).Cmp(m.length) < 0 {
				total = sum(total, rat(c.cost))
			}
		}
		return total.Cmp(rat(m.count("limit"))) <= 0
	case "sliding-counter":
		f := diff(over(t, m.length), m.index(t))
		est := sum(times(m.charges(log, t, 1), diff(rat(1), f)), m.charges(log, t, 0))
		if m.param["rule"] == "below" {
			return diff(sum(est, n), rat(1)).Cmp(rat(m.count("limit"))) < 0
		}
		return sum(est, n).Cmp(rat(m.count("limit"))) <= 0
	case "token-bucket", "gcra", "leaky-meter":
		return m.tokens(log, t, m.capacity()).Cmp(n) >= 0
	case "leaky-queue":
		wait := diff(m.free(log, t), t)
		last := sum(wait, over(rat(cost-1), m.perNs))
		return last.Cmp(over(rat(m.count("queue")), m.perNs)) <= 0
	}
	panic("no slow version of " + m.name)
}

// remains says whether n unit requests are admitted one after another at t.
func (m *slow) remains(log []charged, t *big.Rat, n int64) bool {
	if n > 6 { // too many to count out
		return m.admits(log, t, n)
	}
	log = log[:len(log):len(log)]
	for range n {
		if !m.admits(log, t, 1) {
			return false
		}
		log = append(log, charged{t, 1})
	}
	return true
}

// check gives the model an op and compares the limiter's answer with all that
// the model can say about it.
func (m *slow) check(t *rapid.T, i int, o op, got limiters.Decision) {
	if !m.begun {
		m.begun, m.latest, m.begin = true, o.now, rat(int64(o.now))
	}
	m.latest = max(m.latest, o.now)
	now, at := rat(int64(o.now)), rat(int64(m.latest))
	ceil := func(r *big.Rat) *big.Rat { return new(big.Rat).Neg(floor(new(big.Rat).Neg(r))) }
	is := func(name string, got time.Duration, want *big.Rat) {
		if want.Cmp(rat(int64(limiters.Never))) > 0 {
			want = rat(int64(limiters.Never))
		}
		require.Equal(t, want.RatString(), rat(int64(got)).RatString(), "op %d: %s", i, name)
	}

	cost := o.cost
	if o.charge {
		m.log = append(m.log, charged{at, o.cost})
		cost = 1 // what the limiter was asked afterwards
	}
	admitted := m.admits(m.log, at, cost)
	require.Equal(t, admitted, got.Admitted, "op %d: admitted", i)
	delay := rat(0)
	if m.name == "leaky-queue" && admitted {
		delay = diff(ceil(m.free(m.log, at)), now)
	}
	is("delay", got.Delay, delay)
	if !o.charge && (admitted || m.param["count"] == "all" && cost <= m.capacity()) {
		m.log = append(m.log, charged{at, o.cost})
	}

	require.Equal(t, m.capacity(), got.Limit, "op %d: limit", i)
	require.Equal(t, contract.AllHints, got.Has, "op %d: has", i)
	require.True(t, m.remains(m.log, at, got.Remaining), "op %d: %d remain", i, got.Remaining)
	require.False(t, got.Remaining <= got.Limit && m.remains(m.log, at, got.Remaining+1), "op %d: more than %d remain", i, got.Remaining)

	// first reports the earliest time from the request at which what holds
	// becomes true, by looking there, just before, and in between.
	first := func(name string, d time.Duration, holds func(*big.Rat) bool) {
		end := sum(now, rat(int64(d)))
		if d != limiters.Never {
			require.True(t, holds(end), "op %d: %s %d is too early", i, name, d)
		}
		for range 2 {
			back := rapid.Int64Range(1, max(1, int64(d))).Draw(t, "back")
			for _, b := range []int64{1, back} {
				before := diff(end, rat(b))
				require.False(t, before.Cmp(at) >= 0 && holds(before), "op %d: %s %d is too late by %d", i, name, d, b)
			}
		}
		require.True(t, d == limiters.Never || end.Cmp(at) > 0, "op %d: %s %d does not wait", i, name, d)
	}
	switch {
	case admitted:
		require.Zero(t, got.RetryAfter, "op %d", i)
	case cost > m.capacity():
		require.Equal(t, limiters.Never, got.RetryAfter, "op %d", i)
	default:
		first("retry_after", got.RetryAfter, func(at *big.Rat) bool { return m.admits(m.log, at, cost) })
	}
	switch {
	case m.name == "fixed-window" && m.param["origin"] == "first":
		reset := rat(0)
		if _, end := m.first(m.log, at); end != nil {
			reset = diff(end, now)
		}
		is("reset", got.Reset, reset)
	case m.name == "fixed-window":
		is("reset", got.Reset, diff(times(sum(m.index(at), rat(1)), m.length), now))
	case got.Remaining == got.Limit:
		require.Zero(t, got.Reset, "op %d", i)
	default:
		first("reset", got.Reset, func(at *big.Rat) bool { return m.remains(m.log, at, got.Limit) })
	}
}

// Every answer of every canonical limiter, in every field, is what the slow
// version says: with charges that take a key over its limit, times that go
// back, and parameters and times at the ends of their ranges.
func TestEveryAnswerIsThatOfTheSlowVersion(t *testing.T) {
	for _, name := range limiters.Canonical() {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			checkDrawn(t, name, []regime{tiny, tiny, usual, extreme}, 14, true, func(t *rapid.T, s limiters.Spec, ops []op) {
				if name == "fixed-window" { // the offsets of a jitter are tested apart
					var err error
					s, err = s.With("jitter", "0s")
					require.NoError(t, err)
				}
				l, slows := s.New(1, nil), map[uint32]*slow{}
				for i, o := range ops {
					if slows[o.key] == nil {
						slows[o.key] = newSlow(t, s)
					}
					slows[o.key].check(t, i, o, run(l, o))
				}
			})
		}))
	}
}
