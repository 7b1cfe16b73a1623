package experiments

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/fleet"
)

func TestOverloadCollapseClaims(t *testing.T) {
	changed := func(change func(c *scenario.Config) error) breakage { return fleetChanged(t, change) }
	unbounded := changed(func(c *scenario.Config) error {
		c.Capacity.Queue = fleet.Unlimited
		return nil
	})
	bounded := changed(func(c *scenario.Config) error {
		c.Capacity.Queue = 100
		return nil
	})
	serving := func(text string) breakage {
		return changed(func(c *scenario.Config) (err error) {
			c.Capacity.Service, err = fleet.ParseService(text)
			return err
		})
	}
	sending := func(text string) breakage {
		return changed(func(c *scenario.Config) (err error) {
			c.Clients, err = clients.ParseMix(text)
			return err
		})
	}
	free := changed(func(c *scenario.Config) error {
		c.Capacity.RefusalCost = 0
		return nil
	})
	testClaims(t, "overload-collapse", map[string]breakage{
		"load × attempts below the capacity heals from any backlog":                                                    sending("rude:attempts=6,timeout=1s"),
		"between capacity / attempts and capacity, a spike leaves an outage that lasts":                                bounded,
		"without a spike, or with one that leaves less in line than capacity × timeout, the same server stays well":    serving("const:mean=4ms"),
		"a queue shorter than capacity × timeout is never stuck":                                                       unbounded,
		"with a queue shorter than capacity × timeout the goodput stays at the capacity, or the load if that is lower": serving("const:mean=3ms"),
		"a budget that lets fewer retries through than capacity − load heals the outage":                               sending("rude:attempts=2,timeout=1s"),
		"a limit below the capacity, whose burst is shorter than capacity × timeout, prevents the outage": changed(func(c *scenario.Config) (err error) {
			c.Limiter, err = c.Limiter.With("burst", "2000")
			return err
		}),
		"back-off with jitter alone does not heal: it moves retries and makes none of them fewer": sending("none:timeout=1s"),
		"where each refusal takes a worker D, goodput is min(limit, (c − A·D)/(S − D))":           free,
		"where every decision takes a worker D, goodput is min(limit, (c − A·D)/S)":               free,
		"from c/D arrivals a second on, the door does nothing but refuse: goodput 0": changed(func(c *scenario.Config) error {
			c.Capacity.RefusalAt = fleet.Door // a clerk of its own
			return nil
		}),
	})
}

// overloadData runs the points of an experiment that keep holds of, once each.
func overloadData(t *testing.T, name string, keep func(get func(string) string) bool) *Data {
	t.Helper()
	return quickly(t, name, trueLab(true), 1, keep)
}

func overloadTitles(t *testing.T, d *Data, titles map[string]string) {
	t.Helper()
	for figure, title := range drawAll(t, d) {
		assert.Contains(t, title, titles[figure])
	}
}

func TestOverloadCollapseFiguresSayWhatWasMeasured(t *testing.T) {
	overloadTitles(t, overloadData(t, "overload-collapse", func(get func(string) string) bool {
		switch get("part") {
		case "door":
			return get("arrivals") == "steady"
		case "spike":
			return get("jitter") == "none" && get("budget") == "none" && get("limit") == "none" && get("deadline") == "no" && get("peak") == "450"
		}
		return true
	}), map[string]string{
		"course": "A spike of 4 s: a minute later 0/s are served in time, back-off or not",
		"stuck":  "One retry: at 130/s the server always recovers",
		"door":   "Saying no takes time too: behind a limit of 20/s, 20/s are served of 50/s, 5.0/s of 95/s, none of 120/s",
	})
}

// TestOverloadCollapseCountsOneStory: what course counts are spans of the run
// that spike looks at, with the same arrivals.
func TestOverloadCollapseCountsOneStory(t *testing.T) {
	e, err := Lookup("overload-collapse")
	require.NoError(t, err)
	plan := e.plan(trueLab(true))
	cells, err := plan.Cells()
	require.NoError(t, err)
	worlds := make(map[string]scenario.Config)
	for _, c := range cells {
		if c.Rep == 0 && c.Get("part") != "door" && c.Get("queue") == "150" {
			w, err := overloadSpike(c, true)
			require.NoError(t, err)
			worlds[c.Get("part")+" "+c.Get("from")] = w
		}
	}
	spike, course := worlds["spike 0"], worlds["course 40"]
	require.NotZero(t, spike.Horizon)
	require.Equal(t, 45*time.Second, course.Horizon)
	assert.Equal(t, spike.Seed, course.Seed)
	assert.Equal(t, spike.Workload.String(), course.Workload.String())
	course.Warmup, course.Horizon = spike.Warmup, spike.Horizon
	a, err := scenario.Run(context.Background(), spike)
	require.NoError(t, err)
	b, err := scenario.Run(context.Background(), course)
	require.NoError(t, err)
	assert.Equal(t, a.Get("goodput"), b.Get("goodput"))
}

func TestOverloadCollapseRefusesBadValuesWithAReason(t *testing.T) {
	refuses(t, "overload-collapse", [][3]string{
		{"part", "spikes", `did you mean "spike"`},
		{"load", "0", "must be a whole number in 1..100000"},
		{"retries", "-1", "must be a whole number in 0..100"},
		{"spike", "1h", "must lie in 0s..20s"},
		{"queue", "none", "must be a whole number >= 0, or unlimited"},
		{"limit", "token-buckets", `did you mean "token-bucket"`},
		{"jitter", "some", "known: "},
		{"budget", "ratios", `did you mean "ratio"`},
		{"from", "-1", "must be a number in 0..3600"},
	})
}
