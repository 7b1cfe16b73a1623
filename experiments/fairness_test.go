package experiments

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/experiments/scenario"
	"ratelab/experiments/theory"
	"ratelab/limiters"
)

// fairLayersAre makes the layers of a lab those that change gives.
func fairLayersAre(change func(limiters.LayersSpec) limiters.LayersSpec) breakage {
	return func(lab *Lab) {
		layers, simulate := lab.Layers, lab.Simulate
		lab.Layers = func(s limiters.LayersSpec, seed uint64) *limiters.Layers { return layers(change(s), seed) }
		lab.Simulate = func(ctx context.Context, c scenario.Config) (scenario.Result, error) {
			c.Layers = change(c.Layers)
			return simulate(ctx, c)
		}
	}
}

// fairRule changes the text of every limit of a lab.
func fairRule(change func(spec string) string) breakage {
	return fairLayersAre(func(s limiters.LayersSpec) limiters.LayersSpec {
		layers := make([]limiters.Layer, len(s.Layers))
		for i, l := range s.Layers {
			parsed, err := limiters.Parse(change(l.Spec.String()))
			if err != nil {
				panic(err)
			}
			layers[i] = limiters.Layer{Column: l.Column, Spec: parsed}
		}
		s.Layers = layers
		return s
	})
}

// fairOther changes whose the keys of every limit of a lab are, for the cell
// as well, which holds the same layers.
func fairOther(column string) breakage {
	return fairLayersAre(func(s limiters.LayersSpec) limiters.LayersSpec {
		for i := range s.Layers {
			s.Layers[i].Column = column
		}
		return s
	})
}

func TestFairnessClaims(t *testing.T) {
	replace := func(old, by string) breakage {
		return fairRule(func(text string) string { return strings.ReplaceAll(text, old, by) })
	}
	wider := replace("window=1s", "window=2s")
	second := replace("rate=5/s,burst=5", "rate=5/s,burst=20")
	testClaims(t, "fairness", map[string]breakage{
		"under one limit for all, the largest of independent Poisson tenants loses what the algorithm refuses of all requests together": fairOther("user"),
		"and so do the smaller ones: one limit for all is blind to size":                                                                fairOther("user"),
		"of two tenants with equal means the one that sends batches loses what does not find room behind its own requests":              wider,
		"and the other loses less: what the batches leave at a random instant":                                                          wider,
		"beside a Poisson tenant of the same mean, the burstier one loses more, by two points at least":                                 fairRule(func(string) string { return "gcra:rate=1000/s,burst=1000" }),
		"a rude tenant loses p^(m+1) of its requests, where the others lose p":                                                          fairOther("user"),
		"and what it gains the polite lose":                                                                                             fairOther("user"),
		"under one limit for all Jain's index is that of shares in proportion to demand, over max-min shares":                           fairOther("user"),
		"with a limit for each tenant it is that of what each bucket admits alone, near 1 however greedy one is":                        fairOther(limiters.Global),
		"with a limit for each tenant the others lose what they would alone, whatever the greedy one asks for":                          second,
		"but what the others do not ask for stays unused, however much the greedy one wants":                                            fairOther(limiters.Global),
		"both together leave the others no worse off than one limit for all, by any bound for the greedy one below the capacity":        replace("12/s,burst=12", "1/s,burst=1"),
	})
}

func TestFairnessFiguresAndFindingsSayWhatWasMeasured(t *testing.T) {
	d := quickly(t, "fairness", trueLab(true), 2, all)
	titles := drawAll(t, d)
	assert.Contains(t, titles["greedy"], "A tenant that asks 40 times as much costs the others 7")
	assert.Contains(t, titles["algorithms"], "two Poisson tenants lose alike under each")
	assert.Contains(t, titles["rude"], "A tenant that tries again up to 7 times is served ")
	drawsNothing(t, d)

	findings, err := d.Experiment.Findings(d)
	require.NoError(t, err)
	require.Len(t, findings, 4)
	assert.Contains(t, findings[0], "Nearly: under one limit for all")
	for _, f := range findings {
		t.Log(f)
		assert.NotContains(t, f, "NaN")
	}
	empty := *d
	empty.Runs, err = d.Runs.Where("part", "none")
	require.NoError(t, err)
	_, err = d.Experiment.Findings(&empty)
	assert.ErrorContains(t, err, "nothing was measured")
}

func TestFairJainIsJainsIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := rapid.SliceOfN(rapid.Float64Range(0.001, 1e6), 1, 20).Draw(t, "shares")
		if got, want := fairJain(shares), theory.JainIndex(shares); got < want*(1-1e-12) || got > want*(1+1e-12) {
			t.Fatalf("fairJain(%v) = %v, want %v", shares, got, want)
		}
	})
}

func TestFairnessRefusesSettingsThatMakeNoSense(t *testing.T) {
	refuses(t, "fairness", [][3]string{
		{"part", "poison", `did you mean "poisson"?`},
		{"algorithm", "tokenbucket", `did you mean "token-bucket"?`},
		{"limits", "keys", `did you mean "key"?`},
		{"limit", "0", "whole number in 1..10000"},
		{"load", "0", "0.01..1000"},
		{"size", "1.5", "whole number in 1..1000"},
		{"first", "onoff", `did you mean "on-off"?`},
		{"retries", "-1", "0..1000"},
		{"manner", "lop", `did you mean "loop"?`},
		{"greedy", "0", "whole number in 1..10000"},
		{"each", "x", "whole number in 1..10000"},
	})
	takes(t, "fairness", []Setting{{"limit", []string{"1"}}, {"load", []string{"0.05"}}, {"size", []string{"1"}}, {"retries", []string{"100"}}, {"greedy", []string{"1000"}}, {"each", []string{"1"}}})
}
