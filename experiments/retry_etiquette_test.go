package experiments

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/limiters"
)

func TestRetryEtiquetteClaims(t *testing.T) {
	// B comes as early as A.
	bothRude := changed(func(c *scenario.Config) (err error) {
		c.Clients, err = clients.ParseMix("rude:every=400ms,attempts=6 * 0.5", "fixed:wait=1s,attempts=unlimited * 0.5")
		return err
	})
	loses := func(lost float64) breakage {
		return changed(func(c *scenario.Config) error { c.Loss = lost; return nil })
	}
	atOnce := budgetChanged(func(c *scenario.Calling) (err error) {
		c.Client, err = clients.Parse(fmt.Sprintf("rude:every=0,attempts=%d", c.Client.Attempts()))
		return err
	})
	testClaims(t, "retry-etiquette", map[string]breakage{
		"A, which is told to wait and tries again n times, is refused each time: with its first refusal and B's the server counts 2 + n, for five retries 7": bothRude,
		"B, which waits as it was told, is admitted at its first return":                                                                                     bothRude,
		"and it is served exactly when it was told to come": changed(func(c *scenario.Config) (err error) {
			c.Hints, err = clients.ParseHints("server-jitter:max=5s")
			return err
		}),
		"and has all of the new window but the one it spends: 99 of 100": limitedBy("fixed-window:limit=7,window=1m"),
		// A client that does not wait for its turn.
		"a lone client that paces itself by exact hints is never refused": changed(func(c *scenario.Config) (err error) {
			c.Clients, err = clients.ParseMix("retry-after")
			return err
		}),
		"where replies are lost with probability q, a success costs 1/(1 − q) tokens without an idempotency key": loses(0.4),
		"and one with it, whatever is lost": changed(func(c *scenario.Config) error { c.Idempotent = false; return nil }),
		"where attempts fail from outside with probability p, m retries send (1 − p^(m+1))/(1 − p) attempts a call": budgetChanged(func(c *scenario.Calling) (err error) {
			c.Client, err = c.Client.With("attempts", fmt.Sprint(c.Client.Attempts()+1))
			return err
		}),
		"behind a limiter of capacity c < λ, m spread-out retries make it refuse a share p = (1 − c/λ)^(1/(m+1)) of all attempts": atOnce,
		"which is (c/λ)/(1 − p) attempts a call": atOnce,
		// As much fails, but for a reason from outside.
		"and no more calls succeed: c/λ, with any number of retries": budgetChanged(func(c *scenario.Calling) error {
			c.Limiter, c.Failure = limiters.Spec{}, 0.5
			return nil
		}),
	})
}

func TestRetryEtiquetteHasDrawableFigures(t *testing.T) {
	drawable(t, "retry-etiquette", func(get func(string) string) bool {
		return get("part") == "lost" || get("part") == "limiter" && get("served") != "0.9"
	})
}

func TestRetryEtiquetteRefusesBadValuesWithAReason(t *testing.T) {
	refuses(t, "retry-etiquette", [][3]string{
		{"part", "tale", "known: story, lone, lost, outside, limiter"},
		{"renewed", "log", "known: window, bucket"},
		{"limit", "0", "must be a whole number"},
		{"told", "61", "must be a whole number in 1..60"},
		{"retries", "-1", "must be a whole number in 0..1000"},
		{"limiter", "gcr:rate=1/s,burst=1", `did you mean "gcra"`},
		{"client", "pace", `did you mean "paced"`},
		{"clients", "0", "must be a whole number"},
		{"lost", "1", "must be a number in 0..0.9"},
		{"key", "some", "known: none, idempotency"},
		{"failure", "1.5", "must be a number in 0..1"},
		{"served", "0", "must be a number in 0.001..1000"},
		{"spread", "2h", "must lie in 0s..1h"},
	})
}

// A token comes every 0.6 s; A comes at 0.8 s and takes it before B, which was
// told a whole second.
func TestRudenessPaysAtABucketWithWholeSeconds(t *testing.T) {
	e, err := Lookup("retry-etiquette")
	require.NoError(t, err)
	plan := e.plan(trueLab(true))
	plan.Where = func(get func(string) string) bool { return e.Where(get) && get("renewed") == "bucket" }
	plan.Reps = 1
	runs := execute(t, plan)
	for metric, want := range map[string]float64{"refused": 4, "returns_of_b": 2, "left_to_b": 1} {
		got, err := runs.Floats(metric)
		require.NoError(t, err)
		assert.Equal(t, []float64{want}, got, metric)
	}
}
