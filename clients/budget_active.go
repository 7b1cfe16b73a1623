package clients

import (
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerBudget(BudgetEntry{
		Entry: spec.Entry{
			Name: "active",
			Doc:  "retries up to a percentage of the requests that are under way, and a minimum",
			Params: []spec.Param{
				{Name: "percent", Unit: "count", Default: "20", Doc: "retrying requests for 100 under way, 0..100"},
				{Name: "min", Unit: "count", Default: "3", Doc: "retrying requests that are always allowed"},
			},
			More: "A request is under way from its beginning to its end, and retrying from its first retry's wait to its end; those that retry count as\n" +
				"under way. Above the minimum at most percent/(100−percent) of the first tries retry. It is meant to be shared: of=all.\n" +
				"The rule and its defaults are those of Envoy's retry budget.",
		},
		Examples: []string{"active:of=all", "active:percent=50,min=1", "active:min=0,of=all"},
		read: func(v *spec.Values) newBudget {
			percent, least := v.Count("percent"), v.Count("min")
			if percent > 100 {
				v.Fail("percent", "must lie in 0..100, got %s", v.Text("percent"))
			}
			return func() budget { return &active{percent: percent, least: least} }
		},
	})
}

type active struct {
	indifferent
	percent, least int64
	requests       int64 // under way
	retries        int64 // of them, those that retry
}

func (b *active) begin(time.Duration) { b.requests++ }

func (b *active) retry(_ time.Duration, again bool, _ contract.Decision) bool {
	with := b.retries
	if !again {
		with++
	}
	if with > b.least && 100*with > b.percent*b.requests {
		return false
	}
	b.retries = with
	return true
}

func (b *active) end(retried bool) {
	b.requests--
	if retried {
		b.retries--
	}
}
