package workloads

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

func TestEntriesAreSortedAndComplete(t *testing.T) {
	var names []string
	for _, e := range Entries() {
		names = append(names, e.Name)
	}
	assert.True(t, slices.IsSorted(names), "%v", names)
	assert.Subset(t, names, []string{"batch", "burst-train", "on-off", "page-turn", "poisson", "steady", "tenants", "trace"})

	Entries()[0].Name = "changed"
	assert.Equal(t, names[0], Entries()[0].Name, "the caller has a copy")
	assert.Panics(t, func() {
		register(Entry{Entry: spec.Entry{Name: "steady"}, Examples: []string{"steady"}})
	})
	assert.Panics(t, func() { register(Entry{Entry: spec.Entry{Name: "no-example"}}) })
	assert.Len(t, Entries(), len(names))
}

func TestMeanRates(t *testing.T) {
	for text, want := range map[string]float64{
		"steady:rate=7/13s":                                  7.0 / 13,
		"poisson:rate=30/m":                                  0.5,
		"on-off:rate=100/s,on=1s,off=3s":                     25,
		"burst-train:size=20,period=10s":                     2,
		"page-turn:size=30,window=10s,half=1s":               1.5,
		"page-turn:size=200,window=1m,story=quiet-then-loud": 0,
		"tenants:rate=100/s,keys=10,greedy=5":                150,
		"batch:rate=100/s,size=7,law=zipf":                   100,
		"trace:file=f":                                       0,
	} {
		got, ok := mustParse(t, text).MeanRate()
		assert.Equal(t, want, got, text)
		assert.Equal(t, want > 0, ok, text)
	}
}

func TestWithKeepsTheRestAndChecks(t *testing.T) {
	s := mustParse(t, "on-off:off=3s,rate=100/s,on=1s")
	assert.Equal(t, "on-off:rate=100/s,on=1s,off=3s", s.String(), "declared order")
	faster, err := s.With("rate", "200/s")
	require.NoError(t, err)
	assert.Equal(t, "on-off:rate=200/s,on=1s,off=3s", faster.String())
	assert.Equal(t, "on-off:rate=100/s,on=1s,off=3s", s.String())
	_, err = s.With("on", "-1s")
	require.EqualError(t, err, `workload "on-off": on must be > 0, got -1s`)
	_, err = s.With("onn", "1s")
	require.ErrorContains(t, err, `workload "on-off" has no parameter "onn" (did you mean "on"?)`)
}

func TestStreamsAreNamedByAllTheirParts(t *testing.T) {
	draw := func(seed uint64, rep int, entity, purpose string) uint64 {
		return Streams(seed, rep, entity)(purpose).Uint64()
	}
	all := []uint64{
		draw(1, 0, "", "gaps"), draw(2, 0, "", "gaps"), draw(1, 1, "", "gaps"), draw(1, 0, "tenant 1", "gaps"), draw(1, 0, "", "keys"),
		draw(1, 0, "gaps", ""),
	}
	slices.Sort(all)
	assert.Len(t, slices.Compact(all), 6)
	assert.Equal(t, random.Stream(1, "7", "gaps", "tenant 1").Uint64(), draw(1, 7, "tenant 1", "gaps"))
}

func TestOneSpecMakesIndependentWorkloads(t *testing.T) {
	s := mustParse(t, "on-off:rate=100/s,on=1s,off=3s")
	alone, err := s.New(testEnv(1, 0, nil))
	require.NoError(t, err)
	want := read(alone, 200)
	a, err := s.New(testEnv(1, 0, nil))
	require.NoError(t, err)
	b, err := s.New(testEnv(1, 1, nil))
	require.NoError(t, err)
	for k := range want {
		got, _ := a.Next()
		require.Equal(t, want[k], got)
		b.Next()
	}
}

func TestKeysAreUniform(t *testing.T) {
	const n, draws = 10, 100_000
	w := Keyed(mustNew(t, "steady:rate=1/s", Env{}), n, random.Stream(1, "keys"))
	var seen [n]float64
	for _, a := range read(w, draws) {
		seen[a.Key]++
	}
	chi := 0.0
	for _, s := range seen {
		chi += (s - draws/n) * (s - draws/n) / (draws / n)
	}
	assert.Less(t, chi, 27.9, "chi-square with 9 degrees of freedom exceeds this once in a thousand: %v", seen)
}

func TestOneKeyDrawsNothing(t *testing.T) {
	for n := range uint32(2) {
		w := mustNew(t, "steady:rate=1/s", Env{})
		assert.Same(t, w, Keyed(w, n, nil))
	}
}

// A spec that reads must build, print and read back, and its first arrivals
// must come in order, whatever the text.
func FuzzParse(f *testing.F) {
	for _, e := range Entries() {
		for _, example := range e.Examples {
			f.Add(example)
		}
	}
	for _, text := range []string{
		"steady:rate=9007199254740991/ns", "steady:rate=1/9007199254740991ns", "burst-train:size=9007199254740991,period=1ns,phase=106751d",
		"page-turn:size=8,window=106751d,half=1d,story=quiet-then-loud", "on-off:rate=1/s,on=106751d,off=106751d", "",
		"tenants:rate=1/s,keys=9,greedy=9007199254740991", "batch:rate=9007199254740991/ns,size=9007199254740991,law=geometric", ":", "steady:rate=",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(s.String())
		require.NoError(t, err)
		require.Equal(t, s.String(), again.String())
		w, err := s.New(testEnv(1, 0, nil))
		require.NoError(t, err)
		list := read(w, 20)
		for i, a := range list {
			if a.Cost < 1 || i > 0 && a.At < list[i-1].At || a.At < 0 && !strings.Contains(text, "asis") {
				t.Fatalf("%s: arrival %d:%s", s, i, around(list, i))
			}
		}
	})
}
