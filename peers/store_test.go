package peers

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With -store, the fleets run for as many windows as the table has, and the table
// is written to a file and shown. `make peers` does so.
var storeFile = flag.String("store", "", "file that the table of real fleets is written to")

// liveRedis starts a Redis at the time of the machine for a test.
func liveRedis(t *testing.T) *redisServer {
	t.Helper()
	need(t, "redis-server")
	r, err := startLiveRedis()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.close()) })
	return r
}

// It is not parallel: others would disturb what it measures.
func TestFleetsOnARealStoreAdmitWhatSimulatedOnesDo(t *testing.T) {
	r := liveRedis(t)
	var rows []*StoreComparison
	for i, c := range StoreCases() {
		if *storeFile == "" {
			c.Windows = 3
		}
		t.Run(fmt.Sprintf("%s,pause=%s", c.Coordination, c.Pause), func(t *testing.T) {
			row, err := c.compare(r, uint64(i+1))
			require.NoError(t, err)
			rows = append(rows, row)
			row.judge(t)
		})
	}
	if t.Failed() || *storeFile == "" {
		return
	}
	version, err := redisVersion()
	require.NoError(t, err)
	var table bytes.Buffer
	require.NoError(t, WriteStoreTable(&table, version, rows))
	fmt.Print(table.String())
	require.NoError(t, os.WriteFile(*storeFile, table.Bytes(), 0o644))
}

// judge demands what does not hang on how fast the machine is.
func (c *StoreComparison) judge(t *testing.T) {
	require.NotEmpty(t, c.Compared, "the machine stood still at the end of every window")
	for _, w := range c.Compared {
		assert.Equal(t, c.Real.byWindow[w], c.Replayed.byWindow[w], "admitted in window %d", w)
		assert.Equal(t, c.Real.asked[w], c.Replayed.asked[w], "questions in window %d", w)
	}
	requests, limit := int64(c.Requests), int(c.Limit)
	switch {
	case c.races():
		assert.Equal(t, requests+c.Real.admitted, c.Real.operations, "a read each, and a write each that is admitted")
		assert.Equal(t, requests+c.Replayed.admitted, c.Replayed.operations)
		if c.Pause > 0 {
			assert.Positive(t, c.Over.Mean, "the race is seen")
		}
	case c.Coordination == "central":
		assert.Equal(t, requests, c.Real.operations)
		assert.Equal(t, requests, c.Replayed.operations)
		for w, admitted := range c.Real.byWindow {
			assert.Equal(t, min(limit, c.Real.decided[w]), admitted, "window %d", w)
		}
	default:
		assert.Less(t, c.Real.operations, requests)
		for w, admitted := range c.Real.byWindow {
			assert.LessOrEqual(t, admitted, limit, "window %d", w)
		}
	}
}

func TestAReplayTellsHowServersWrite(t *testing.T) {
	c := StoreCase{
		Coordination: "central-racy:write=set", Pause: 2 * time.Millisecond,
		Servers: 8, Workload: "poisson:rate=800/s", Limit: 40, Window: 500 * time.Millisecond, Windows: 2,
	}
	run, err := c.run(liveRedis(t), 1)
	require.NoError(t, err)
	c.Coordination = "central-racy:write=add"
	add, err := c.replay(run)
	require.NoError(t, err)
	real := c.count(run).byWindow
	for w, admitted := range add.admitted {
		assert.Less(t, admitted, real[w], "an increment is not lost")
	}
	c.Coordination, c.Pause = "central-racy:write=set", 0
	early, err := c.simulate(run, 0, 0)
	require.NoError(t, err)
	assert.Equal(t, []int{40, 40}, early.admitted, "no time between reading and writing")
}

func TestALeaseIsWhatIsLeftOfAWindow(t *testing.T) {
	r := redisAt(t, atEpochSecond)
	ask := func(at time.Duration, need, batch int64) []int64 {
		r.at(at)
		got, err := r.client.Eval(t.Context(), leaseScript, []string{"k"}, 10, 1_000_000, need, batch).Int64Slice()
		require.NoError(t, err)
		return got
	}
	const k = int64(atEpochSecond / time.Second)
	assert.Equal(t, []int64{4, k}, ask(atEpochSecond, 1, 4))
	assert.EqualValues(t, 1000, r.pttl(t, "k"))
	assert.Equal(t, []int64{5, k}, ask(atEpochSecond, 5, 4), "more than a batch, if it is needed")
	assert.Equal(t, []int64{0, k}, ask(atEpochSecond, 2, 4))
	assert.Equal(t, []int64{1, k}, ask(atEpochSecond+999*time.Millisecond, 1, 4), "all that is left")
	assert.Equal(t, []int64{0, k}, ask(atEpochSecond+999*time.Millisecond, 1, 4))
	assert.Equal(t, []int64{4, k + 1}, ask(atEpochSecond+time.Second, 1, 4))
	assert.Equal(t, []int64{4, k + 1}, ask(atEpochSecond, 1, 4), "a clock that goes back opens no window again")
	assert.ErrorContains(t, r.client.Eval(t.Context(), leaseScript, []string{"x"}, 10, 1_000_000, 1, 0).Err(), "must be at least 1")
}

func TestALateLeaseServesThoseThatWaitAndNobodyElse(t *testing.T) {
	a, b, c := &storeRequest{}, &storeRequest{}, &storeRequest{}
	l := serverLease{waiting: []*storeRequest{a, b}}
	l.answer(4, 7, 8)
	assert.True(t, a.admitted && b.admitted)
	assert.Equal(t, 7, b.window, "it is charged to the window of its tokens")
	assert.Zero(t, l.tokens)

	l = serverLease{waiting: []*storeRequest{c, a, b}}
	l.answer(1, 8, 8)
	assert.True(t, c.admitted)
	assert.Len(t, l.waiting, 2, "those for whom it was not enough wait on")
	*a, *b = storeRequest{}, storeRequest{}
	l.answer(0, 8, 8)
	assert.False(t, a.admitted || b.admitted)
	assert.Empty(t, l.waiting)
}
