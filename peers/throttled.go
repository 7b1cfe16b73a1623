package peers

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

func throttledMemory() Peer {
	texts := rates(40, rand.New(rand.NewPCG(2, 1)))
	return Peer{
		Program: "github.com/throttled/throttled/v2",
		Version: moduleVersion("github.com/throttled/throttled/v2"),
		Start:   library(decideThrottled).start,
		Specs: append(specs(len(texts), func(i int, r *rand.Rand) string {
			return fmt.Sprintf("throttled:rate=%s,burst=%d", texts[i], count(0, r))
		}), "throttled:rate=1/d,burst=0", "throttled:rate=1/d,burst=106751", "throttled:rate=1000000000/s,burst=3"),
		Decisions: libraryDecisions,
		Ways:      Ways{Back: 2 * day},
		Note: "With its store in memory (store/memstore), on a clock that is set. That store's limit on keys is not modelled; nor are its " +
			"Redis stores, which forget up to 1 s of debt.",
	}
}

// decideThrottled calls RateLimit, on the store in memory.
func decideThrottled(c *Case) ([]limiters.Decision, error) {
	r, err := spec.ParseRate(param(c.Spec, "rate"))
	if err != nil {
		return nil, err
	}
	burst, err := spec.ParseCount(param(c.Spec, "burst"))
	if err != nil {
		return nil, err
	}
	store, err := memstore.New(0)
	if err != nil {
		return nil, err
	}
	var now time.Duration
	store.SetTimeNow(func() time.Time { return time.Unix(0, int64(now)) })
	quota := throttled.RateQuota{MaxRate: throttled.PerDuration(int(r.N), r.P), MaxBurst: int(burst)}
	l, err := throttled.NewGCRARateLimiterCtx(throttled.WrapStoreWithContext(store), quota)
	if err != nil {
		return nil, err
	}
	return eachArrival(c, func(a Arrival) (d limiters.Decision, err error) {
		now = a.At
		refused, result, err := l.RateLimitCtx(background, c.KeyText(a.Key), int(a.Cost))
		if err != nil {
			return d, err
		}
		d.Admitted = !refused
		if refused {
			d.RetryAfter = result.RetryAfter
			if d.RetryAfter == -1 { // its word for never
				d.RetryAfter = limiters.Never
			}
		} else if result.RetryAfter != -1 {
			return d, fmt.Errorf("an admitted request is told to come back in %s", result.RetryAfter)
		}
		d.Limit, d.Remaining, d.Reset = int64(result.Limit), int64(result.Remaining), result.ResetAfter
		d.Has = contract.AllHints
		return d, nil
	})
}
