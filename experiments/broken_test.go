package experiments

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/sweep"
	"ratelab/plots/table"
)

// measure runs those cells of an experiment that the claims look at, quickly,
// in a given lab, and judges the claims.
func measure(t *testing.T, e Experiment, claims []Claim, lab Lab) []Checked {
	t.Helper()
	plan := e.plan(lab)
	plan.Reps, plan.Seed = e.QuickReps, 1
	plan.Where = func(get func(string) string) bool {
		for _, c := range claims {
			for _, p := range slices.Concat(c.Points, c.Outside) {
				if p.matches(get) {
					return e.Where == nil || e.Where(get)
				}
			}
		}
		return false
	}
	runs := execute(t, plan)
	checked, err := checkClaims(claims, runs, false)
	require.NoError(t, err)
	return checked
}

func execute(t *testing.T, plan *sweep.Plan) *table.Table {
	t.Helper()
	result, err := sweep.Execute(context.Background(), plan, sweep.Options{})
	require.NoError(t, err)
	runs, err := result.Runs()
	require.NoError(t, err)
	return runs
}

// breakage breaks a model on purpose.
type breakage func(*Lab)

// testClaims checks that no claim of an experiment fails in a quick run of the
// true models, and that each fails when its model is broken. breaks names claims
// by their text.
func testClaims(t *testing.T, name string, breaks map[string]breakage) {
	e, err := Lookup(name)
	require.NoError(t, err)
	for text := range breaks {
		assert.True(t, slices.ContainsFunc(e.Claims, func(c Claim) bool { return c.Text == text }), "no claim is called %q", text)
	}
	if raced || testing.Short() {
		t.Skip("takes many cells, which share nothing: not under the race detector, nor with -short")
	}
	t.Run("true models", func(t *testing.T) {
		for _, k := range measure(t, e, e.Claims, trueLab(true)) {
			assert.NotEqual(t, Fails, k.Verdict, "%s: observed %v in [%v, %v], expected %v ± %v", k.Claim, k.Observed, k.Low, k.High, k.Expected, k.ExpectedError)
		}
	})
	for _, c := range e.Claims {
		t.Run(c.Text, func(t *testing.T) {
			broken, ok := breaks[c.Text]
			require.True(t, ok, "no test breaks the model of this claim")
			lab := trueLab(true)
			broken(&lab)
			c.Outside = nil
			checked := measure(t, e, []Claim{c}, lab)
			assert.True(t, slices.ContainsFunc(checked, func(k Checked) bool { return k.Verdict == Fails }),
				"the claim survives a broken model: %+v", checked)
		})
	}
}

// drawable runs some cells of an experiment quickly, and draws all its figures.
func drawable(t *testing.T, name string, where func(get func(string) string) bool) {
	t.Helper()
	drawAll(t, quickly(t, name, trueLab(true), 2, where))
}
