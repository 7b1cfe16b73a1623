package clients

import (
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerBudget(BudgetEntry{
		Entry: spec.Entry{
			Name: "grpc",
			Doc:  "stops all retries once failures prevail, until successes have paid them back",
			Params: []spec.Param{
				{Name: "max", Unit: "decimal", Default: "10", Doc: "the most tokens, and how many there are at first; in (0, 1000]"},
				{Name: "ratio", Unit: "decimal", Default: "0.1", Doc: "tokens that a success brings; > 0"},
			},
			More: "A failed attempt takes one token, down to 0; a retry needs more than max/2 and takes none. A hint that no wait helps is a push-back\n" +
				"not to retry. Failures prevail from the share ratio/(1+ratio) on. The rule and its defaults are those of gRPC's proposal A6.",
		},
		Examples: []string{"grpc", "grpc:max=100,ratio=0.5", "grpc:of=all"},
		read: func(v *spec.Values) newBudget {
			most, gain := thousandths(v, "max"), thousandths(v, "ratio")
			if most < 1 || most > 1_000_000 {
				v.Fail("max", "must lie in (0, 1000], got %s", v.Text("max"))
			}
			if gain < 1 {
				v.Fail("ratio", "must be > 0, got %s", v.Text("ratio"))
			}
			return func() budget { return &grpc{level: most, max: most, gain: gain} }
		},
	})
}

type grpc struct {
	indifferent
	level, max, gain int64 // thousandths of a token
}

func (b *grpc) heard(_ time.Duration, o contract.Outcome) {
	if o == contract.OK {
		b.level = min(b.max, b.level+b.gain)
	} else {
		b.level = max(0, b.level-1000)
	}
}

func (b *grpc) retry(_ time.Duration, _ bool, d contract.Decision) bool {
	pause, said := told(d)
	return 2*b.level > b.max && !(said && pause == contract.Never)
}
