package experiments

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/limiters"
)

// budgetChanged simulates other calls than the experiment asks for.
func budgetChanged(change func(c *scenario.Calling) error) breakage {
	return func(lab *Lab) {
		lab.Call = func(ctx context.Context, c scenario.Calling) (scenario.Called, error) {
			if err := change(&c); err != nil {
				return scenario.Called{}, err
			}
			return scenario.Call(ctx, c)
		}
	}
}

func TestRetryBudgetClaims(t *testing.T) {
	with := func(param, value string) breakage {
		return budgetChanged(func(c *scenario.Calling) (err error) {
			c.Client, err = c.Client.With(param, value)
			return err
		})
	}
	testClaims(t, "retry-budget", map[string]breakage{
		"three retries send 1 + p + p² + p³ attempts a call":                                               with("attempts", "3"),
		"and fail with p⁴, not p³":                                                                         with("attempts", "3"),
		"a bucket that every call fills by a tenth sends what its chain of 51 states says":                 with("budget", "tokens/deposit=0.2"),
		"and as many calls succeed":                                                                        with("budget", "tokens/deposit=0.2"),
		"a deep bucket costs nothing below a failure share of 1/11, and above sends 1.1 attempts a call":   with("budget", "tokens/cap=50/deposit=0.2"),
		"gRPC's throttling sends what its chain of 101 states says":                                        with("budget", "grpc/ratio=0.2"),
		"from a failure share of 1/11 on gRPC all but stops to retry":                                      with("budget", "grpc/ratio=1"),
		"Finagle's budget, where more fails than it allows, sends 1.2 attempts a call and 10 a second":     with("budget", "ratio/percent=25"),
		"Envoy's budget of 20 % of what is in flight sends at most 1.25 attempts a call":                   with("budget", "active/percent=30/of=all"),
		"adaptive throttling sends K attempts for each that is accepted":                                   with("budget", "adaptive/k=4/window=10s"),
		"where more than 1 − 1/K of attempts fail from outside, adaptive throttling all but stops to call": with("budget", "adaptive/k=20/window=10s"),
		"buckets that are full at first let their stock through besides: 5 retries for each client":        with("budget", "tokens/cap=50"),
		// The retries come at once.
		"behind a limiter of capacity c < λ, m retries send (c/λ)/(1 − p) attempts a call, p = (1 − c/λ)^(1/(m+1))": budgetChanged(func(c *scenario.Calling) (err error) {
			c.Client, err = clients.Parse(fmt.Sprintf("rude:every=0,attempts=%d", c.Client.Attempts()))
			return err
		}),
		// As much fails, but for a reason from outside.
		"and no more calls succeed than without retries: c/λ, whatever the budget": budgetChanged(func(c *scenario.Calling) error {
			c.Limiter, c.Failure = limiters.Spec{}, 0.5
			return nil
		}),
	})
}

func TestRetryBudgetHasDrawableFigures(t *testing.T) {
	lab := trueLab(true)
	budgetChanged(func(c *scenario.Calling) error {
		c.Warmup, c.Horizon = c.Warmup/8, c.Warmup/8+2*time.Second
		return nil
	})(&lab)
	drawAll(t, quickly(t, "retry-budget", lab, 2, all))
}

func TestRetryBudgetRefusesBadValuesWithAReason(t *testing.T) {
	refuses(t, "retry-budget", [][3]string{
		{"part", "inside", "known: outside, limiter, start"},
		{"budget", "token", `did you mean "tokens"`},
		{"retries", "-1", "must be a whole number in 0..1000, or unlimited"},
		{"failure", "1.5", "must be a number in 0..1"},
		{"served", "0", "must be a number in 0.001..1000"},
		{"spread", "2h", "must lie in 0s..1h"},
		{"calls", "5", "must be <number>/<duration>"},
		{"clients", "0", "must be a whole number"},
		{"latency", "-1s", "must lie in 0s..1h"},
	})
}

func TestRetryBudgetTakesOtherValues(t *testing.T) {
	takes(t, "retry-budget", []Setting{
		{"budget", []string{"tokens:deposit=0.2,on=success"}}, {"retries", []string{"2"}}, {"failure", []string{"0.95"}}, {"served", []string{"0.333"}},
		{"spread", []string{"1s"}}, {"calls", []string{"7/13s"}}, {"clients", []string{"3"}}, {"latency", []string{"5ms"}},
	})
}
