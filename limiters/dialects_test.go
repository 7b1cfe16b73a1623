package limiters_test

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// dialectSpecs are the parameters that the properties are tried with: what the
// corpus has, fast and slow rates, limits of 0 and 1, windows that are not
// whole seconds.
var dialectSpecs = map[string][]string{
	"bucket4j":         {"rate=10/s,burst=5", "rate=3/s,burst=1", "rate=10/13s,burst=20", "rate=7/s,burst=3"},
	"envoy-local":      {"rate=10/s,burst=5", "rate=3/s,burst=1", "rate=10/13s,burst=20"},
	"envoy-ratelimit":  {"limit=5,unit=second", "limit=10,unit=minute", "limit=3,unit=hour"},
	"go-limiter":       {"limit=5,window=1s", "limit=10,window=50ns", "limit=100,window=50ns", "limit=1,window=300ms", "limit=7,window=1m"},
	"gubernator-leaky": {"limit=3,duration=1s", "limit=10,duration=1m,burst=20", "limit=7,duration=2500ms", "limit=1,duration=100ms"},
	"gubernator-token": {"limit=3,duration=1s", "limit=10,duration=1m", "limit=1,duration=250ms"},
	"haproxy":          {"limit=5,period=1s", "limit=10,period=10s", "limit=1,period=250ms"},
	"httprate":         {"limit=10,window=60s", "limit=1,window=10s", "limit=7,window=1s", "limit=3,window=1500ms", "limit=0,window=1s"},
	"kong":             {"limit=5,window=second", "limit=10,window=minute", "limit=2,window=hour"},
	"nginx":            {"rate=1r/s,burst=3,nodelay", "rate=7r/m,burst=5", "rate=10r/s,burst=5,delay=2", "rate=2000r/s", "rate=3r/s"},
	"redis-cell":       {"rate=3/s,burst=0", "rate=7/s,burst=4", "rate=10/13s,burst=2", "rate=1000/s,burst=10"},
	"redis-rate":       {"rate=20/s,burst=1", "rate=3/s,burst=5", "rate=50/s,burst=10", "rate=10/13s,burst=2"},
	"resilience4j":     {"limit=5,period=1s,timeout=0s", "limit=2,period=1s", "limit=10,period=500ms,timeout=250ms"},
	"throttled":        {"rate=3/s,burst=0", "rate=7/s,burst=4", "rate=10/13s,burst=2", "rate=1000000000/s,burst=3", "rate=1/d,burst=106751"},
	"uber":             {"rate=10/s", "rate=3/s,slack=0", "rate=1/s,slack=2", "rate=2000000000/s"},
	"ulule":            {"limit=2,window=1s", "limit=5,window=1m", "limit=3,window=10s", "limit=1,window=1ms"},
	"upstash-sliding":  {"limit=10,window=10s", "limit=1,window=1s", "limit=5,window=2500ms"},
	"x-time-rate":      {"rate=3/s,burst=1", "rate=10/13s,burst=5", "rate=100/m,burst=20", "rate=0,burst=2", "rate=inf,burst=0", "rate=1000/d,burst=1000"},
}

