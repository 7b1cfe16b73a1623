package limiters_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/limiters"
)

func TestNoDecisionAllocates(t *testing.T) {
	specs := []string{
		"fixed-window:limit=5,window=1s", "fixed-window:limit=5,window=1s,jitter=1s", "fixed-window:limit=5,window=1s,origin=first",
		"sliding-log:limit=5,window=1s", "sliding-log:limit=5,window=1s,count=all",
		"sliding-counter:limit=5,window=1s", "sliding-counter:limit=5,window=1s,rule=below,count=all",
		"token-bucket:rate=5/s,burst=5", "token-bucket:rate=5/s,burst=5,refill=interval",
		"gcra:rate=5/s,burst=5", "leaky-meter:rate=5/s", "leaky-queue:rate=5/s,queue=4",
	}
	names := make(map[string]bool)
	for _, text := range specs {
		s := parse(t, text)
		names[s.Name()] = true
		l := s.New(1, nil)
		now := time.Duration(0)
		round := func() {
			for key := range uint32(20) {
				l.Take(now, key*997, 1) // some in the slab, some far beyond
				l.Admit(now, key*997, 2)
				l.Ask(now, key*997, 3)
				l.Charge(now, key*997, 1)
				now += 11 * time.Millisecond
			}
		}
		for range 50 {
			round()
		}
		assert.Zero(t, testing.AllocsPerRun(50, round), text)
	}
	for _, name := range limiters.Canonical() {
		assert.True(t, names[name], "specs has no %s", name)
	}
}

func TestTheLogHoldsAtMostLimitEntriesWhateverIsLogged(t *testing.T) {
	for _, text := range []string{"sliding-log:limit=10,window=1h", "sliding-log:limit=10,window=1h,count=all"} {
		l := parse(t, text).New(1, nil)
		for i := range 10000 {
			l.Take(time.Duration(2*i), 0, 1)
			l.Charge(time.Duration(2*i+1), 0, 1)
		}
		assert.EqualValues(t, 64+10*16, l.Bytes(), text)
		l.Forget(0)
		assert.EqualValues(t, 64, l.Bytes(), "the ring is gone: %s", text)
		assert.Zero(t, l.Keys())
	}
	l := parse(t, "sliding-log:limit=1000000,window=1h").New(1, nil)
	l.Take(0, 0, 1)
	assert.EqualValues(t, 64+4*16, l.Bytes(), "a ring is no longer than it must be")
}

func TestBytesAreWhatTheHeapHolds(t *testing.T) {
	const keys = 1 << 16
	for _, text := range []string{
		"fixed-window:limit=5,window=1s", "token-bucket:rate=5/s,burst=5", "gcra:rate=5/s,burst=5",
		"sliding-counter:limit=5,window=1s", "sliding-log:limit=4,window=1h",
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		l := parse(t, text).New(1, nil)
		for key := range uint32(keys) {
			for i := range time.Duration(4) {
				l.Admit(i, key, 1)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		require.Equal(t, keys, l.Keys())
		assert.InEpsilon(t, float64(after.HeapAlloc-before.HeapAlloc), float64(l.Bytes()), 0.05, text)
		runtime.KeepAlive(l)
	}
}

func TestKeysMayComeInAnyOrderAndAnySize(t *testing.T) {
	s := parse(t, "token-bucket:rate=1/s,burst=3")
	rapid.Check(t, func(t *rapid.T) {
		l, alone := s.New(1, nil), map[uint32]limiters.Limiter{}
		keys := rapid.SliceOfN(rapid.OneOf(rapid.Uint32Range(0, 20), rapid.Uint32Range(4000, 9000), rapid.Uint32()), 1, 60).Draw(t, "keys")
		for i, key := range keys {
			if alone[key] == nil {
				alone[key] = s.New(1, nil)
			}
			if i%7 == 3 {
				l.Forget(key)
				delete(alone, key)
				continue
			}
			now := time.Duration(i) * 100 * time.Millisecond
			require.Equal(t, alone[key].Take(now, 0, 1), l.Take(now, key, 1))
		}
		require.Equal(t, len(alone), l.Keys())
		// 32 bytes in the slab for every key below 4096 or eight times the
		// keys known, and for each of those beyond as much again, doubled.
		require.LessOrEqual(t, l.Bytes(), int64(32*2*4096+len(keys)*(64+16+8)+64))
	})
}

func TestFarKeysMoveIntoTheSlabAsItGrows(t *testing.T) {
	l := parse(t, "gcra:rate=1/h,burst=5").New(1, nil)
	const far = 6000
	require.EqualValues(t, 4, l.Take(0, far, 1).Remaining)
	for key := range uint32(3000) {
		l.Take(0, key, 1)
	}
	require.EqualValues(t, 3, l.Take(0, far, 1).Remaining)
	require.EqualValues(t, 4, l.Take(0, far+1, 1).Remaining)
	require.EqualValues(t, 2, l.Take(0, far, 1).Remaining)
	require.Equal(t, 3002, l.Keys())
	l.Forget(far)
	require.EqualValues(t, 4, l.Take(0, far, 1).Remaining)
}
