package workloads

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/internal/random"
)

// The conformance suite: what every registered arrival process promises, tried
// on each of its examples.

const someArrivals = 3000

// recorded is a workload that plays a list of arrivals.
type recorded struct {
	list []Arrival
	next int
}

func (r *recorded) Next() (Arrival, bool) {
	if r.next == len(r.list) {
		return Arrival{}, false
	}
	r.next++
	return r.list[r.next-1], true
}

// openAny opens any name: arrivals of three keys and unequal costs, one second
// after another from a date in 2024 on, two at each instant.
func openAny(string) (Workload, error) {
	r := &recorded{}
	for i := range 2 * someArrivals {
		at := 19_800*day + 13*time.Hour + time.Duration(i/2)*time.Second
		r.list = append(r.list, Arrival{At: at, Key: uint32(i % 3), IP: 1, Endpoint: 2, Cost: int64(1 + i%2)})
	}
	return r, nil
}

// testEnv draws from the streams of a replication and notes their purposes.
func testEnv(seed uint64, rep int, purposes *[]string) Env {
	streams := Streams(seed, rep, "")
	return Env{
		Open: openAny,
		Stream: func(purpose string) *rand.Rand {
			if purposes != nil {
				*purposes = append(*purposes, purpose)
			}
			return streams(purpose)
		},
	}
}

// read returns the first n arrivals, fewer if w ends.
func read(w Workload, n int) []Arrival {
	list := []Arrival{}
	for len(list) < n {
		a, ok := w.Next()
		if !ok {
			break
		}
		list = append(list, a)
	}
	return list
}

// around shows the arrivals about index i, for a failure.
func around(list []Arrival, i int) string {
	var b strings.Builder
	for k := max(0, i-3); k < min(len(list), i+4); k++ {
		mark := "  "
		if k == i {
			mark = "> "
		}
		fmt.Fprintf(&b, "\n%s%d: %v key %d cost %d", mark, k, list[k].At, list[k].Key, list[k].Cost)
	}
	return b.String()
}

// differAt returns the first index at which two lists differ, or -1.
func differAt(a, b []Arrival) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

func mustNew(t testing.TB, text string, env Env) Workload {
	t.Helper()
	s, err := Parse(text)
	require.NoError(t, err)
	w, err := s.New(env)
	require.NoError(t, err)
	return &followed{s.InOrder(w), t, text}
}

// followed fails a test at the first arrival out of order, so that no test waits
// for a time that never comes.
type followed struct {
	*Ordered
	t    testing.TB
	text string
}

func (f *followed) Next() (Arrival, bool) {
	a, ok := f.Ordered.Next()
	if !ok && f.Err() != nil {
		f.t.Fatalf("%s: %v", f.text, f.Err())
	}
	return a, ok
}

// forEachExample runs a test on every example of every registered process.
func forEachExample(t *testing.T, test func(t *testing.T, e Entry, example string)) {
	for _, e := range Entries() {
		for _, example := range e.Examples {
			t.Run(example, func(t *testing.T) { test(t, e, example) })
		}
	}
}

func TestArrivalsAreOrderedAndWhole(t *testing.T) {
	forEachExample(t, func(t *testing.T, _ Entry, example string) {
		keyed := mustParse(t, example).SetsKeys()
		for rep := range 3 {
			w, err := mustParse(t, example).New(testEnv(1, rep, nil))
			require.NoError(t, err)
			list := read(w, someArrivals)
			require.NotEmpty(t, list)
			for i, a := range list {
				switch {
				case i > 0 && a.At < list[i-1].At:
					t.Fatalf("replication %d: arrival %d at %v is before arrival %d at %v:%s", rep, i+1, a.At, i, list[i-1].At, around(list, i))
				case a.At < 0 && !strings.HasSuffix(example, "start=asis"):
					t.Fatalf("replication %d: arrival %d lies before the epoch:%s", rep, i, around(list, i))
				case a.Cost < 1:
					t.Fatalf("replication %d: arrival %d costs less than 1:%s", rep, i, around(list, i))
				case !keyed && a.Key != 0:
					t.Fatalf("replication %d: arrival %d has a key, and SetsKeys is false:%s", rep, i, around(list, i))
				}
			}
			if len(list) < someArrivals {
				for range 3 {
					a, ok := w.Next()
					require.False(t, ok, "an arrival at %v after the end", a.At)
				}
			}
		}
	})
}