// extremeDialectSpecs reach for the ends of what can be written.
var extremeDialectSpecs = map[string][]string{
	"bucket4j":         {"rate=1/1ns,burst=9007199254740991", "rate=1/9007199254740991ns,burst=9007199254740991"},
	"envoy-local":      {"rate=9007199254740991/1ns,burst=4294967295", "rate=1/9007199254740991ns,burst=1"},
	"envoy-ratelimit":  {"limit=4294967295,unit=day"},
	"go-limiter":       {"limit=9007199254740991,window=106751d", "limit=9007199254740991,window=1ns", "limit=0,window=1ns"},
	"gubernator-leaky": {"limit=9007199254740991,duration=106751d", "limit=1,duration=106751d,burst=9007199254740991", "limit=9007199254740991,duration=1ms"},
	"gubernator-token": {"limit=9007199254740991,duration=106751d", "limit=0,duration=1ms"},
	"haproxy":          {"limit=9007199254740991,period=24d", "limit=0,period=1ms"},
	"httprate":         {"limit=9007199254740991,window=106751d", "limit=0,window=1ns"},
	"kong":             {"limit=9007199254740991,window=day"},
	"nginx":            {"rate=9007199254740991r/s,burst=9007199254740991,delay=9007199254740991", "rate=1r/m,burst=9007199254740991"},
	"redis-cell":       {"rate=1/9007199254740991ns,burst=9007199254740991", "rate=1000000000/s,burst=0"},
	"redis-rate":       {"rate=1/9007199254740991ns,burst=9007199254740991", "rate=9007199254740991/1ns,burst=0"},
	"resilience4j":     {"limit=2147483647,period=106751d,timeout=106751d", "limit=1,period=1ns,timeout=106751d"},
	"throttled":        {"rate=1/9007199254740991ns,burst=9007199254740991", "rate=1000000000/s,burst=0"},
	"uber":             {"rate=1/9007199254740991ns,slack=9007199254740991", "rate=9007199254740991/1ns,slack=0"},
	"ulule":            {"limit=9007199254740991,window=106751d", "limit=0,window=1ns"},
	"upstash-sliding":  {"limit=9007199254740991,window=106751d", "limit=0,window=1ms"},
	"x-time-rate":      {"rate=9007199254740991/1ns,burst=9007199254740991", "rate=1/9007199254740991ns,burst=9007199254740991"},
}

// keysMeet names the programs whose keys are not quite apart when the clock
// goes back: all keys have one pair of windows (httprate) or one clock that
// does not go back (haproxy, resilience4j).
var keysMeet = map[string]bool{"haproxy": true, "httprate": true, "resilience4j": true}

func specsOf(t require.TestingT, name string) []limiters.Spec {
	texts := dialectSpecs[name]
	require.NotEmpty(t, texts, "dialectSpecs has nothing of %s", name)
	var specs []limiters.Spec
	for _, text := range texts {
		specs = append(specs, parse(t, name+":"+text))
	}
	return specs
}

// given writes a decision as decide does: a hint that is not given is empty.
func given(d limiters.Decision) map[string]string {
	c := columns(d)
	for name, hint := range map[string]contract.Hints{
		"retry_after": contract.HintRetryAfter, "limit": contract.HintLimit,
		"remaining": contract.HintRemaining, "reset": contract.HintReset,
	} {
		if d.Has&hint == 0 {
			c[name] = ""
		}
	}
	return c
}

func isDialect(s string) bool {
	name, _, _ := strings.Cut(s, ":")
	_, ok := limiters.DialectOf(name)
	return ok
}

func TestDialectsAnswerTheCorpusRowByRow(t *testing.T) {
	ran := map[string]int{}
	for _, name := range limiters.Dialects() {
		files, err := filepath.Glob("testdata/dialects/" + name + "-[1-9].csv")
		require.NoError(t, err)
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".csv"), func(t *testing.T) {
				ran[name]++
				f, err := os.Open(file)
				require.NoError(t, err)
				defer f.Close()
				in := bufio.NewReader(f)
				first, err := in.ReadString('\n')
				require.NoError(t, err)
				s := parse(t, strings.TrimPrefix(strings.TrimSpace(first), "# limiter: "))
				require.Equal(t, name, s.Name())
				l, asked, keys := s.New(1, nil), s.New(1, nil), interner{}
				r := csv.NewReader(in)
				header, err := r.Read()
				require.NoError(t, err)
				require.Equal(t, []string{"t", "key", "cost"}, header[:3])
				for line := 3; ; line++ {
					row, err := r.Read()
					if err == io.EOF {
						require.Greater(t, line, 300)
						break
					}
					require.NoError(t, err)
					cost, err := strconv.ParseInt(row[2], 10, 64)
					require.NoError(t, err)
					now, key := seconds(t, row[0]), keys.key(row[1])
					got := given(l.Take(now, key, cost))
					for i, column := range header[3:] {
						require.Equal(t, row[3+i], got[column], "%s, line %d: %s at %v", s, line, column, row[:3])
					}
					ask := asked.Ask(now, key, cost)
					asked.Admit(now, key, cost)
					require.Equal(t, row[3], strconv.FormatBool(ask.Admitted), "%s, line %d: asked at %v", s, line, row[:3])
				}
			})
		}
	}
	for _, name := range limiters.Dialects() {
		if name != "redis-cell" && name != "envoy-local" { // which have none
			assert.Equal(t, 3, ran[name], "corpus files of %s", name)
		}
	}
}

