package plots

// Line is a chart of curves, with intervals where the series have them.
type Line struct {
	X, Y   Axis
	Series []Series
	Refs   []Ref
}

func (l Line) panels() ([]panel, int, error) {
	return []panel{&xy{xAxis: l.X, yAxis: l.Y, series: l.Series, refs: l.Refs}}, 1, nil
}
