package plots

// Step is a chart of what happened over time: each series keeps its value until its next point. Under the plot, rows
// of marks may show single requests, a dot for each admitted one and a cross for each refused one. A chart of rows
// alone needs no series.
type Step struct {
	X, Y   Axis
	Series []Series
	Refs   []Ref
	Rows   []Dots
}

func (c Step) panels() ([]panel, int, error) {
	return []panel{&xy{xAxis: c.X, yAxis: c.Y, series: c.Series, refs: c.Refs, rows: c.Rows, steps: true}}, 1, nil
}
