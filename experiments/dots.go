package experiments

import (
	"math"
	"slices"

	"ratelab/plots"
)

// dots makes a curve into marks without lines between them, up to the
// end of the axis.
func dots(s plots.Series, end float64) plots.Series {
	marks := s
	marks.Markers, marks.X, marks.Y, marks.Lo, marks.Hi = true, nil, nil, nil, nil
	order := make([]int, 0, len(s.X))
	for i, x := range s.X {
		if x <= end {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, k int) int { return int(math.Copysign(1, s.X[i]-s.X[k])) })
	for _, i := range order {
		marks.X, marks.Y = append(marks.X, s.X[i], s.X[i]), append(marks.Y, s.Y[i], math.NaN())
	}
	return marks
}