func TestDialectsAnswerTheDecideCases(t *testing.T) {
	ran := 0
	for _, c := range decideCases(t) {
		if !isDialect(c.Limiter) {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			if c.Expect == nil {
				s, err := limiters.Parse(c.Limiter)
				if strings.HasPrefix(c.ID, "inp-") { // the input is at fault, not the spec
					require.NoError(t, err)
					require.True(t, s.UnitCost(), c.Why)
					return
				}
				require.Error(t, err)
				require.Contains(t, strings.ToLower(err.Error()), strings.ToLower(c.Error))
				return
			}
			s := parse(t, c.Limiter)
			l, keys := s.New(1, nil), interner{}
			for i, raw := range c.Arrivals {
				var at, key string
				var cost int64
				require.NoError(t, json.Unmarshal(raw, &[]any{&at, &key, &cost}))
				got := given(l.Take(seconds(t, at), keys.key(key), cost))
				for column, want := range c.Expect {
					if want[i] != nil {
						require.Equal(t, fmt.Sprint(want[i]), got[column], "%s, arrival %d: %s\n%s", s, i, column, c.Why)
					}
				}
			}
		})
	}
	assert.Equal(t, 45, ran, "cases with one dialect")
}

// Several limits of nginx are layers: looked up one after another, charged
// only if none refuses; the longest delay counts.
func TestNginxWithTwoLimitsChargesOnlyWhatAllAdmit(t *testing.T) {
	f, err := os.Open("testdata/dialects/layers-nginx-1.csv")
	require.NoError(t, err)
	defer f.Close()
	in := bufio.NewReader(f)
	first, err := in.ReadString('\n')
	require.NoError(t, err)
	parts := strings.Split(strings.TrimPrefix(strings.TrimSpace(first), "# layers: "), "; ")
	require.Equal(t, "charge=admitted", parts[2])
	global := parse(t, strings.TrimPrefix(parts[0], "global=")).New(1, nil)
	user := parse(t, strings.TrimPrefix(parts[1], "user=")).New(1, nil)
	r := csv.NewReader(in)
	_, err = r.Read()
	require.NoError(t, err)
	users := interner{}
	rows, err := r.ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(rows), 300)
	for i, row := range rows {
		now, key := seconds(t, row[0]), users.key(row[1])
		g, u := global.Ask(now, 0, 1), user.Ask(now, key, 1)
		admitted, delay := g.Admitted && u.Admitted, time.Duration(0)
		if admitted {
			delay = max(g.Delay, u.Delay)
			global.Charge(now, 0, 1)
			user.Charge(now, key, 1)
		}
		require.Equal(t, row[3:5], []string{strconv.FormatBool(admitted), show(delay)}, "row %d: %v", i, row)
	}
}