func TestReplicationsAreReproducibleAndDiffer(t *testing.T) {
	forEachExample(t, func(t *testing.T, _ Entry, example string) {
		var purposes []string
		first := read(mustNew(t, example, testEnv(1, 0, &purposes)), someArrivals)
		again := read(mustNew(t, example, testEnv(1, 0, nil)), someArrivals)
		if i := differAt(first, again); i >= 0 {
			t.Fatalf("one seed, two answers, from arrival %d on:%s\nagain:%s", i, around(first, i), around(again, i))
		}
		random := len(purposes) > 0
		for name, env := range map[string]Env{"another replication": testEnv(1, 1, nil), "another seed": testEnv(2, 0, nil)} {
			other := read(mustNew(t, example, env), someArrivals)
			if i := differAt(first, other); random != (i >= 0) {
				t.Fatalf("draws from %q, but %s differs first at %d:%s\nother:%s", purposes, name, i, around(first, i), around(other, i))
			}
		}
		slices.Sort(purposes)
		assert.Equal(t, purposes, slices.Compact(slices.Clone(purposes)), "two uses of one stream depend on each other")
	})
}

// Other keys or costs must leave the times alone, and the other way round.
func TestKeysAndCostsShiftNoGaps(t *testing.T) {
	forEachExample(t, func(t *testing.T, _ Entry, example string) {
		plain := read(mustNew(t, example, testEnv(1, 0, nil)), someArrivals)
		env := testEnv(1, 0, nil)
		streams := env.Stream
		env.Stream = func(purpose string) *rand.Rand {
			if strings.HasSuffix(purpose, "keys") || strings.HasSuffix(purpose, "costs") {
				return random.Stream(99, purpose)
			}
			return streams(purpose)
		}
		w := mustNew(t, example, env)
		if !mustParse(t, example).SetsKeys() {
			w = Keyed(w, 1000, env.Stream("keys"))
		}
		other := read(w, someArrivals)
		require.Len(t, other, len(plain))
		for i := range plain {
			if plain[i].At != other[i].At {
				t.Fatalf("arrival %d moves with the keys:%s\nother keys:%s", i, around(plain, i), around(other, i))
			}
		}
	})
}

// count returns how many arrive in the horizon from a time on.
func count(w Workload, from, horizon time.Duration) (n float64) {
	for a, ok := w.Next(); ok && a.At-from < horizon; a, ok = w.Next() {
		if a.At >= from {
			n++
		}
	}
	return n
}

// meanAndError returns the mean of a sample and the standard error of it.
func meanAndError(x []float64) (mean, se float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / float64(len(x)-1) / float64(len(x)))
}

// The mean of the counts of replications lies within 4 standard errors of what
// the spec declares, counted from where the process is in its long run, over
// whole periods. A process without chance is counted once.
func TestMeanRateIsAsDeclared(t *testing.T) {
	const expected = 2500 // arrivals in a replication, or those of one period
	forEachExample(t, func(t *testing.T, _ Entry, example string) {
		s := mustParse(t, example)
		rate, ok := s.MeanRate()
		if !ok {
			t.Logf("%s declares no mean rate", s)
			return
		}
		require.Positive(t, rate)
		law, _ := s.Law()
		seconds := expected / rate
		require.Less(t, seconds, 9e9, "%d arrivals must come within the clock's 292 years", expected)
		horizon := time.Duration(seconds * float64(time.Second))
		if law.Period > 0 {
			horizon = (horizon + law.Period - 1) / law.Period * law.Period
		}
		want := rate * horizon.Seconds()
		require.Less(t, want, 100*float64(expected), "an example that the suite can count")
		var purposes []string
		w := mustNew(t, example, testEnv(1, 0, &purposes))
		if len(purposes) == 0 {
			require.InDelta(t, want, count(w, law.From, horizon), 1e-9*want)
			return
		}
		counts := make([]float64, 50)
		for rep := range counts {
			w := mustNew(t, example, testEnv(1, rep, nil))
			counts[rep] = count(w, law.From, horizon)
		}
		mean, se := meanAndError(counts)
		if se == 0 { // chance moves arrivals, but not their number
			require.InDelta(t, want, mean, 1)
			return
		}
		z := (mean - want) / se
		require.LessOrEqual(t, math.Abs(z), 4.0, "z = %.1f: mean %v for %v; counts of the replications: %v", z, mean, want, counts)
	})
}

