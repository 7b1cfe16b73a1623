package experiments

// dominated returns for each point, given by its costs, a point of the Pareto front that dominates it: one that is nowhere dearer and
// somewhere cheaper. It is -1 for the points of the front themselves, equal ones among them. All points have the same costs in the same
// order, none of them NaN.
func dominated(points [][]float64) (by []int) {
	dominates := func(a, b []float64) bool {
		cheaper := false
		for k := range a {
			if a[k] > b[k] {
				return false
			}
			cheaper = cheaper || a[k] < b[k]
		}
		return cheaper
	}
	by = make([]int, len(points))
	for i := range points {
		by[i] = -1
		for k := range points {
			if dominates(points[k], points[i]) && (by[i] < 0 || dominates(points[k], points[by[i]])) {
				by[i] = k // dominance is transitive: the last of such a chain is of the front
			}
		}
	}
	return by
}
