package clients

import (
	"math/rand/v2"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "retry-after",
			Doc:  "comes back when it was told to",
			Params: []spec.Param{
				{Name: "jitter", Unit: "duration", Default: "0s", Doc: "longest extra wait, uniform from 0"},
				{Name: "else", Unit: "duration", Default: "1s", Doc: "the wait where no hint says one, or a hint of 0"},
			},
			More: "Where the hint says that no wait helps, the request is given up. Jitter is added to either wait.",
		},
		Examples: []string{"retry-after", "retry-after:jitter=30s", "retry-after:attempts=unlimited,timeout=2s,budget=tokens"},
		read: func(v *spec.Values) policy {
			return retryAfter{jitter: v.DurationOrZero("jitter"), otherwise: v.Duration("else")}
		},
	}, true)
}

type retryAfter struct {
	jitter    time.Duration // >= 0
	otherwise time.Duration // > 0
}

func (p retryAfter) wait(f failure, r *rand.Rand) (time.Duration, bool) {
	pause, said := told(f.reply.Decision)
	switch {
	case !said:
		pause = p.otherwise
	case pause == contract.Never:
		return 0, false
	}
	return plus(pause, upTo(p.jitter, r)), true
}
