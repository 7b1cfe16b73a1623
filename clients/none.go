package clients

import (
	"math/rand/v2"
	"time"

	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "none",
			Doc:  "takes the no for an answer: one attempt a request",
		},
		Examples: []string{"none", "none:users=20,think=1s", "none:timeout=3s,budget=adaptive"},
		read:     func(*spec.Values) policy { return none{} },
	}, false)
}

// none never tries again.
type none struct{}

func (none) wait(failure, *rand.Rand) (time.Duration, bool) { return 0, false }