// The mean and the index of dispersion of counts over a few lengths lie within 4
// standard errors of the law; where it has no formula, so do two seeds of each
// other, and what it says of long times.
func TestCountsVaryAsTheLawSays(t *testing.T) {
	const reps = 2000
	forEachExample(t, func(t *testing.T, e Entry, example string) {
		s := mustParse(t, example)
		rate, ok := s.MeanRate()
		if !ok {
			return
		}
		law, ok := s.Law()
		if !ok {
			t.Logf("%s declares no law", s)
			return
		}
		require.NotEmpty(t, law.Source)
		var lengths []time.Duration
		for _, expected := range []float64{0.7, 4.3, 30, 100} {
			if length := time.Duration(expected / rate * 1e9); length > 0 {
				lengths = append(lengths, length)
			}
		}
		if memory := law.Correlation; memory > 0 && memory*rate < 30 && law.Measured() {
			lengths = append(lengths, time.Duration(max(30*memory, 101/rate)*1e9))
		}
		measure := func(seed uint64) []Counted {
			all, err := s.Measure(func(rep int) (Workload, error) { return s.New(testEnv(seed, rep, nil)) }, seed, reps, lengths)
			require.NoError(t, err)
			return all
		}
		first := measure(1)
		var other []Counted
		if law.Measured() {
			other = measure(2)
		}
		for i, c := range first {
			require.LessOrEqual(t, math.Abs(c.Mean-rate*c.Length.Seconds()), 4*c.MeanError+1e-6, "mean of counts in %v: %+v", c.Length, c)
			var want, wantError float64
			switch {
			case !law.Measured():
				want = law.Dispersion(c.Length)
			case law.Correlation >= 0 && c.Length.Seconds() >= 30*law.Correlation:
				want = law.Limit - (law.Limit-law.AtOnce)*law.Correlation/c.Length.Seconds()
			default:
				want, wantError = other[i].Dispersion, other[i].Error
			}
			require.LessOrEqual(t, math.Abs(c.Dispersion-want), 4*math.Hypot(c.Error, wantError)+1e-6, "dispersion in %v: %v ± %v, want %v", c.Length, c.Dispersion, c.Error, want)
		}
	})
}

// A law's numbers hang together: what it says of short and of long times, and
// its memory, are those of its own formula.
func TestLawsHangTogether(t *testing.T) {
	forEachExample(t, func(t *testing.T, _ Entry, example string) {
		s := mustParse(t, example)
		law, ok := s.Law()
		if !ok || law.Measured() {
			return
		}
		rate, _ := s.MeanRate()
		if short := time.Duration(1e-9 / rate * 1e9); short > 0 && (math.IsInf(law.Correlation, 1) || law.Correlation > 1e-2/rate) {
			require.InDelta(t, law.AtOnce, law.Dispersion(short), 2e-3*law.AtOnce, "at once")
		}
		switch {
		case law.Correlation == 0:
			require.InDelta(t, law.Limit, law.Dispersion(time.Second), 1e-9)
		case !math.IsInf(law.Correlation, 1):
			long := time.Duration(100 * law.Correlation * 1e9)
			want := law.Limit - (law.Limit-law.AtOnce)*law.Correlation/long.Seconds()
			require.InDelta(t, want, law.Dispersion(long), 1e-5*math.Abs(law.Limit-law.AtOnce), "over long times")
		default:
			require.True(t, law.Period > 0 || math.IsInf(law.Limit, 1), "what never forgets has a period, or depends on itself over all ranges")
		}
	})
}

// Quantiles of gaps, where a law has them: for each the share of gaps below it
// is within 4 standard errors.
func TestGapsHaveTheirQuantiles(t *testing.T) {
	forEachExample(t, func(t *testing.T, _ Entry, example string) {
		s := mustParse(t, example)
		law, ok := s.Law()
		if !ok || law.Gap == nil || s.Name() == "poisson" && strings.Contains(example, "us") { // whose gaps are a few ns
			return
		}
		const n = 20_000
		gaps := gapsOf(read(mustNew(t, example, testEnv(1, 0, nil)), n+2))[1:]
		for _, q := range []float64{0.01, 0.1, 0.5, 0.9, 0.99} {
			below := 0.0
			for _, g := range gaps {
				if g <= law.Gap(q) {
					below++
				}
			}
			require.InDelta(t, q, below/float64(len(gaps)), 4*math.Sqrt(q*(1-q)/float64(len(gaps))), "gaps below %v s", law.Gap(q))
		}
	})
}

func TestNothingAllocatesPerArrival(t *testing.T) {
	forEachExample(t, func(t *testing.T, _ Entry, example string) {
		w := Keyed(mustNew(t, example, testEnv(1, 0, nil)), 100, random.Stream(1))
		read(w, 100)
		assert.Zero(t, testing.AllocsPerRun(1000, func() { w.Next() }))
	})
}