func TestBadParametersOfDialectsAreRefused(t *testing.T) {
	for text, word := range map[string]string{
		"x-time-rate:rate=-1/s,burst=1":          "rate",
		"x-time-rate:rate=0/x,burst=1":           "rate",
		"x-time-rate:rate=inf":                   "needs burst",
		"nginx:rate=10/s":                        "rate must be <number>r/s",
		"nginx:rate=r/s":                         "rate must be <number>r/s",
		"nginx:rate=0r/s":                        "rate must be > 0",
		"nginx:rate=1.5r/s":                      "rate must be a whole number",
		"nginx:rate=9007199254740992r/s":         "rate must lie below 2^53",
		"nginx:rate=1r/s,delay=1,nodelay":        "delay and nodelay exclude each other",
		"throttled:rate=2000000000/s,burst=1":    "rate must be at most 1000000000/s",
		"redis-cell:rate=2000000000/s,burst=1":   "rate must be at most 1000000000/s",
		"throttled:rate=0/s,burst=1":             "rate",
		"redis-rate:rate=0/s,burst=1":            "rate must be > 0",
		"uber:rate=0/s":                          "rate must be > 0",
		"uber:rate=1/s,slack=-1":                 "slack",
		"httprate:limit=1,window=0s":             "window must be > 0",
		"ulule:limit=-1,window=1s":               "limit",
		"envoy-local:rate=1/s,burst=0":           "burst must be > 0",
		"envoy-local:rate=1/s,burst=4294967296":  "burst must be > 0 and below 2^32",
		"envoy-local:rate=1/s,burst=1,window=1s": "no parameter",
	} {
		_, err := limiters.Parse(text)
		if assert.Error(t, err, text) {
			assert.Contains(t, err.Error(), word, text)
		}
	}
}

func TestEveryDialectSaysWhatItFollows(t *testing.T) {
	for _, e := range limiters.Entries() {
		d, ok := limiters.DialectOf(e.Name)
		if !ok {
			continue
		}
		assert.NotEmpty(t, d.Program, e.Name)
		assert.NotEmpty(t, d.Version, e.Name)
		assert.Contains(t, e.Doc, d.Version, e.Name)
		assert.Contains(t, e.Doc, d.Program, e.Name)
		if d.Proven {
			assert.Contains(t, e.Doc, "run beside it", e.Name)
		} else {
			assert.Contains(t, e.Doc, "read, not run", e.Name)
		}
		assert.NotEmpty(t, e.More, e.Name)
	}
	assert.NotContains(t, limiters.Canonical(), "nginx")
	assert.Subset(t, names(dialectSpecs), limiters.Dialects())
	assert.Subset(t, names(extremeDialectSpecs), limiters.Dialects())
	_, ok := limiters.DialectOf("gcra")
	assert.False(t, ok)
}

func names(m map[string][]string) (list []string) {
	for name := range m {
		list = append(list, name)
	}
	return list
}

// drawDialectOps draws requests around a time of today: bunched, on the
// instants that the program's own hints name and beside them, on whole
// milliseconds and seconds, after rests, and, if asked for, going back.
func drawDialectOps(t *rapid.T, s limiters.Spec, most int, back bool) []op {
	scout := s.New(1, nil)
	now := 1700000000*time.Second + time.Duration(rapid.Int64Range(0, 3e9).Draw(t, "start"))
	kinds := []string{"same", "same", "step", "step", "retry", "reset", "whole", "rest"}
	if back {
		kinds = append(kinds, "back")
	}
	unit := rapid.SampledFrom([]time.Duration{7, time.Microsecond, time.Millisecond, 50 * time.Millisecond, time.Second}).Draw(t, "unit")
	var ops []op
	var last limiters.Decision
	forward := func(d time.Duration) {
		if d >= 0 && d < 1000*time.Hour {
			now += d
		}
	}
	for range rapid.IntRange(1, most).Draw(t, "requests") {
		switch rapid.SampledFrom(kinds).Draw(t, "time") {
		case "step":
			forward(time.Duration(rapid.Int64Range(0, 20).Draw(t, "step")) * unit)
		case "retry":
			forward(last.RetryAfter + time.Duration(rapid.IntRange(-1, 1).Draw(t, "beside")))
		case "reset":
			forward(last.Reset + time.Duration(rapid.IntRange(-1, 1).Draw(t, "beside")))
		case "whole":
			grid := rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, time.Minute}).Draw(t, "grid")
			forward((now/grid+1)*grid - now)
		case "rest":
			forward(time.Duration(rapid.Int64Range(1, 200).Draw(t, "rest")) * time.Second)
		case "back":
			now -= time.Duration(rapid.Int64Range(1, 90000).Draw(t, "back")) * rapid.SampledFrom([]time.Duration{1, time.Millisecond}).Draw(t, "back unit")
		}
		o := op{now: now, key: uint32(rapid.SampledFrom([]int{0, 0, 0, 1, 7000}).Draw(t, "key")), cost: 1}
		if !s.UnitCost() && rapid.IntRange(0, 3).Draw(t, "more") == 0 {
			o.cost = rapid.Int64Range(1, 2+min(s.Capacity(), 50)).Draw(t, "cost")
		}
		ops = append(ops, o)
		last = run(scout, o)
	}
	t.Logf("%s", s)
	for i, o := range ops {
		t.Logf("%2d %s", i, o)
	}
	return ops
}

