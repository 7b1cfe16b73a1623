package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestDominatedOnAnExample(t *testing.T) {
	assert.Equal(t, []int{-1, 0, -1, 0, -1, -1, 2}, dominated([][]float64{
		{1, 5}, // on the front
		{2, 5}, // as good in one, worse in the other
		{3, 2}, // on the front
		{4, 6}, // worse in both
		{3, 2}, // equal to another on the front
		{5, 1}, // on the front: best in one
		{6, 3},
	}))
	assert.Empty(t, dominated(nil))
}

func TestWhoIsNotOnTheFrontIsDominatedByOneThatIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []float64 {
			var p []float64
			for range 3 {
				p = append(p, float64(rapid.IntRange(0, 4).Draw(t, "cost")))
			}
			return p
		}), 0, 12).Draw(t, "points")
		dominates := func(a, b []float64) bool {
			return a[0] <= b[0] && a[1] <= b[1] && a[2] <= b[2] && (a[0] < b[0] || a[1] < b[1] || a[2] < b[2])
		}
		by := dominated(points)
		for i, p := range points {
			if by[i] >= 0 {
				assert.True(t, dominates(points[by[i]], p))
				assert.Equal(t, -1, by[by[i]], "the dominator is on the front")
				continue
			}
			for _, q := range points {
				assert.False(t, dominates(q, p))
			}
		}
	})
}
