package experiments

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Points that differ by a factor that is not named are no replications of each
// other: figures and findings that ask for their mean fail.
func TestAMeanIsOfOnePoint(t *testing.T) {
	e, err := Lookup("fleet-overshoot")
	require.NoError(t, err)
	d, found := published(t, e, asItIs)
	require.True(t, found)
	at := fleetAt("saturated", "fixed-window", "servers", "4", "balancer", fleetRR, "coordination", "local", "rate", "2/s")
	mean, _, _ := d.Mean("admitted_over_rate", append(at, "burst", "20")...)
	assert.Equal(t, 4.0, mean)
	require.NoError(t, d.takePooled())

	mean, lo, hi := d.Mean("admitted_over_rate", at...)
	assert.True(t, math.IsNaN(mean) && math.IsNaN(lo) && math.IsNaN(hi))
	require.ErrorIs(t, d.pooled, errSeveral)
	assert.ErrorContains(t, d.pooled, "name more factors: burst (8, 20)")

	d.pooled = nil
	d.Experiment.Findings = func(d *Data) ([]string, error) {
		d.Mean("admitted_over_rate", at...)
		return []string{"Four."}, nil
	}
	_, err = d.Findings()
	assert.ErrorIs(t, err, errSeveral)
	_, err = d.Findings()
	assert.ErrorIs(t, err, errSeveral, "each time")
	require.NoError(t, d.takePooled())
}

func TestOfNoShapeNoneIsExtreme(t *testing.T) {
	least, most := counterErrorRange(nil)
	assert.True(t, math.IsNaN(least.rms) && math.IsNaN(most.rms))
	assert.Empty(t, most.name)

	// Shapes that are all unlike the one that titles name are drawn all the same.
	e, err := Lookup("sliding-counter-error")
	require.NoError(t, err)
	d, found := published(t, e, func(metric string, mean float64) float64 {
		if metric == "dispersion_of_counts" {
			return 1000
		}
		return mean
	})
	require.True(t, found)
	_, err = counterErrorFindings(d)
	assert.NoError(t, err)
	_, err = counterErrorPlaneFigure(d)
	assert.NoError(t, err)
	_, err = counterErrorShapesFigure(d)
	assert.NoError(t, err)
}
