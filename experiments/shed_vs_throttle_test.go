package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"ratelab/experiments/scenario"
	"ratelab/fleet"
	"ratelab/limiters"
)

func TestShedVsThrottleClaims(t *testing.T) {
	changed := func(change func(c *scenario.Config) error) breakage { return fleetChanged(t, change) }
	queue := func(n int) breakage {
		return changed(func(c *scenario.Config) error {
			c.Capacity.Queue = n
			return nil
		})
	}
	limiting := func(text string) breakage {
		return changed(func(c *scenario.Config) (err error) {
			c.Limiter, err = limiters.Parse(text)
			return err
		})
	}
	double := changed(func(c *scenario.Config) (err error) {
		c.Capacity.Service, err = fleet.ParseService("const:mean=5ms")
		return err
	})
	testClaims(t, "shed-vs-throttle", map[string]breakage{
		"shedding hits the polite: under one greedy tenant each loses what M/D/1/K loses of all":                   double,
		"shedding spares the greedy: it loses the same share as everybody":                                         double,
		"limits by tenant save the others: they lose what their own buckets refuse, whatever the greedy one sends": limiting("token-bucket:rate=90/s,burst=90"),
		"limits by tenant give a greedy one its max-min share of what they leave: its limit":                       limiting("token-bucket:rate=10/s,burst=9"),
		"under total overload limits by tenant refuse nothing: everybody is within his own":                        limiting("token-bucket:rate=15/s,burst=15"),
		"and without shedding nobody is served in time: goodput 0":                                                 queue(shedQueue),
		"shedding keeps the goodput at the capacity, with limits by tenant or without":                             queue(fleet.Unlimited),
	})
}

func TestShedVsThrottleFiguresSayWhatWasMeasured(t *testing.T) {
	overloadTitles(t, overloadData(t, "shed-vs-throttle", all), map[string]string{
		"goodput": "shedding serves 100/s in time, limits by tenant 0/s, as if there were none",
		"greedy":  "One tenant asks for twice the capacity: of the others’ requests limits by tenant save 100%",
		"labels":  "With limits the greedy tenant hears 429 to 9",
	})
}

func TestShedVsThrottleCountsEveryOutcomeOnce(t *testing.T) {
	d := overloadData(t, "shed-vs-throttle", func(get func(string) string) bool {
		return get("part") == "greedy" && get("greedy") == "20"
	})
	for _, defence := range []string{"none", "shed", "throttle", "both"} {
		for _, who := range []string{"others", "greedy"} {
			sum := 0.0
			for _, outcome := range []string{"ok", "throttled", "shed", "timeout"} {
				share, _, _ := d.Mean(who+"_"+outcome, shedPlace(defence, 20, 9)...)
				sum += share
			}
			assert.InDelta(t, 1, sum, 1e-12, "%s, %s", defence, who)
		}
	}
}

func TestShedVsThrottleRefusesBadValuesWithAReason(t *testing.T) {
	refuses(t, "shed-vs-throttle", [][3]string{
		{"defence", "sheds", `did you mean "shed"`},
		{"greedy", "-1", "must be a whole number in 1..10000"},
		{"offered", "0", "must be a whole number in 1..100000"},
		{"limit", "many", "must be a whole number"},
	})
}
