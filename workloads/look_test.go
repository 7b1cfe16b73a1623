package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestALookCountsWhatIsThere(t *testing.T) {
	s := time.Second
	w := &recorded{list: []Arrival{{At: 0, Cost: 1}, {At: s, Key: 1, Cost: 3}, {At: s, Key: 1, Cost: 1}, {At: 9 * s, Cost: 1}, {At: 10 * s, Cost: 1}}}
	l := LookAt(w, 0, 10*s, 5)
	assert.Equal(t, int64(4), l.Arrivals)
	assert.Equal(t, []int64{3, 0, 0, 0, 1}, l.Columns)
	assert.Equal(t, 2, l.Keys)
	assert.Equal(t, []Quantile{{0, 0}, {0.01, 0}, {0.1, 0}, {0.5, 1}, {0.9, 8}, {0.99, 8}, {1, 8}}, l.Gaps)
	assert.Equal(t, 3.0, l.Costs[len(l.Costs)-1].Value)
	assert.Equal(t, 1.0, l.Costs[3].Value)

	w.next = 0
	l = LookAt(w, 9*s, 10*s, 5)
	assert.Equal(t, []int64{2, 0, 0, 0, 0}, l.Columns)

	none := LookAt(&recorded{}, 0, s, 3)
	assert.Nil(t, none.Gaps)
	assert.Nil(t, none.Costs)
	assert.Equal(t, []int64{0, 0, 0}, none.Columns)
	assert.Nil(t, LookAt(&recorded{list: []Arrival{{Cost: 1}}}, 0, s, 3).Gaps)
}

func TestHorizonsShowWhatASpecIsLike(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"poisson:rate=100/s":                                     5 * time.Second,
		"poisson:rate=1/d":                                       365 * day,
		"steady:rate=3/ns":                                       100 * time.Nanosecond,
		"on-off:rate=100/s,on=10s,off=30s":                       5 * time.Minute,
		"diurnal:low=1/s,high=2/s":                               2 * day,
		"diurnal:low=100/s,high=200/s":                           2 * time.Hour, // a million arrivals
		"paced-herd:clients=50":                                  10 * time.Minute,
		"page-turn:size=200,window=1m,story=quiet-then-loud":     2 * time.Minute,
		"flash-crowd:rate=5/s,peak=9/s,from=20s,to=40s":          time.Minute,
		"clip:(poisson:rate=1000/s),to=1s":                       time.Second,
		"shift:(burst-train:size=5,period=1s),by=50s":            2 * time.Minute,
		"sum:(clip:(poisson:rate=1/s),to=1s)+(poisson:rate=1/s)": 2 * day,
	} {
		from, horizon := mustParse(t, text).Horizon(mustNew(t, text, testEnv(1, 0, nil)))
		assert.Equal(t, want.String(), horizon.String(), text)
		assert.Zero(t, from)
	}
	from, horizon := mustParse(t, "burst-train:size=3,period=7ns,phase=1d").Horizon(nil)
	assert.Equal(t, day, from)
	assert.Equal(t, time.Microsecond, horizon)
	assert.Equal(t, time.Duration(math.MaxInt64/4), roundUp(math.MaxInt64))
}

func TestLengthsAreRound(t *testing.T) {
	ms := time.Millisecond
	assert.Equal(t, []time.Duration{10 * ms, 100 * ms, time.Second, 10 * time.Second}, mustParse(t, "poisson:rate=100/s").Lengths())
	assert.Equal(t, []time.Duration{1, 5, 50, 500}, mustParse(t, "steady:rate=3/ns").Lengths()[:4])
	assert.Empty(t, mustParse(t, "trace:file=f").Lengths())
}