// TestDialectProperties holds every dialect to what all limiters promise.
func TestDialectProperties(t *testing.T) {
	properties := []struct {
		name  string
		back  func(name string) bool // whether times may go back
		holds func(t *rapid.T, s limiters.Spec, ops []op)
	}{
		{"admit decides and charges as take", always, admitIsTake},
		{"ask spends nothing", always, dialectAskSpendsNothing},
		{"what is admitted is ask, then charge", always, dialectTakeIsAskThenCharge},
		{"only what the program gives is filled", always, dialectHintsAreGiven},
		{"keys do not know of each other", keysApart, keysAreIndependent},
		{"a forgotten key is new", keysApart, dialectForgottenIsNew},
	}
	for _, name := range limiters.Dialects() {
		specs := specsOf(t, name)
		t.Run(name, func(t *testing.T) {
			for _, p := range properties {
				t.Run(p.name, rapid.MakeCheck(func(t *rapid.T) {
					s := rapid.SampledFrom(specs).Draw(t, "spec")
					p.holds(t, s, drawDialectOps(t, s, 15, p.back(name)))
				}))
			}
		})
	}
}

func always(string) bool         { return true }
func keysApart(name string) bool { return !keysMeet[name] }

func dialectAskSpendsNothing(t *rapid.T, s limiters.Spec, ops []op) {
	a, b := s.New(1, nil), s.New(1, nil)
	for i, o := range ops {
		for range rapid.IntRange(0, 2).Draw(t, "asks") {
			at := o.now + time.Duration(rapid.Int64Range(-2e9, 0).Draw(t, "before"))
			cost := int64(1)
			if !s.UnitCost() {
				cost = rapid.Int64Range(1, 60).Draw(t, "asked")
			}
			first := b.Ask(at, o.key, cost)
			require.Equal(t, first, b.Ask(at, o.key, cost), "op %d: asked twice", i)
		}
		require.Equal(t, run(a, o), run(b, o), "op %d", i)
	}
}

// A forgotten key answers as if it had never come, from then on.
func dialectForgottenIsNew(t *rapid.T, s limiters.Spec, ops []op) {
	l, fresh := replay(s, ops), s.New(1, nil)
	keys, known := map[uint32]bool{}, l.Keys()
	for _, o := range ops {
		keys[o.key] = true
	}
	require.Equal(t, len(keys), known)
	gone := ops[0].key
	l.Forget(gone)
	l.Forget(gone)
	l.Forget(12345) // nobody
	require.Equal(t, known-1, l.Keys())
	later := ops[len(ops)-1].now - ops[0].now + time.Duration(rapid.Int64Range(0, 5e9).Draw(t, "later"))
	for i, o := range ops {
		if o.now += later; o.key == gone {
			require.Equal(t, run(fresh, o), run(l, o), "op %d, again at %d", i, o.now)
		}
	}
	require.Equal(t, known, l.Keys())
}

