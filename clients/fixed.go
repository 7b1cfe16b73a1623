package clients

import (
	"math/rand/v2"
	"time"

	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "fixed",
			Doc:  "waits the same time after every failure",
			Params: []spec.Param{
				{Name: "wait", Unit: "duration", Doc: "from a failure to the next attempt"},
			},
		},
		Examples: []string{"fixed:wait=1s", "fixed:wait=3s,attempts=unlimited,budget=grpc"},
		read:     func(v *spec.Values) policy { return fixed{v.Duration("wait")} },
	}, true)
}

type fixed struct{ pause time.Duration } // > 0

func (p fixed) wait(failure, *rand.Rand) (time.Duration, bool) { return p.pause, true }
