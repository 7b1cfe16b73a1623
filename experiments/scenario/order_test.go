package scenario

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"ratelab/limiters"
	"ratelab/workloads"
)

// unordered sends at 1 ms, 9 ms, and from then on ever earlier.
type unordered struct{ n int64 }

func (u *unordered) Next() (workloads.Arrival, bool) {
	u.n++
	at := time.Millisecond
	if u.n > 1 {
		at = 9*time.Millisecond - time.Duration(u.n-2)
	}
	return workloads.Arrival{At: at, Cost: 1}, true
}

// still sends at 1 ms, for ever.
type still struct{}

func (still) Next() (workloads.Arrival, bool) {
	return workloads.Arrival{At: time.Millisecond, Cost: 1}, true
}

// A workload that sends arrivals out of order ends the run with an error, on
// every path that a run can take.
func TestArrivalsOutOfOrderEndARun(t *testing.T) {
	const limiter, workload = "token-bucket:rate=10/s,burst=5", "trace:file=any,start=asis"
	plain := Default(config(t, limiter, workload).Limiter, config(t, limiter, workload).Workload)
	ahead := on(t, plain, 8, "round-robin", "local")
	ahead.Keys = manyPairs / 8
	for name, c := range map[string]Config{
		"plain":          plain,
		"measured":       config(t, limiter, workload),
		"read ahead":     ahead,
		"on a clock":     on(t, plain, 2, "round-robin", "central:fail=open,timeout=5ms"),
		"by clients":     with(t, plain, 1, "fixed:wait=1s"),
		"through layers": layered(t, workload, limiters.ChargeAdmitted, "global="+limiter),
	} {
		t.Run(name, func(t *testing.T) {
			c.Horizon = time.Second
			c.Open = func(string) (workloads.Workload, error) { return &unordered{}, nil }
			_, err := Run(t.Context(), c)
			assert.EqualError(t, err, "workload: arrival 3 at 8.999999ms is before arrival 2 at 9ms")
		})
	}
}

func TestAWorkloadThatStandsStillEndsARun(t *testing.T) {
	c := Default(config(t, "token-bucket:rate=10/s,burst=5", "steady:rate=1/s").Limiter, config(t, "gcra:rate=1/s,burst=1", "trace:file=any,start=asis").Workload)
	c.Horizon = time.Second
	c.Open = func(string) (workloads.Workload, error) { return still{}, nil }
	_, err := Run(t.Context(), c)
	assert.EqualError(t, err, "workload: arrival 16777217 at 1ms is the 16777217th at that instant: the workload stands still")
}
