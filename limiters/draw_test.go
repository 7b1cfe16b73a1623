package limiters_test

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/spec"
	"ratelab/limiters"
)

// regime says in what range parameters and times are drawn. In tiny, windows
// and intervals last a few nanoseconds, so that every edge is met; extreme
// reaches the ends of what can be written.
type regime string

const (
	tiny    regime = "tiny"
	usual   regime = "usual"
	extreme regime = "extreme"
)

func drawDuration(t *rapid.T, r regime) time.Duration {
	switch r {
	case tiny:
		return time.Duration(rapid.IntRange(1, 12).Draw(t, "ns"))
	case usual:
		return rapid.SampledFrom([]time.Duration{
			250 * time.Millisecond, time.Second, 7 * time.Second, time.Minute, 90 * time.Second, time.Hour, 24 * time.Hour,
		}).Draw(t, "duration")
	}
	return time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "ns"))
}

func drawCount(t *rapid.T, r regime) int64 {
	return rapid.Int64Range(0, map[regime]int64{tiny: 5, usual: 12, extreme: spec.MaxCount}[r]).Draw(t, "count")
}

func drawRate(t *rapid.T, r regime) string {
	switch r {
	case tiny:
		return fmt.Sprintf("%d/%dns", rapid.IntRange(1, 5).Draw(t, "N"), rapid.IntRange(1, 12).Draw(t, "P"))
	case usual:
		return rapid.SampledFrom([]string{"1/s", "3/s", "10/13s", "7/s", "0.5/s", "100/m", "2.5/1m30s", "1000/d", "1/h", "2000000000/s"}).Draw(t, "rate")
	}
	return fmt.Sprintf("%d/%dns", rapid.Int64Range(1, spec.MaxCount).Draw(t, "N"), rapid.Int64Range(1, spec.MaxCount).Draw(t, "P"))
}

func drawValue(t *rapid.T, p spec.Param, r regime) string {
	switch {
	case p.Unit == "requests":
		return fmt.Sprint(drawCount(t, r))
	case p.Unit == "duration":
		return fmt.Sprintf("%dns", drawDuration(t, r))
	case p.Unit == "rate":
		return drawRate(t, r)
	case strings.Contains(p.Unit, "|"):
		return rapid.SampledFrom(strings.Split(p.Unit, "|")).Draw(t, p.Name)
	}
	t.Fatalf("parameter %s has the unknown unit %q", p.Name, p.Unit)
	return ""
}

// drawSpec draws a spec of the named limiter from the units that its
// parameters declare. Optional parameters that do not fit the others are left
// out again.
func drawSpec(t *rapid.T, name string, r regime) limiters.Spec {
	var entry spec.Entry
	for _, e := range limiters.Entries() {
		if e.Name == name {
			entry = e
		}
	}
	var needed, optional []string
	for _, p := range entry.Params {
		if p.Default == "" {
			needed = append(needed, p.Name+"="+drawValue(t, p, r))
		} else if rapid.Bool().Draw(t, p.Name+" given") {
			optional = append(optional, p.Name+"="+drawValue(t, p, r))
		}
	}
	for {
		s, err := limiters.Parse(name + ":" + strings.Join(append(needed, optional...), ","))
		if err == nil {
			return s
		}
		if len(optional) == 0 {
			t.Fatalf("no spec of %s can be drawn: %v", name, err)
		}
		optional = optional[:len(optional)-1]
	}
}

// op is a request, or a charge without one.
type op struct {
	now    time.Duration
	key    uint32
	cost   int64
	charge bool
}

func (o op) String() string {
	verb := "take"
	if o.charge {
		verb = "charge"
	}
	return fmt.Sprintf("%s %d at %d key %d", verb, o.cost, int64(o.now), o.key)
}

// add adds with saturation.
func add(a, b time.Duration) time.Duration {
	switch c := a + b; {
	case b > 0 && c < a:
		return math.MaxInt64
	case b < 0 && c > a:
		return math.MinInt64
	default:
		return c
	}
}