// Layers and coordinations ask first and charge later; for them to decide as
// the program does, the two together must be what it does when it admits.
func dialectTakeIsAskThenCharge(t *rapid.T, s limiters.Spec, ops []op) {
	a, b := s.New(1, nil), s.New(1, nil)
	for i, o := range ops {
		take, ask := a.Take(o.now, o.key, o.cost), b.Ask(o.now, o.key, o.cost)
		require.Equal(t, take.Admitted, ask.Admitted, "op %d", i)
		require.Equal(t, take.Delay, ask.Delay, "op %d", i)
		if ask.Admitted {
			b.Charge(o.now, o.key, o.cost)
		} else {
			require.Equal(t, take, b.Take(o.now, o.key, o.cost), "op %d", i)
		}
		require.Equal(t, a.Ask(o.now, o.key, 1), b.Ask(o.now, o.key, 1), "op %d: the state afterwards", i)
	}
}

func dialectHintsAreGiven(t *rapid.T, s limiters.Spec, ops []op) {
	l := s.New(1, nil)
	var has contract.Hints
	for i, o := range ops {
		d := l.Take(o.now, o.key, o.cost)
		if i == 0 {
			has = d.Has
		}
		require.Equal(t, has, d.Has, "op %d: the program gives a hint or it does not", i)
		require.Equal(t, has, l.Ask(o.now, o.key, o.cost).Has, "op %d", i)
		if d.Admitted {
			require.Zero(t, d.RetryAfter, "op %d", i)
			require.GreaterOrEqual(t, d.Delay, time.Duration(0), "op %d", i)
		} else {
			require.Zero(t, d.Delay, "op %d", i)
			if has&contract.HintRetryAfter != 0 {
				require.GreaterOrEqual(t, d.RetryAfter, time.Duration(0), "op %d", i)
			}
		}
		for hint, filled := range map[contract.Hints]bool{
			contract.HintRetryAfter: d.RetryAfter != 0, contract.HintLimit: d.Limit != 0,
			contract.HintRemaining: d.Remaining != 0, contract.HintReset: d.Reset != 0,
		} {
			require.False(t, filled && has&hint == 0, "op %d: hint %b is filled and not given", i, hint)
		}
	}
}

// Whatever the numbers, nothing panics, and Admit decides as Take.
func TestNoNumberMakesADialectPanic(t *testing.T) {
	edge := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, 1e9, 1.7e18, math.MaxInt64 - 1, math.MaxInt64}
	for _, name := range limiters.Dialects() {
		specs := specsOf(t, name)
		for _, text := range extremeDialectSpecs[name] {
			specs = append(specs, parse(t, name+":"+text))
		}
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			s := rapid.SampledFrom(specs).Draw(t, "spec")
			a, b := s.New(1, nil), s.New(1, nil)
			for range rapid.IntRange(1, 40).Draw(t, "requests") {
				now := time.Duration(rapid.OneOf(rapid.Int64(), rapid.SampledFrom(edge)).Draw(t, "now"))
				cost := rapid.OneOf(rapid.Int64Min(1), rapid.SampledFrom([]int64{1, 2, 1 << 53, math.MaxInt64})).Draw(t, "cost")
				if s.UnitCost() {
					cost = 1
				}
				a.Ask(now, 0, cost)
				if rapid.IntRange(0, 4).Draw(t, "verb") == 0 {
					cost = rapid.OneOf(rapid.Int64Min(1), rapid.Just(int64(1))).Draw(t, "charged")
					a.Charge(now, 0, cost)
					b.Charge(now, 0, cost)
					continue
				}
				d := a.Take(now, 0, cost)
				admitted, delay := b.Admit(now, 0, cost)
				require.Equal(t, d.Admitted, admitted)
				require.Equal(t, d.Delay, delay)
				require.GreaterOrEqual(t, delay, time.Duration(0))
			}
			s.Promise(time.Hour)
			a.Forget(0)
			require.Zero(t, a.Keys())
		}))
	}
}

