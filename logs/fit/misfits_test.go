package fit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMisfitsSayWhyTheyDoNotFit(t *testing.T) {
	requests := []request{{0, 0, 1}, {0, 60 * second, 1}} // fits
	for range 20 {
		requests = append(requests, request{1, 30 * second, 1}) // a burst
	}
	for i := range int64(100) {
		requests = append(requests, request{2, i * second / 2, 1}) // faster than the rate for 50 s
	}
	r := RefusalsOf(arrivalsOf(t, requests), rates(t, "1/s")[0], 10, 20)
	assert.Equal(t, 2, r.Keys)
	assert.Equal(t, []Misfit{
		{Key: 2, Requests: 100, Refused: 100 - 10 - 49, Burst: 51, Work: 100, Length: 49500 * time.Millisecond, Sustained: true},
		{Key: 1, Requests: 20, Refused: 10, Burst: 20, Work: 20, Length: 0, Sustained: false},
	}, r.Misfits)
	assert.Equal(t, "sustained: 100 requests within 49.5s", r.Misfits[0].why("requests"))
	assert.Equal(t, "burst: 20 requests at once", r.Misfits[1].why("requests"))
	assert.Len(t, RefusalsOf(arrivalsOf(t, requests), rates(t, "1/s")[0], 10, 1).Misfits, 1)
	require.Len(t, r.Fitting, 1)
	assert.Equal(t, [3]int64{0, 2, 1}, [3]int64{int64(r.Fitting[0].Key), int64(r.Fitting[0].Requests), r.Fitting[0].Burst})
	assert.Equal(t, "fits: 1 request at once", r.Fitting[0].why("requests"))
}

func TestTheIntervalOfAMisfitNeedsItsBurst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := arrivalsOf(t, drawLog(t, 60, rapid.Bool().Draw(t, "costs")))
		rate := Rate{Rate: drawRate(t)}
		r := RefusalsOf(a, rate, 0, 100)
		require.Equal(t, a.Requests(), r.Requests, "a bucket of nothing refuses everything")
		bursts := a.Bursts(rate.Rate)
		for _, m := range r.Misfits {
			require.Equal(t, bursts[m.Key], m.Burst)
			excess := deficit{}.plus(uint64(m.Work), uint64(rate.P)).drained(uint64(m.Length), uint64(rate.N))
			require.Equal(t, m.Burst, excess.tokens(uint64(rate.P)))
		}
		came, refused := 0, 0
		for i := range r.Offered {
			came += r.Offered[i]
			refused += r.Refused[i]
		}
		require.Equal(t, [2]int{a.Requests(), r.Requests}, [2]int{came, refused})
	})
}

func TestPartsOfTimeAreFew(t *testing.T) {
	for _, span := range []uint64{0, 1, 1e9, 3600e9, 86400e9, 1 << 62, 1<<64 - 1} {
		length := partOf(span)
		assert.Less(t, span/length, uint64(151))
	}
	assert.EqualValues(t, time.Second, partOf(149*second))
	assert.EqualValues(t, 2*time.Second, partOf(150*second))
}