// drawOps draws requests of a few keys that look for trouble: times on the
// instants that the limiter's own hints name and 1 ns beside them, repeated,
// going back, after long rests; costs around the capacity.
func drawOps(t *rapid.T, s limiters.Spec, r regime, most int, charges bool) []op {
	scout := s.New(1, nil)
	unit := map[regime]time.Duration{tiny: 1, usual: 50 * time.Millisecond, extreme: 1 << 50}[r]
	now := time.Duration(rapid.Int64Range(-20, 20).Draw(t, "start")) * unit
	if r == extreme {
		now = time.Duration(rapid.Int64().Draw(t, "start"))
	}
	var ops []op
	var last limiters.Decision
	for range rapid.IntRange(1, most).Draw(t, "requests") {
		switch rapid.SampledFrom([]string{"same", "same", "step", "step", "retry", "reset", "back", "rest"}).Draw(t, "time") {
		case "step":
			now = add(now, time.Duration(rapid.Int64Range(0, 5).Draw(t, "step"))*unit)
		case "retry":
			if last.RetryAfter != limiters.Never {
				now = add(now, last.RetryAfter+time.Duration(rapid.IntRange(-1, 1).Draw(t, "beside")))
			}
		case "reset":
			if last.Reset != limiters.Never {
				now = add(now, last.Reset+time.Duration(rapid.IntRange(-1, 1).Draw(t, "beside")))
			}
		case "back":
			now = add(now, -time.Duration(rapid.Int64Range(1, 15).Draw(t, "back"))*unit)
		case "rest":
			now = add(now, time.Duration(rapid.Int64Range(10, 60).Draw(t, "rest"))*unit)
			if r == extreme {
				now = time.Duration(rapid.Int64().Draw(t, "now"))
			}
		}
		o := op{now: now, key: uint32(rapid.SampledFrom([]int{0, 0, 0, 1, 7000}).Draw(t, "key")), cost: 1}
		switch rapid.SampledFrom([]string{"one", "one", "few", "whole", "above"}).Draw(t, "cost") {
		case "few":
			o.cost = rapid.Int64Range(1, 1+min(s.Capacity(), 4)).Draw(t, "few")
			if r == extreme {
				o.cost = rapid.Int64Range(1, max(1, s.Capacity())).Draw(t, "many")
			}
		case "whole":
			o.cost = max(1, s.Capacity())
		case "above":
			o.cost = s.Capacity() + 1
		}
		if charges && rapid.IntRange(0, 7).Draw(t, "charge") == 0 {
			o.charge = true
			if r == extreme && rapid.Bool().Draw(t, "any cost") {
				o.cost = rapid.Int64Range(1, 1<<58).Draw(t, "charged") // counts are cut only at 2⁶²
			}
		}
		ops = append(ops, o)
		last = run(scout, o)
	}
	return ops
}

// run gives an op to a limiter and returns its answer; a charge answers what
// the key would be told now.
func run(l limiters.Limiter, o op) limiters.Decision {
	if o.charge {
		l.Charge(o.now, o.key, o.cost)
		return l.Ask(o.now, o.key, 1)
	}
	return l.Take(o.now, o.key, o.cost)
}

// replay makes a limiter that has been given the ops.
func replay(s limiters.Spec, ops []op) limiters.Limiter {
	l := s.New(1, nil)
	for _, o := range ops {
		run(l, o)
	}
	return l
}

// checkDrawn runs a property for every canonical limiter, over specs and
// requests drawn in the given regimes.
func checkDrawn(t *rapid.T, name string, regimes []regime, most int, charges bool, property func(t *rapid.T, s limiters.Spec, ops []op)) {
	r := rapid.SampledFrom(regimes).Draw(t, "regime")
	s := drawSpec(t, name, r)
	ops := drawOps(t, s, r, most, charges)
	t.Logf("%s", s)
	for i, o := range ops {
		t.Logf("%2d %s", i, o)
	}
	property(t, s, ops)
}

func parse(t require.TestingT, text string) limiters.Spec {
	s, err := limiters.Parse(text)
	require.NoError(t, err)
	return s
}
