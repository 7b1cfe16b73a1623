package clients

import (
	"math"
	"math/rand/v2"
	"time"

	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "backoff",
			Doc:  "waits longer after every failure, up to a cap; reads no hints",
			Params: []spec.Param{
				{Name: "base", Unit: "duration", Doc: "where the waits start"},
				{Name: "factor", Unit: "count", Default: "2", Doc: "by which each wait grows, >= 1"},
				{Name: "cap", Unit: "duration", Doc: "the longest wait, >= base"},
				{Name: "jitter", Unit: "none|full|equal|decorrelated", Default: "full", Doc: "how chance spreads the waits"},
				{Name: "first", Unit: "base|double", Default: "base", Doc: "the first wait w: base, or base·factor as in code that counts the attempt before it waits"},
			},
			More: "With w(k) = min(cap, base·factor^k), k counted from 0, or from 1 with first=double, the wait after failure k is\n" +
				"  none          w\n" +
				"  full          uniform in [0, w]\n" +
				"  equal         w/2 + uniform in [0, w/2]\n" +
				"  decorrelated  min(cap, uniform in [base, 3·the wait before]), which is base at first; it takes neither factor nor first.\n" +
				"Waits are whole nanoseconds, both ends of a range included. The five of the AWS study of contention have first=double.",
		},
		Examples: []string{
			"backoff:base=1s,cap=30s", "backoff:base=5ms,cap=2s,jitter=none,first=double", "backoff:base=100ms,factor=3,cap=20s,jitter=equal",
			"backoff:base=5ms,cap=2s,jitter=decorrelated,attempts=unlimited", "backoff:base=1s,cap=1m,timeout=5s,budget=ratio/of=all,users=10,think=1s",
		},
		read: readBackoff,
	}, true)
}

func readBackoff(v *spec.Values) policy {
	p := backoff{
		base:   v.Duration("base"),
		factor: v.Count("factor"),
		cap:    v.Duration("cap"),
		jitter: v.Choice("jitter", "none", "full", "equal", "decorrelated"),
	}
	if v.Choice("first", "base", "double") == "double" {
		p.skip = 1
	}
	if p.factor < 1 {
		v.Fail("factor", "must be >= 1, got %s", v.Text("factor"))
	}
	if p.cap < p.base {
		v.Fail("cap", "must be >= base, got %s", v.Text("cap"))
	}
	for _, unread := range []string{"factor", "first"} {
		if p.jitter == "decorrelated" && v.Given(unread) {
			v.Fail(unread, "has no meaning with jitter=decorrelated, got %s", v.Text(unread))
		}
	}
	return p
}

type backoff struct {
	base, cap time.Duration // 0 < base <= cap
	factor    int64         // >= 1
	skip      int64         // powers of the factor before the first wait
	jitter    string
}

func (p backoff) wait(f failure, r *rand.Rand) (time.Duration, bool) {
	if p.jitter == "decorrelated" {
		before := max(p.base, f.waited)
		most := time.Duration(math.MaxInt64)
		if before <= most/3 {
			most = 3 * before
		}
		return min(p.cap, p.base+upTo(most-p.base, r)), true
	}
	w := p.width(f.attempt - 1 + p.skip)
	switch p.jitter {
	case "full":
		w = upTo(w, r)
	case "equal":
		w = w/2 + upTo(w-w/2, r)
	}
	return w, true
}

// width returns min(cap, base·factor^power).
func (p backoff) width(power int64) time.Duration {
	w := p.base
	for range power {
		if w > p.cap/time.Duration(p.factor) {
			return p.cap
		}
		if p.factor == 1 {
			return w
		}
		w *= time.Duration(p.factor)
	}
	return w
}
