package clients

import (
	"math/rand/v2"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerBudget(BudgetEntry{
		Entry: spec.Entry{
			Name: "adaptive",
			Doc:  "the client refuses its own attempts when the server accepts too few",
			Params: []spec.Param{
				{Name: "k", Unit: "decimal", Default: "2", Doc: "attempts that it allows itself for one accepted; >= 1"},
				{Name: "window", Unit: "duration", Default: "2m", Doc: "how far back it counts, in 120 slices"},
			},
			More: "An attempt, first or not, is not sent with chance max(0, (requests − k·accepts)/(requests+1)), counted over the window; requests are\n" +
				"those that it wanted to send, the unsent included. The request then ends. Far above its capacity a server gets k attempts for\n" +
				"each that it accepts. The rule and its defaults are those of chapter 21 of Google's book on site reliability.",
		},
		Examples: []string{"adaptive", "adaptive:k=1.1", "adaptive:k=1.5,window=10s,of=all"},
		read: func(v *spec.Values) newBudget {
			k, window := thousandths(v, "k"), v.Duration("window")
			if k < 1000 || k > 1e9 {
				v.Fail("k", "must lie in 1..1000000, got %s", v.Text("k"))
			}
			if window < adaptiveSlices || window > 365*24*time.Hour {
				v.Fail("window", "must lie in %dns..365d, got %s", adaptiveSlices, v.Text("window"))
			}
			return func() budget {
				return &adaptive{k: k, requests: newRecent(window, adaptiveSlices), accepts: newRecent(window, adaptiveSlices)}
			}
		},
	})
}

const adaptiveSlices = 120

type adaptive struct {
	indifferent
	k                 int64 // thousandths
	requests, accepts recent
}

func (b *adaptive) permit(now time.Duration, r *rand.Rand) bool {
	requests, accepts := b.requests.sum(now), b.accepts.sum(now)
	b.requests.add(now, 1)
	tooMany := 1000*requests - b.k*accepts
	return tooMany <= 0 || r.Int64N(1000*(requests+1)) >= tooMany
}

func (b *adaptive) heard(now time.Duration, o contract.Outcome) {
	if o == contract.OK {
		b.accepts.add(now, 1)
	}
}
