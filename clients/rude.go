package clients

import (
	"math/rand/v2"
	"time"

	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "rude",
			Doc:  "tries again in a tight loop, whatever it was told",
			Params: []spec.Param{
				{Name: "every", Unit: "duration", Default: "100ms", Doc: "from a failure to the next attempt; 0 for at once"},
			},
		},
		Examples: []string{"rude", "rude:every=0,attempts=3", "rude:every=400ms,attempts=6", "rude:timeout=100ms,users=5,think=2s"},
		read:     func(v *spec.Values) policy { return rude{v.DurationOrZero("every")} },
	}, true)
}

// rude does not read hints, not even that no wait helps.
type rude struct{ every time.Duration }

func (p rude) wait(failure, *rand.Rand) (time.Duration, bool) { return p.every, true }
