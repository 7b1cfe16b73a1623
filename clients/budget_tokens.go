package clients

import (
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerBudget(BudgetEntry{
		Entry: spec.Entry{
			Name: "tokens",
			Doc:  "a bucket of retries that requests fill a little at a time",
			Params: []spec.Param{
				{Name: "deposit", Unit: "decimal", Default: "0.1", Doc: "tokens that one deposit brings"},
				{Name: "on", Unit: "call|success", Default: "call", Doc: "what brings them: each new request, or each success"},
				{Name: "cap", Unit: "decimal", Default: "5", Doc: "the most tokens, and how many there are at first"},
			},
			More: "A retry costs one token and needs more than one. With deposit d on every request, a long run sends at most 1+d attempts a request.\n" +
				"Tokens are counted in whole thousandths: a sum of float tenths passes 1 too early.",
		},
		Examples: []string{"tokens", "tokens:on=success", "tokens:deposit=0.02,cap=10", "tokens:deposit=0,of=all"},
		read: func(v *spec.Values) newBudget {
			deposit, most := thousandths(v, "deposit"), thousandths(v, "cap")
			onSuccess := v.Choice("on", "call", "success") == "success"
			return func() budget { return &tokens{level: most, cap: most, deposit: deposit, onSuccess: onSuccess} }
		},
	})
}

// tokens is the adaptive retry of Marc Brooker's simulator_example: his text
// deposits on success, his program on every call.
type tokens struct {
	indifferent
	level, cap, deposit int64 // thousandths of a token
	onSuccess           bool
}

func (b *tokens) begin(time.Duration) {
	if !b.onSuccess {
		b.level = min(b.cap, b.level+b.deposit)
	}
}

func (b *tokens) heard(_ time.Duration, o contract.Outcome) {
	if b.onSuccess && o == contract.OK {
		b.level = min(b.cap, b.level+b.deposit)
	}
}

func (b *tokens) retry(time.Duration, bool, contract.Decision) bool {
	if b.level <= 1000 {
		return false
	}
	b.level -= 1000
	return true
}