func TestNoDecisionOfADialectAllocates(t *testing.T) {
	for _, name := range limiters.Dialects() {
		for _, s := range specsOf(t, name) {
			l := s.New(1, nil)
			now := 1700000000 * time.Second
			round := func() {
				for key := range uint32(20) {
					l.Take(now, key*997, 1) // some in the slab, some far beyond
					l.Admit(now, key*997, 1)
					l.Ask(now, key*997, 1)
					l.Charge(now, key*997, 1)
					now += 11 * time.Millisecond
				}
			}
			for range 50 {
				round()
			}
			assert.Zero(t, testing.AllocsPerRun(50, round), "%s", s)
		}
	}
}

func TestSpecsOfDialectsAreWrittenAsTheyAreRead(t *testing.T) {
	for _, name := range limiters.Dialects() {
		for _, table := range []map[string][]string{dialectSpecs, extremeDialectSpecs} {
			for _, params := range table[name] {
				s := parse(t, name+":"+params)
				assert.Equal(t, name+":"+params, s.String())
				again := parse(t, s.String())
				assert.Equal(t, s.String(), again.String())
				assert.Equal(t, s.Capacity(), again.Capacity())
				_, err := s.Scale(1, 2, 0)
				assert.ErrorContains(t, err, "share", "%s", s)
			}
		}
	}
}

// misled says how a client that trusts a dialect's hints is refused again.
type misled struct {
	spec  limiters.Spec
	ops   []op
	wait  time.Duration
	again limiters.Decision
}

func (m misled) String() string {
	return fmt.Sprintf("%s: after %v, waiting %v, refused again: %+v", m.spec, m.ops, m.wait, m.again)
}

// hintedWait is what a refused client waits: retry_after, or else until reset;
// false if it is told neither, or never.
func hintedWait(d limiters.Decision) (time.Duration, bool) {
	switch {
	case d.Admitted:
		return 0, false
	case d.Has&contract.HintRetryAfter != 0:
		return d.RetryAfter, d.RetryAfter != limiters.Never
	case d.Has&contract.HintReset != 0:
		return max(0, d.Reset), d.Reset != limiters.Never
	}
	return 0, false
}

// findMisled looks for a client that is refused, waits as it is told while
// nobody else comes, and is refused again: in short histories of one key whose
// clock never goes back.
func findMisled(s limiters.Spec, tries int) (misled, bool) {
	r := rand.New(rand.NewPCG(1, uint64(len(s.String()))))
	steps := []time.Duration{0, 0, 1, 333333, time.Millisecond, 10 * time.Millisecond, 99999999, 333333334, time.Second, 2500 * time.Millisecond, 20 * time.Second}
	for range tries {
		var ops []op
		now := 1700000000*time.Second + time.Duration(r.Int64N(3e9))
		l := s.New(1, nil)
		for range 14 {
			now += time.Duration(r.Int64N(3)) * steps[r.IntN(len(steps))]
			o := op{now: now, cost: 1}
			if !s.UnitCost() && r.IntN(4) == 0 {
				o.cost = r.Int64N(max(1, s.Capacity())) + 1 + r.Int64N(2)
			}
			ops = append(ops, o)
			d := run(l, o)
			wait, told := hintedWait(d)
			if !told {
				continue
			}
			again := replay(s, ops).Take(now+wait, 0, o.cost)
			if !again.Admitted {
				return misled{s, ops, wait, again}, true
			}
		}
	}
	return misled{}, false
}

// Misleads is filled exactly where a counterexample is found. This is the list
// of those whose hints mislead.
func TestTheDialectsWhoseHintsMislead(t *testing.T) {
	for _, name := range limiters.Dialects() {
		d, _ := limiters.DialectOf(name)
		found := false
		for _, s := range specsOf(t, name) {
			if m, ok := findMisled(s, 300); ok {
				found = true
				if d.Misleads == "" {
					t.Errorf("%s says that its hints do not mislead; %s", name, m)
				}
				break
			}
		}
		if !found && d.Misleads != "" {
			t.Errorf("%s says %q, and nobody is refused who waits as told", name, d.Misleads)
		}
	}
}
