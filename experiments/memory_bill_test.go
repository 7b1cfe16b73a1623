package experiments

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/scenario"
	"ratelab/limiters"
)

// billKept gives a lab's scenarios another eviction.
func billKept(change func(text string) string) breakage {
	return func(lab *Lab) {
		simulate := lab.Simulate
		lab.Simulate = func(ctx context.Context, c scenario.Config) (scenario.Result, error) {
			var err error
			if c.Eviction, err = limiters.ParseEviction(change(c.Eviction.String())); err != nil {
				return nil, err
			}
			return simulate(ctx, c)
		}
	}
}

func TestMemoryBillClaims(t *testing.T) {
	other := func(text string) breakage {
		return boundaryOther(func(limiters.Spec) (limiters.Spec, error) { return limiters.Parse(text) })
	}
	testClaims(t, "memory-bill", map[string]breakage{
		"a key takes 32 bytes where one number and its time are kept, whatever the limit":            other("sliding-counter:limit=5,window=10s"),
		"the weighted counter takes 40 bytes: a second number":                                       other("sliding-log:limit=5,window=10s"),
		"the log takes 64 bytes and 16 for each request up to its limit":                             other("gcra:rate=1/s,burst=5"),
		"and less for a key that has never held so many: room for 4 entries, doubled as they come":   boundaryWith("limit", "2"),
		"forgetting what is at rest changes no decision":                                             boundaryOneMore,
		"a meter that forgets idle keys admits whoever was idle long enough, and no more":            billKept(func(string) string { return "idle:after=200ms" }),
		"a store with room for C keys forgets as a timeout does that leaves C keys alive on average": billKept(func(string) string { return "idle:after=4s" }),
	})
}

// TestTheHeapOfAMillionKeysIsWhatTheBillSays holds the account that part bytes
// reads against what the heap really grows by.
func TestTheHeapOfAMillionKeysIsWhatTheBillSays(t *testing.T) {
	for _, name := range []string{"gcra", "sliding-counter", "sliding-log"} {
		s, err := billSpec(name, "1")
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		l := s.New(1, nil)
		for key := range uint32(1_000_000) {
			l.Admit(0, key, 1)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		assert.InEpsilon(t, float64(l.Bytes()), float64(after.HeapAlloc)-float64(before.HeapAlloc), 0.05, name)
		runtime.KeepAlive(l)
	}
}

func TestMemoryBillFiguresSayWhatWasMeasured(t *testing.T) {
	d := quickly(t, "memory-bill", trueLab(true), 2, func(get func(string) string) bool {
		return get("keys") == "4096" || get("limiter") == "leaky-meter" && get("part") == "eviction"
	})
	begin := map[string]string{"bytes": "A log of 256 requests takes 4160 bytes a key, a bucket 32 and a counter 40, whatever they count to", "eviction": "Room for a tenth of the keys changes "}
	for figure, title := range drawAll(t, d) {
		assert.Contains(t, title, begin[figure])
	}
	drawsNothing(t, d)
}

func TestMemoryBillRefusesSettingsThatMakeNoSense(t *testing.T) {
	refuses(t, "memory-bill", [][3]string{
		{"part", "byte", `did you mean "bytes"?`},
		{"limiter", "gcr", `did you mean "gcra"?`},
		{"limit", "0", "whole number in 1..100000"},
		{"held", "x", "whole number in 1..100000"},
		{"keys", "0", "whole number in 1..1048576"},
		{"eviction", "lru:capacity=0", "must lie in"},
	})
}
