package clients

import (
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	registerBudget(BudgetEntry{
		Entry: spec.Entry{
			Name: "ratio",
			Doc:  "retries up to a percentage of the requests of the last seconds, and a minimum",
			Params: []spec.Param{
				{Name: "ttl", Unit: "duration", Default: "10s", Doc: "how long a deposit, or a withdrawal, counts; whole seconds"},
				{Name: "min", Unit: "count", Default: "10", Doc: "retries a second that are always allowed, averaged over ttl"},
				{Name: "percent", Unit: "count", Default: "20", Doc: "retries for 100 requests, 0..100000"},
			},
			More: "Every request deposits percent, every retry takes 100; the balance is min·ttl·100 and what came and went in the last ttl,\n" +
				"counted in ten slices of ttl/10, the present one included. A steady client retries at most min + percent/100 times its rate.\n" +
				"The rule and its defaults are those of Finagle's RetryBudget.",
		},
		Examples: []string{"ratio", "ratio:ttl=10s,min=10,percent=20", "ratio:min=0,percent=10,of=all"},
		read: func(v *spec.Values) newBudget {
			ttl, floor, percent := v.Duration("ttl"), v.Count("min"), v.Count("percent")
			if ttl%time.Second != 0 || ttl > 24*time.Hour {
				v.Fail("ttl", "must be whole seconds, 1d at most, got %s", v.Text("ttl"))
			}
			if floor > 1e9 {
				v.Fail("min", "must be at most 1000000000 a second, got %s", v.Text("min"))
			}
			if percent > 100_000 {
				v.Fail("percent", "must lie in 0..100000, got %s", v.Text("percent"))
			}
			reserve := floor * int64(ttl/time.Second) * 100
			return func() budget { return &ratio{reserve: reserve, percent: percent, balance: newRecent(ttl, 10)} }
		},
	})
}

type ratio struct {
	indifferent
	reserve, percent int64 // hundredths of a retry
	balance          recent
}

func (b *ratio) begin(now time.Duration) { b.balance.add(now, b.percent) }

func (b *ratio) retry(now time.Duration, _ bool, _ contract.Decision) bool {
	if b.reserve+b.balance.sum(now) < 100 {
		return false
	}
	b.balance.add(now, -100)
	return true
}
