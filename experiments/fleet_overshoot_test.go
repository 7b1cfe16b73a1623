package experiments

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/scenario"
	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/plots"
)

// fleetChanged simulates another world than the experiment asks for.
func fleetChanged(t *testing.T, change func(c *scenario.Config) error) breakage {
	return func(lab *Lab) {
		lab.Simulate = func(ctx context.Context, c scenario.Config) (scenario.Result, error) {
			if err := change(&c); err != nil {
				t.Errorf("a breakage must be possible: %v", err)
			}
			return scenario.Run(ctx, c)
		}
	}
}

func TestFleetOvershootClaims(t *testing.T) {
	coordinated := func(text string) breakage {
		return fleetChanged(t, func(c *scenario.Config) (err error) {
			c.Coordination, err = fleet.ParseCoordination(text)
			return err
		})
	}
	balanced := func(text string) breakage {
		return fleetChanged(t, func(c *scenario.Config) (err error) {
			c.Balancer, err = fleet.ParseBalancer(text)
			return err
		})
	}
	with := func(param, value string) breakage {
		return fleetChanged(t, func(c *scenario.Config) (err error) {
			c.Limiter, err = c.Limiter.With(param, value)
			return err
		})
	}
	testClaims(t, "fleet-overshoot", map[string]breakage{
		"N saturated local limits admit N times the rate":                   coordinated("quota"),
		"N saturated local counters that must fit admit N·(L−1) per window": with("rule", "below"),
		"N saturated local windows overshoot N times":                       balanced("hash"),
		"three instances × 20 tokens: a burst passes N times the limit":     coordinated("central"),
		// The fleet gives the first servers' remainder to nobody.
		"the same burst passes a central bucket once, and quotas as far as they divide": fleetChanged(t, func(c *scenario.Config) (err error) {
			if c.Coordination.String() == "quota" {
				c.Coordination, err = fleet.ParseCoordination("quota:remainder=drop")
			}
			return err
		}),
		"fixed windows behind a random balancer admit N·E[min(Pois(a/N), L)]":                with("limit", "11"),
		"buckets behind a random balancer admit Λ(1 − loss of M/D/1/b at Λ/Nr)":              balanced("round-robin"),
		"logs behind a random balancer admit Λ(1 − ErlangB(L, a/N))":                         with("count", "all"),
		"counters behind a random balancer admit N times what the chain of one counter says": with("rule", "below"),
		"under Zipf weights each server is a limit of its own share":                         balanced("random"),
		"fixed windows behind a round robin admit what one window of N·L admits":             balanced("random"),
		"quotas of a fixed window behind a round robin decide as one central window":         balanced("random"),
		"quotas starve: at exactly the promised rate they admit Σ E[min(Pois(a·w), L/N)]":    balanced("round-robin"),
		"saturated quotas admit what division leaves of the promise":                         coordinated("quota:remainder=drop"),
		"hashed by key, one caller has one limit however many servers there are":             balanced("random"),
		"hashed by key, no caller among many gets above the limit in any window":             balanced("random"),
		"hashed by key, a caller gets one limit more each time that its server goes down":    coordinated("central"),
		"a server that goes down moves its own keys, and no others":                          balanced("round-robin"),
		"two choices between queues lose less than half of what random loses":                balanced("random"),
		"a central log never admits above its limit in any window":                           with("limit", "21"),
		"a central limit costs every admitted request one round trip": fleetChanged(t, func(c *scenario.Config) error {
			whole, _ := c.RTT.Fixed()
			c.RTT = fleet.FixedRTT(whole / 2)
			return nil
		}),
	})
}

// fleetRun runs the points of the experiment that keep holds of.
func fleetRun(t *testing.T, reps int, keep func(get func(string) string) bool) *Data {
	t.Helper()
	return quickly(t, "fleet-overshoot", trueLab(true), reps, keep)
}

func TestFleetOvershootCrossesEveryLimiterWithEveryFleet(t *testing.T) {
	e, err := Lookup("fleet-overshoot")
	require.NoError(t, err)
	plan := e.plan(trueLab(false))
	plan.Reps = 1
	cells, err := plan.Cells()
	require.NoError(t, err)
	crossed := make(map[string]int)
	for _, c := range cells {
		if c.Get("part") == "saturated" {
			crossed[c.Get("limiter")]++
		}
	}
	// Servers and balancers under local limits, and less of the other coordinations.
	const local, others = 7 * 6, 7 * (6 + 1 + 2)
	const both, meter = 4*local + others, 2*local + others
	assert.Equal(t, map[string]int{
		"fixed-window": both, "sliding-log": both, "sliding-counter": both, "token-bucket": both, "gcra": both, "leaky-queue": both,
		"leaky-meter": meter,
	}, crossed)
}

