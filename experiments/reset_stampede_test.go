package experiments

import (
	"testing"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/limiters"
)

// limitedBy changes the limiter of all worlds.
func limitedBy(limiter string) breakage {
	return changed(func(c *scenario.Config) (err error) {
		c.Limiter, err = limiters.Parse(limiter)
		return err
	})
}

func TestResetStampedeClaims(t *testing.T) {
	testClaims(t, "reset-stampede", map[string]breakage{
		"everyone who is blocked comes back in the second in which the window turns":                       limitedBy(stampedeOwnLog),
		"edges jittered by key make them balls in bins: the mean of their busiest second":                  limitedBy(stampedeFixed + ",jitter=20s"),
		"and do nothing for clients of one key: all come back in one second still":                         changed(func(c *scenario.Config) error { c.Keys = 50; return nil }),
		"a sliding log repeats the shape of the burst that filled it, one window later, to the nanosecond": changed(func(c *scenario.Config) error { c.Rounded = true; return nil }),
		// Clients wait up to 20 s longer.
		"a fixed window is filled again at once": changed(func(c *scenario.Config) (err error) {
			c.Clients, err = clients.ParseMix("retry-after:jitter=20s,attempts=unlimited")
			return err
		}),
	})
}

func TestResetStampedeHasDrawableFigures(t *testing.T) {
	drawable(t, "reset-stampede", func(get func(string) string) bool {
		return get("part") == "timeline" && get("second")[:1] == "6" || get("clients") == "50" && get("limiter") != stampedeLog && get("second") == ""
	})
}

func TestResetStampedeRefusesBadValuesWithAReason(t *testing.T) {
	refuses(t, "reset-stampede", [][3]string{
		{"part", "turn", "known: flip, jitter, refill, timeline"},
		{"clients", "0", "must be a whole number"},
		{"limiter", "fixed-windw:limit=1,window=1m", `did you mean "fixed-window"`},
		{"keys", "two", "known: own, one"},
		{"think", "2h", "must lie in 0s..1h"},
		{"burst", "5", "must be <number>/<duration>"},
		{"second", "601", "must be a whole number in 0..600"},
	})
}
