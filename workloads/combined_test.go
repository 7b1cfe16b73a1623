package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSumsMergeInOrder(t *testing.T) {
	list := read(mustNew(t, "sum:(steady:rate=1/s)+(tenants:rate=3/s,keys=9,greedy=2)+(burst-train:size=2,period=2s)", testEnv(1, 0, nil)), 2000)
	var third []Arrival
	for i, a := range list {
		if i > 0 && a.At < list[i-1].At {
			t.Fatal(around(list, i))
		}
		if a.At%(2*time.Second) == 0 {
			third = append(third, a)
		}
	}
	assert.GreaterOrEqual(t, len(third), 3, "at even seconds one steady and two of the train")
	assert.Equal(t, []time.Duration{0, 0, 0}, times(third[:3]))
}

// A part of a sum sends what it would send alone under its own streams; two of
// the same spec are independent.
func TestPartsOfASumAreIndependent(t *testing.T) {
	env := testEnv(1, 0, nil)
	w := mustNew(t, "sum:(poisson:rate=1/s)+(poisson:rate=1/s)", env)
	a, b := mustNew(t, "poisson:rate=1/s", apart(env, "1")), mustNew(t, "poisson:rate=1/s", apart(env, "2"))
	x, _ := a.Next()
	y, _ := b.Next()
	for range 1000 {
		got, ok := w.Next()
		require.True(t, ok)
		if x.At <= y.At {
			require.Equal(t, x, got)
			x, _ = a.Next()
		} else {
			require.Equal(t, y, got)
			y, _ = b.Next()
		}
	}
}

// The others leave the arrivals of what they are made of as they are.
func TestOneInsideAnotherSendsTheSameArrivals(t *testing.T) {
	plain := read(mustNew(t, "tenants:rate=10/s,keys=5", testEnv(1, 0, nil)), 500)
	for text, moved := range map[string]func(a Arrival) (Arrival, bool){
		"shift:(tenants:rate=10/s,keys=5),by=3s":              func(a Arrival) (Arrival, bool) { a.At += 3 * time.Second; return a, true },
		"scale:(tenants:rate=10/s,keys=5),speed=4":            func(a Arrival) (Arrival, bool) { a.At /= 4; return a, true },
		"scale:(tenants:rate=10/s,keys=5),speed=0.125":        func(a Arrival) (Arrival, bool) { a.At *= 8; return a, true },
		"clip:(tenants:rate=10/s,keys=5),from=2s,to=20s":      func(a Arrival) (Arrival, bool) { return a, a.At >= 2*time.Second && a.At < 20*time.Second },
		"thin:(tenants:rate=10/s,keys=5),keep=1":              func(a Arrival) (Arrival, bool) { return a, true },
		"thin:(clip:(tenants:rate=10/s,keys=5),to=9s),keep=1": func(a Arrival) (Arrival, bool) { return a, a.At < 9*time.Second },
	} {
		var want []Arrival
		for _, a := range plain {
			if b, ok := moved(a); ok {
				want = append(want, b)
			}
		}
		got := read(mustNew(t, text, testEnv(1, 0, nil)), len(want))
		if i := differAt(want, got); i >= 0 {
			t.Fatalf("%s differs at arrival %d:%s\nwant:%s", text, i, around(got, i), around(want, i))
		}
	}
}

func TestThinningKeepsByChance(t *testing.T) {
	list := read(mustNew(t, "thin:(steady:rate=1/s),keep=0.3", testEnv(1, 0, nil)), 30_000)
	gaps := gapsOf(list)[1:]
	mean := make([]float64, len(gaps))
	copy(mean, gaps)
	requireMean(t, 1/0.3, mean, "gaps")
	for k := 1.0; k < 6; k++ { // geometric
		share := make([]float64, len(gaps))
		for i, g := range gaps {
			if g == k {
				share[i] = 1
			}
		}
		requireMean(t, 0.3*math.Pow(0.7, k-1), share, "gaps of %v", k)
	}
}

func TestCombinedWorkloadsEndWithTheClock(t *testing.T) {
	for text, n := range map[string]int{
		"shift:(burst-train:size=1,period=50000d),by=50000d":                        2,
		"scale:(burst-train:size=1,period=50000d),speed=0.5":                        2,
		"scale:(burst-train:size=1,period=50000d),speed=0.000001":                   1,
		"sum:(clip:(steady:rate=1/s),to=3s)+(clip:(steady:rate=1/s),from=1s,to=2s)": 4,
	} {
		w := mustNew(t, text, testEnv(1, 0, nil))
		assert.Len(t, read(w, 10), n, text)
		_, ok := w.Next()
		assert.False(t, ok, text)
	}
}

func TestCombinedRefusalsNameTheInnerFault(t *testing.T) {
	for text, want := range map[string]string{
		"sum:(poisson:rate=1/s)+(poison:rate=1/s)":            `workload "sum": of must be a workload: unknown workload "poison" (did you mean "poisson"?)`,
		"thin:(poisson:rate=0/s),keep=0.5":                    `workload "thin": of must be a workload: workload "poisson": rate must be > 0, got 0/s, got (poisson:rate=0/s)`,
		"thin:(poisson:rate=1/s),keep=1.5":                    `workload "thin": keep must be > 0 and <= 1, got 1.5`,
		"thin:(poisson:rate=1/s)+(poisson:rate=1/s),keep=0.5": `workload "thin": of must be one workload; join several by sum`,
		"clip:(poisson:rate=1/s),from=2s,to=1s":               `workload "clip": to must be > from, 2s, got 1s`,
		"sum:of=(poisson:rate=1/s)":                           `workload "sum": of is written in parentheses, without its name; write sum:(workload)+(workload)`,
		"scale:(shift:(steady:rate=1/s),by=-1s),speed=2":      `workload "shift": by must be >= 0, got -1s`,
	} {
		_, err := Parse(text)
		assert.ErrorContains(t, err, want)
	}
}

func TestWhoSetsKeys(t *testing.T) {
	for text, want := range map[string]bool{
		"sum:(poisson:rate=1/s)+(steady:rate=1/s)": false, "sum:(poisson:rate=1/s)+(tenants:rate=1/s,keys=3)": true,
		"thin:(page-load:users=3),keep=0.1": true, "scale:(poisson:rate=1/s),speed=2": false,
	} {
		assert.Equal(t, want, mustParse(t, text).SetsKeys(), text)
	}
}

func TestCommonPeriods(t *testing.T) {
	for _, c := range [][3]time.Duration{{0, 5, 5}, {4, 6, 12}, {7, 7, 7}, {math.MaxInt64, 2, math.MaxInt64}} {
		assert.Equal(t, c[2], common(c[0], c[1]))
	}
}