func TestFleetOvershootHasDrawableFigures(t *testing.T) {
	d := fleetRun(t, 1, func(get func(string) string) bool {
		switch get("part") {
		case "saturated":
			return get("burst") == "20" && get("rate") == "2/s" && (get("limiter") == "fixed-window" || get("limiter") == "token-bucket")
		case "split":
			return get("limiter") == "token-bucket"
		}
		return get("part") == "quota"
	})
	for _, f := range d.Experiment.Figures {
		figure, err := f.Draw(d)
		require.NoError(t, err, f.Name)
		svg, err := plots.SVG(figure)
		require.NoError(t, err, f.Name)
		assert.NotEmpty(t, svg, f.Name)
		t.Log(figure.Title)
	}
}

func TestFleetOvershootCountsWholeCycles(t *testing.T) {
	for _, at := range []struct {
		limiter     string
		servers     int
		quick, full time.Duration // counted
	}{
		{"fixed-window", 1, 10 * time.Second, 40 * time.Second},
		{"fixed-window", 64, 10 * time.Second, 40 * time.Second},
		{"token-bucket", 1, 10 * time.Second, 40 * time.Second},
		{"token-bucket", 8, 12 * time.Second, 40 * time.Second},         // of 4 s
		{"token-bucket", 64, 32 * time.Second, 64 * time.Second},        // of 32 s
		{"token-bucket", 7, 10500 * time.Millisecond, 42 * time.Second}, // of 3.5 s
	} {
		for _, quick := range []bool{true, false} {
			rate, err := spec.ParseRate("2/s")
			require.NoError(t, err)
			w := fleetWorld{rate: rate, burst: 20, full: 10 * time.Second, quick: quick}
			w.config.Servers = at.servers
			w.config.Limiter, err = fleetLimiter(at.limiter, rate, 20, w.full)
			require.NoError(t, err)
			require.NoError(t, w.timing("saturated"))
			want := map[bool]time.Duration{true: at.quick, false: at.full}[quick]
			assert.Equal(t, want, w.config.Horizon-w.config.Warmup, at)
		}
	}
}

func TestFleetOvershootRefusesBadValuesWithAReason(t *testing.T) {
	refuses(t, "fleet-overshoot", [][3]string{
		{"part", "saturate", `did you mean "saturated"`},
		{"limiter", "token-buckets", `did you mean "token-bucket"`},
		{"limiter", "nginx", "known: "},
		{"servers", "0", `factor "servers": value "0": must be a whole number in 1..65536`},
		{"servers", "2.5", "must be a whole number"},
		{"rate", "2", "must be <number>/<duration>"},
		{"burst", "-1", "must be a whole number in 1..1048576"},
		{"balancer", "weighted", "needs either zipf or shares"},
		{"coordination", "quotas", `did you mean "quota"`},
		{"rtt", "-1ms", "must be >= 0"},
		{"load", "0", "must be a number in 0.001..1000000"},
		{"load", "much", "must be a number"},
		{"keys", "0", "must be a whole number"},
	})
}

func TestFleetOvershootTakesOtherValues(t *testing.T) {
	takes(t, "fleet-overshoot", []Setting{
		{"servers", []string{"3"}}, {"rate", []string{"7/13s"}}, {"burst", []string{"1"}}, {"load", []string{"0.75"}}, {"limiter", []string{"leaky-meter"}},
		{"rtt", []string{"3ms"}}, {"balancer", []string{"weighted:zipf=2"}},
	})
	e, err := Lookup("fleet-overshoot")
	require.NoError(t, err)
	plan := e.plan(trueLab(true))
	require.NoError(t, plan.Override("rate", []string{"1/50d"}))
	cells, err := plan.Cells()
	require.NoError(t, err)
	_, err = plan.RunCell(context.Background(), cells[0])
	assert.ErrorContains(t, err, "takes more than a year to bring")
}

func TestFleetOvershootOfFewServersRemapsNoMoreThanItCan(t *testing.T) {
	e, err := Lookup("fleet-overshoot")
	require.NoError(t, err)
	remaps := func(factor, value string) map[string]bool {
		plan, err := e.Prepare(Options{Quick: true, Set: []Setting{{factor, []string{value}}}})
		require.NoError(t, err)
		cells, err := plan.Cells()
		require.NoError(t, err)
		all := make(map[string]bool)
		for _, c := range cells {
			if c.Get("part") == "remap" {
				all[c.Get("remaps")] = true
				if c.Get("keys") != "1" {
					assert.Equal(t, []string{"fixed-window", "1"}, []string{c.Get("limiter"), c.Get("remaps")})
				}
			}
		}
		return all
	}
	assert.Equal(t, map[string]bool{"0": true, "1": true, "2": true}, remaps("servers", "3"))
	assert.Equal(t, map[string]bool{"0": true, "1": true, "2": true, "3": true}, remaps("servers", "4"))
	assert.True(t, remaps("keys", "4")["1"], "several keys move once, with a fixed window")
}
