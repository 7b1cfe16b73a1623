package peers

import (
	"fmt"
	"time"

	"github.com/sethvargo/go-limiter/memorystore"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

func goLimiterMemory() Peer {
	return Peer{
		Program: "sethvargo/go-limiter",
		Version: moduleVersion("github.com/sethvargo/go-limiter"),
		Start:   library(decideGoLimiter).start,
		Specs: []string{
			"go-limiter:limit=5,window=300ms", "go-limiter:limit=1,window=300ms", "go-limiter:limit=20000,window=300ms",
			"go-limiter:limit=0,window=250ms", "go-limiter:limit=17000,window=250ms", "go-limiter:limit=7,window=1h",
		},
		Decisions: 120_000,
		CaseSize:  10_000,
		Ways:      Ways{Keys: 2000},
		Note: "Reads the real clock, which nothing in process can set: so windows of 250 ms and more, up to four of them, " +
			"and no steps back, exact edges or long rests. Its sweeps (every 6 h) are not modelled.",
	}
}

// decideGoLimiter calls Take now, again and again, and twice rests for one or
// two windows. The arrivals' times become those of the calls. Take reads the
// clock by itself, between our readings before and after it: what it read is
// known to be in the tick whose end it tells, and a key's first tick tells when
// it began.
func decideGoLimiter(c *Case) ([]limiters.Decision, error) {
	limit, err := spec.ParseCount(param(c.Spec, "limit"))
	if err != nil {
		return nil, err
	}
	window, err := spec.ParseDuration(param(c.Spec, "window"))
	if err != nil {
		return nil, err
	}
	store, err := memorystore.New(&memorystore.Config{Tokens: uint64(limit), Interval: window})
	if err != nil {
		return nil, err
	}
	defer store.Close(background)
	starts := map[uint32]time.Duration{}
	answers := make([]limiters.Decision, len(c.Arrivals))
	for i := range c.Arrivals {
		if rest := window + time.Millisecond; rest < time.Second {
			switch i {
			case len(answers) / 3:
				time.Sleep(rest)
			case len(answers) * 2 / 3:
				time.Sleep(2 * rest)
			}
		}
		a, d := &c.Arrivals[i], &answers[i]
		key := c.KeyText(a.Key)
		before := time.Duration(time.Now().UnixNano())
		tokens, remaining, reset, ok, err := store.Take(background, key)
		after := time.Duration(time.Now().UnixNano())
		if err != nil {
			return nil, err
		}
		end := time.Duration(reset)
		start, known := starts[a.Key]
		if a.At = max(before, end-window); !known {
			start = end - window
			a.At = start
			starts[a.Key] = start
		}
		if a.At < before || a.At > after || a.At >= end || (end-start)%window != 0 {
			return nil, fmt.Errorf("arrival %d: the tick of a request between %s and %s, whose key began at %s, ends at %s",
				i, seconds(before), seconds(after), seconds(start), seconds(end))
		}
		d.Admitted, d.Limit, d.Remaining, d.Reset = ok, int64(tokens), int64(remaining), end-a.At
		d.Has = contract.HintLimit | contract.HintRemaining | contract.HintReset
	}
	return answers, nil
}
