package scenario

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/clients"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// tallied counts what an observer is told.
type tallied struct{ sent, again, refused, succeeded int }

func (o *tallied) Sent(_ time.Duration, _ int, _ contract.Request, attempt int64) {
	o.sent++
	if attempt > 1 {
		o.again++
	}
}

func (o *tallied) Heard(_ time.Duration, _ int, _ contract.Request, r contract.Reply) {
	if r.Outcome == contract.Throttled {
		o.refused++
	}
}

func (o *tallied) Ended(_ time.Duration, e clients.Ended) {
	if e.End == clients.Succeeded {
		o.succeeded++
	}
}

func TestAnObserverHearsWhatTheMetricsCountAndChangesNothing(t *testing.T) {
	limiter, err := limiters.Parse("token-bucket:rate=2/s,burst=5")
	require.NoError(t, err)
	poisson, err := workloads.Parse("poisson:rate=4/s")
	require.NoError(t, err)
	c := Default(limiter, poisson)
	c.Horizon = time.Minute
	c.Clients, err = clients.ParseMix("backoff:base=1s,cap=8s")
	require.NoError(t, err)
	alone, err := Run(context.Background(), c)
	require.NoError(t, err)
	var o tallied
	c.Observer = &o
	r, err := Run(context.Background(), c)
	require.NoError(t, err)
	assert.Equal(t, len(alone), len(r))
	for _, v := range alone {
		if !math.IsNaN(v.Value) {
			assert.Equal(t, v.Value, r.Get(v.Name), v.Name)
		}
	}
	assert.EqualValues(t, r.Get("attempts"), o.sent)
	assert.EqualValues(t, r.Get("attempts")-r.Get("requests"), o.again)
	assert.EqualValues(t, r.Get("heard_throttled"), o.refused)
	assert.EqualValues(t, r.Get("succeeded"), o.succeeded)
	assert.Positive(t, o.refused)
}