func TestSpecsAreReadBack(t *testing.T) {
	forEachExample(t, func(t *testing.T, e Entry, example string) {
		s, err := Parse(example)
		require.NoError(t, err)
		assert.Equal(t, e.Name, s.Name())
		assert.True(t, !e.SetsKeys || s.SetsKeys())
		again, err := Parse(s.String())
		require.NoError(t, err)
		assert.Equal(t, s.String(), again.String())
		for _, p := range e.Params {
			if s.values.Given(p.Name) {
				same, err := s.With(p.Name, s.values.Text(p.Name))
				require.NoError(t, err)
				assert.Equal(t, s.String(), same.String())
			}
		}
	})
}

// badValues are texts that no parameter of a unit may take.
var badValues = map[string][]string{
	"rate":                  {"", "0/s", "-1/s", "10", "fast", "1/0s", "1e3/s"},
	"requests":              {"", "0", "-1", "1.5", "many", "9007199254740992"},
	"duration":              {"", "-1s", "1", "1w", "soon", "0.5ns", "999999d"},
	"file":                  {""},
	"share":                 {"", "half", "1e3"},
	"keys":                  {"", "0", "-1", "1.5", "many", "1048577"},
	"factor":                {"", "-1", "1.5", "many", "9007199254740992"},
	"tail":                  {"", "1", "0.5", "-1", "101", "steep"},
	"power":                 {"", "0", "-1", "9", "1.5", "steep"},
	"sources":               {"", "0", "-1", "65537", "many"},
	"speed":                 {"", "0", "-1", "fast", "1e3", "9007199254740993"},
	"rates":                 {"", "5/s", "5/x/s", "5/20", "0/0/s", "1/2/3/4/5/6/7/8/9/s", "-1/2/s"},
	"durations":             {"", "1s", "1s/0s", "-1s/1s", "soon", "1s/1s/1s/1s/1s"},
	"duration or 0":         {"", "-1s", "1", "1w", "soon", "0.5ns", "999999d"},
	"(workload)":            {"", "poisson:rate=1/s", "()", "(poisson)", "(steady:rate=0/s)", "(nothing:rate=1/s)", "(steady:rate=1/s", "(steady:rate=1/s)+(steady:rate=2/s)"},
	"(workload)+(workload)": {"", "poisson:rate=1/s", "()", "(poisson)", "(steady:rate=1/s)+(steady:rate=0/s)", "(steady:rate=1/s)(steady:rate=1/s)", "(steady:rate=1/s)+"},
	"exponent":              {"", "0.3", "9", "-1", "steep", "1e0"},
}

func TestBadParametersAreRefused(t *testing.T) {
	for _, e := range Entries() {
		t.Run(e.Name, func(t *testing.T) {
			require.NotEmpty(t, e.Doc)
			for _, p := range e.Params {
				require.NotEmpty(t, p.Doc, p.Name)
				bad := badValues[p.Unit]
				if strings.Contains(p.Unit, "|") {
					bad = []string{"", "nonsense"}
				}
				if bad == nil {
					bad = []string{""} // all that can be said of a unit that is new
				}
				for _, example := range e.Examples {
					s, err := Parse(example)
					require.NoError(t, err)
					for _, value := range bad {
						_, err := s.With(p.Name, value)
						require.Error(t, err, "%s with %s=%s", s, p.Name, value)
						assert.Contains(t, err.Error(), fmt.Sprintf("workload %q: %s ", e.Name, p.Name))
						assert.Regexp(t, `got "?`+regexp.QuoteMeta(value)+`"?($|;|,| )`, err.Error())
					}
				}
			}
		})
	}
}

func TestMissingAndUnknownParametersAreNamed(t *testing.T) {
	for _, e := range Entries() {
		for _, p := range e.Params {
			v, _, err := registry.Parse(e.Examples[0])
			require.NoError(t, err)
			if p.Default == "" {
				texts := []string{}
				for _, q := range e.Params {
					if q.Name != p.Name && v.Given(q.Name) {
						text := q.Name + "=" + v.Text(q.Name)
						if strings.HasPrefix(q.Unit, "(") {
							text = v.Text(q.Name)
						}
						texts = append(texts, text)
					}
				}
				text := strings.TrimSuffix(e.Name+":"+strings.Join(texts, ","), ":")
				_, err := Parse(text)
				require.ErrorContains(t, err, fmt.Sprintf("workload %q needs %s; write %s", e.Name, p.Name, e.Usage()))
			}
			_, err = Parse(e.Examples[0] + "," + p.Name + "x=1")
			require.ErrorContains(t, err, fmt.Sprintf("workload %q has no parameter %q", e.Name, p.Name+"x"))
		}
	}
	_, err := Parse("poison:rate=1/s")
	require.ErrorContains(t, err, `unknown workload "poison" (did you mean "poisson"?)`)
}
