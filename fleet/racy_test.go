package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/des"
	"ratelab/experiments/theory"
	"ratelab/internal/random"
	"ratelab/limiters/contract"
)

func TestWhatIsAdmittedBeforeTheWriteIsNotSeen(t *testing.T) {
	for _, c := range []struct {
		coordination string
		admitted     []bool
		why          string
	}{
		// Limit 2, a write 5 ms after its read, requests at 0, 1, 2, 6, 8 and 20 ms.
		{"central-racy:delay=5ms", []bool{true, true, true, true, false, false}, "the first write is there at 5 ms, three at 7 ms"},
		{"central-racy:delay=5ms,write=set", []bool{true, true, true, true, true, false}, "three write the 1 that they read as 0, the others 2"},
	} {
		b := newBuilt(t, config(t, "fixed-window:limit=2,window=1h", "round-robin", c.coordination, 3, 0))
		var calls []Call
		for _, at := range []time.Duration{0, 1, 2, 6, 8, 20} {
			calls = append(calls, b.send(at*ms, 0, 1))
		}
		b.sim.Run(des.Never)
		for i, call := range calls {
			assert.Equal(t, c.admitted[i], b.admits(call), "%s: request %d: %s", c.coordination, i, c.why)
		}
		writes := 0
		for _, admitted := range c.admitted {
			if admitted {
				writes++
			}
		}
		assert.EqualValues(t, len(calls)+writes, b.Account(b.sim.Now()).StoreOps, "a read each, and a write each that is admitted")
	}
}

func TestTheRoundTripIsPartOfTheRace(t *testing.T) {
	// Read at 5 ms, decided at 10, sent at 12, written at 17.
	b := newBuilt(t, config(t, "fixed-window:limit=1,window=1h", "round-robin", "central-racy:delay=2ms", 1, 10*ms))
	first := b.send(0, 0, 1)
	seen := b.send(12*ms-1, 0, 1) // reads at 17 ms - 1 ns
	unseen := b.send(12*ms+1, 0, 1)
	b.sim.Run(des.Never)
	assert.Equal(t, 10*ms, b.ended[first], "the answer does not wait for the write")
	assert.True(t, b.admits(seen))
	assert.False(t, b.admits(unseen))
}

func TestAWriteToAWindowThatHasEndedChangesNothing(t *testing.T) {
	for _, write := range []string{"add", "set"} {
		b := newBuilt(t, config(t, "fixed-window:limit=1,window=1s", "round-robin", "central-racy:delay=10ms,write="+write, 1, 0))
		late := b.send(995*ms, 0, 1) // written at 1005 ms
		next := b.send(1020*ms, 0, 1)
		after := b.send(1040*ms, 0, 1)
		b.sim.Run(des.Never)
		assert.True(t, b.admits(late))
		assert.True(t, b.admits(next), write)
		assert.False(t, b.admits(after), write)
	}
}

func TestWithoutADelayNothingRaces(t *testing.T) {
	b := newBuilt(t, config(t, "fixed-window:limit=5,window=1h", "round-robin", "central-racy:delay=0s,write=set", 4, 0))
	assert.True(t, b.AtOnce())
	assert.Equal(t, 5, b.burst(30))
}

func TestAServerThatFailsOpenWritesNothing(t *testing.T) {
	b := newBuilt(t, config(t, "fixed-window:limit=1,window=1h", "round-robin", "central-racy:delay=1ms,timeout=5ms", 1, 10*ms))
	assert.Equal(t, 3, b.burst(3))
	a := b.Account(b.sim.Now())
	assert.EqualValues(t, 3, a.FailedOpen)
	assert.EqualValues(t, 3, a.StoreOps, "reads")
	assert.Zero(t, a.Wasted)
}

// counting is an observer that counts.
type counting struct {
	quiet
	admitted int
	last     bool
}

func (c *counting) Decided(_ time.Duration, _ int, _ contract.Request, d contract.Decision) {
	if c.last = d.Admitted; c.last {
		c.admitted++
	}
}

// The overshoot of a window that fills is Poisson: with mean Λd for an
// increment, LΛd for lost updates. Mean and variance, each by its own law.
func TestTheRaceOvershootIsPoisson(t *testing.T) {
	const windows = 1500
	for write, c := range map[string]struct {
		limit int
		law   theory.Write
	}{"add": {100, theory.WriteAdd}, "set": {20, theory.WriteSet}} {
		const perDelay = 2.0 // 1000/s for 2 ms
		mean := theory.RaceOvershoot(c.law, c.limit, perDelay)
		limiter := map[string]string{"add": "fixed-window:limit=100,window=1h", "set": "fixed-window:limit=20,window=1h"}[write]
		var passed counting
		f, err := New(config(t, limiter, "random", "central-racy:delay=2ms,write="+write, 5, 0), &passed)
		require.NoError(t, err)
		sim := des.New()
		gaps := random.NewExpGaps(random.Stream(1, "race", write), 1000, int64(time.Second))
		var over []float64
		n := c.limit + int(mean) + 60 + int(10*mean/2)
		for key := range uint32(windows) { // a key a window
			passed.admitted = 0
			for range n {
				sim.Run(gaps.Next())
				f.Send(sim, contract.Request{Key: key, Cost: 1})
			}
			assert.False(t, passed.last, "the window has filled")
			over = append(over, float64(passed.admitted-c.limit))
		}
		within4Sigma(t, mean, over)
		var squares []float64
		for _, x := range over {
			squares = append(squares, (x-mean)*(x-mean))
		}
		within4Sigma(t, mean, squares)
	}
}
