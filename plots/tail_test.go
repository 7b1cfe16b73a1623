package plots

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAboveIsTheShareOfTheSampleAboveEachValue(t *testing.T) {
	s, err := Above("a", 0, []float64{3, 0, 1, math.NaN(), 1})
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 1, 1, 3, 3}, s.X)
	assert.Equal(t, []float64{0.75, 0.75, 0.25, 0.25, 0}, s.Y)

	_, err = Above("a", 0, []float64{math.NaN()})
	require.ErrorContains(t, err, "no values")
	_, err = Above("a", 0, []float64{1, -2})
	require.ErrorContains(t, err, "-2, below its start 0")

	rapid.Check(t, func(t *rapid.T) {
		sample := rapid.SliceOfN(rapid.Float64Range(0, 5), 1, 40).Draw(t, "sample")
		for i := range sample {
			sample[i] = math.Round(sample[i]) // ties
		}
		s, err := Above("a", 0, sample)
		require.NoError(t, err)
		for k, x := range s.X {
			if k+1 < len(s.X) && s.X[k+1] == x {
				continue // the upper end of a step
			}
			count := 0
			for _, v := range sample {
				if v > x {
					count++
				}
			}
			require.Equal(t, float64(count)/float64(len(sample)), s.Y[k], "above %g", x)
		}
		require.True(t, slices.IsSorted(s.X))
		require.Zero(t, s.Y[len(s.Y)-1])
	})
}

func TestATailEndsWhereTheShareIsNothing(t *testing.T) {
	tail := Tail{X: Axis{Min: 0, Max: 2}, Series: []Series{{Name: "a", X: []float64{0, 1, 2}, Y: []float64{1, 0.004, 0}}}}
	l, err := Figure{Title: "t", Chart: tail}.layout()
	require.NoError(t, err)
	p := l.panels[0].(*xy)
	assert.Equal(t, 0.001, p.y.low, "the power of ten below the data")
	assert.Equal(t, 1.0, p.y.high)
	require.Len(t, p.curves[0], 1)
	assert.InDelta(t, float64(p.w/2), float64(p.curves[0][0][len(p.curves[0][0])-1].X), 1e-5, "the point without a share is a gap")
	assert.Equal(t, 0.0, tail.Series[0].Y[2], "what was given stays as it was")

	assert.Equal(t, []string{"100%", "0.1%", "0.01%", "1 in 100,000", "1 in 1 M"},
		[]string{shareLabel(0), shareLabel(-3), shareLabel(-4), shareLabel(-5), shareLabel(-6)})
}

func TestTailsRefuseWhatIsNoShare(t *testing.T) {
	for want, chart := range map[string]Tail{
		"want a share from 0 to 1, got 1.5":  {Series: []Series{{Name: "a", X: []float64{0}, Y: []float64{1.5}}}},
		"want a share from 0 to 1, got -0.1": {Series: []Series{{Name: "a", X: []float64{0}, Y: []float64{-0.1}}}},
		"least share must be 0, or above":    {Least: 1, Series: []Series{{Name: "a", X: []float64{0}, Y: []float64{1}}}},
		"every point is missing":             {Series: []Series{{Name: "a", X: []float64{0}, Y: []float64{0}}}},
	} {
		_, err := SVG(Figure{Name: "tail", Title: "t", Chart: chart})
		assert.ErrorContains(t, err, want)
	}
}
