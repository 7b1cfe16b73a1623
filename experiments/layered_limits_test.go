package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
)

// layeredCharged makes all stacks of a lab charge in one way.
func layeredCharged(mode limiters.ChargeMode) breakage {
	return func(lab *Lab) {
		layers := lab.Layers
		lab.Layers = func(s limiters.LayersSpec, seed uint64) *limiters.Layers {
			s.Charge = mode
			return layers(s, seed)
		}
	}
}

func TestLayeredLimitsClaims(t *testing.T) {
	testClaims(t, "layered-limits", map[string]breakage{
		"charged on admission, or with its own limit in front, a greedy user leaves the others all that it does not get":                layeredCharged(limiters.ChargeAlways),
		"in front, or charged always, the shared limit is spent on what a greedy user is refused, until nothing is left for the others": layeredCharged(limiters.ChargeAdmitted),
		"in order, users pay for what the shared limit behind their own refuses":                                                        layeredCharged(limiters.ChargeAdmitted),
		"charged on admission, it is a greedy user's own limit that refuses it, wherever the limit stands":                              layeredCharged(limiters.ChargeInOrder),
		"charged on admission, every layer pays for what is admitted and for nothing else":                                              layeredCharged(limiters.ChargeInOrder),
		"in order, a refusal is paid for by all layers in front of the one that refuses":                                                layeredCharged(limiters.ChargeAlways),
		"charged always, every layer pays for what it would admit alone":                                                                layeredCharged(limiters.ChargeInOrder),
		"charged on admission, or always, the order of the layers changes no decision":                                                  layeredCharged(limiters.ChargeInOrder),
		"no span D costs more than (b + rD) times the price, by the smallest of the layers":                                             leakyTwice,
		"who asks all the time is served the bound, to the last whole request":                                                          leakyTwice,
		"a loop that never stops costs the burst and what its time brings, by the smallest of the layers":                               boundaryOneMore,
	})
}

func TestLayeredLimitsFiguresSayWhatWasMeasured(t *testing.T) {
	d := quickly(t, "layered-limits", trueLab(true), 1, func(get func(string) string) bool {
		return get("part") == "greedy" || get("part") == "loop"
	})
	assert.Equal(t, map[string]string{
		"greedy": "A greedy user of 200 requests leaves the others 80 of 80 where layers charge on admission, 0 where refusals are charged",
		"bill":   "A client stuck in a loop costs $8640 a day without a limit, $1728 with one, $865 with a stricter one behind it",
	}, drawAll(t, d))
	drawsNothing(t, d)
}

func TestLayeredLimitsRefuseSettingsThatMakeNoSense(t *testing.T) {
	refuses(t, "layered-limits", [][3]string{
		{"part", "gready", `did you mean "greedy"?`},
		{"charge", "never", "unknown"},
		{"order", "users-first", `did you mean "user-first"?`},
		{"greedy", "0", "whole number in 1..100000"},
		{"others", "1.5", "whole number in 1..10000"},
		{"limits", "window", `did you mean "windows"?`},
		{"limit", "buckets", `did you mean "bucket"?`},
		{"demand", "steady", "unknown"},
		{"load", "0", "0.01..1000"},
		{"pause", "1us", "from 1ms to 1h"},
		{"span", "2d", "from 1ms to 1d"},
		{"price", "-1", "from 0 to 1e6"},
	})
	e, err := Lookup("layered-limits")
	require.NoError(t, err)
	for _, set := range []Setting{{"greedy", []string{"100000"}}, {"load", []string{"2"}}, {"span", []string{"1ms"}}, {"pause", []string{"1h"}}, {"price", []string{"0"}}} {
		plan, err := e.Prepare(Options{Seed: 1, Quick: true, Reps: 1, Set: []Setting{set}})
		require.NoError(t, err, set)
		plan.Grids = plan.Grids[:3]
		if set.Factor == "span" || set.Factor == "pause" || set.Factor == "price" {
			continue
		}
		assert.Positive(t, execute(t, plan).Len())
	}
}
