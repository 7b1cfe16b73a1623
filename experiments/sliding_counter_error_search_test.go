package experiments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
	"ratelab/workloads"
)

func TestWorstWindowFindsWhatALimiterAllows(t *testing.T) {
	for _, c := range []struct {
		limiter string
		limit   int64
		want    int64
	}{
		{"fixed-window:limit=5,window=1s", 5, 10},
		{"sliding-log:limit=5,window=1s", 5, 5},
		{"sliding-counter:limit=5,window=1s", 5, 9},
		{"sliding-counter:limit=5,window=1s,rule=below", 5, 10},
		{"token-bucket:rate=5/s,burst=5", 5, 9},
		{"sliding-counter:limit=50,window=1s", 50, 99},
		{"sliding-counter:limit=50,window=1s,rule=below", 50, 100},
		{"sliding-log:limit=50,window=1s", 50, 50},
	} {
		t.Run(c.limiter, func(t *testing.T) {
			l, err := limiters.Parse(c.limiter)
			require.NoError(t, err)
			for rep := range 3 {
				r := workloads.Streams(7, rep, "")("schedules")
				assert.Equal(t, c.want, worstWindow(l.New(1, nil), time.Second, c.limit, r))
			}
		})
	}
}
