package peers

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/memory"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

func ululeMemory() Peer {
	texts := windows(40, time.Nanosecond, rand.New(rand.NewPCG(5, 1)))
	return Peer{
		Program: "github.com/ulule/limiter/v3",
		Version: moduleVersion("github.com/ulule/limiter/v3"),
		Start:   library(decideUlule).start,
		Specs: append(specs(len(texts), func(i int, r *rand.Rand) string {
			return fmt.Sprintf("ulule:limit=%d,window=%s", count(0, r), texts[i])
		}), "ulule:limit=3,window=1ns"),
		Decisions: libraryDecisions,
		Ways:      Ways{Back: 2 * day},
		Note: "In a bubble of testing/synctest; a step back goes on in a new bubble. With its store in memory, whose sweeper of expired keys " +
			"changes no answer and does not run; its store in Redis is not modelled.",
	}
}

// decideUlule calls Increment.
func decideUlule(c *Case) ([]limiters.Decision, error) {
	limit, err := spec.ParseCount(param(c.Spec, "limit"))
	if err != nil {
		return nil, err
	}
	window, err := spec.ParseDuration(param(c.Spec, "window"))
	if err != nil {
		return nil, err
	}
	store := memory.NewStoreWithOptions(limiter.StoreOptions{Prefix: limiter.DefaultPrefix})
	l := limiter.New(store, limiter.Rate{Limit: limit, Period: window})
	return inBubbles(c, func(a Arrival) (d limiters.Decision, err error) {
		result, err := l.Increment(background, c.KeyText(a.Key), a.Cost)
		if err != nil {
			return d, err
		}
		d.Admitted = !result.Reached
		d.Limit, d.Remaining = result.Limit, result.Remaining
		d.Reset = time.Duration(result.Reset)*time.Second - a.At
		d.Has = contract.HintLimit | contract.HintRemaining | contract.HintReset
		return d, nil
	})
}
