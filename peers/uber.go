package peers

import (
	"fmt"
	"math/rand/v2"
	"time"

	"go.uber.org/ratelimit"

	"ratelab/internal/spec"
	"ratelab/limiters"
)

func uberRatelimit() Peer {
	texts := rates(40, rand.New(rand.NewPCG(3, 1)))
	return Peer{
		Program: "go.uber.org/ratelimit",
		Version: moduleVersion("go.uber.org/ratelimit"),
		Start:   library(decideUber).start,
		Specs: append(specs(len(texts), func(i int, r *rand.Rand) string {
			text := "uber:rate=" + texts[i]
			if r.IntN(4) > 0 {
				text += fmt.Sprintf(",slack=%d", count(0, r))
			}
			return text
		}), "uber:rate=2000000000/s", "uber:rate=2000000000/s,slack=0"),
		Decisions: libraryDecisions,
		Ways:      Ways{Back: 2 * day},
		Note:      "On its clock option. A rate of 0, at which it panics, is refused by the limiter.",
	}
}

// stoppedClock is a clock that stands: who sleeps is back at once.
type stoppedClock struct {
	now   time.Duration
	slept time.Duration
}

func (c *stoppedClock) Now() time.Time        { return time.Unix(0, int64(c.now)) }
func (c *stoppedClock) Sleep(d time.Duration) { c.slept = d }

// decideUber calls Take, with a limiter for every key.
func decideUber(c *Case) ([]limiters.Decision, error) {
	r, err := spec.ParseRate(param(c.Spec, "rate"))
	if err != nil {
		return nil, err
	}
	clock := &stoppedClock{}
	options := []ratelimit.Option{ratelimit.WithClock(clock), ratelimit.Per(r.P)}
	if text := param(c.Spec, "slack"); text != "" {
		slack, err := spec.ParseCount(text)
		if err != nil {
			return nil, err
		}
		options = append(options, ratelimit.WithSlack(int(slack)))
	}
	keys := map[uint32]ratelimit.Limiter{}
	return eachArrival(c, func(a Arrival) (d limiters.Decision, err error) {
		l := keys[a.Key]
		if l == nil {
			l = ratelimit.New(int(r.N), options...)
			keys[a.Key] = l
		}
		*clock = stoppedClock{now: a.At}
		turn := time.Duration(l.Take().UnixNano())
		if turn-a.At != clock.slept {
			return d, fmt.Errorf("its turn is %s after the call, but it slept %s", turn-a.At, clock.slept)
		}
		d.Admitted, d.Delay = true, clock.slept
		return d, nil
	})
}
