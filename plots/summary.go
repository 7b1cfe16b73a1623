package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"ratelab/plots/table"
)

// FromSummary makes series of one metric from a summary table (columns metric, mean, ci_low, ci_high and factors): a
// series for each value of the factor by, in order of appearance, with the factor x along its x axis and the intervals
// as Lo and Hi. Values of x are numbers, or durations, which become seconds. Rows of other factors must be picked
// out before, with Where: two rows for one point are an error.
func FromSummary(t *table.Table, metric, by, x string) ([]Series, error) {
	rows, err := rowsOf(t, metric)
	if err != nil {
		return nil, err
	}
	groups, err := rows.GroupBy(by)
	if err != nil {
		return nil, fmt.Errorf("metric %q: %w", metric, err)
	}
	var list []Series
	for _, g := range groups {
		s := Series{Name: g.Values[0]}
		if s, err = seriesOf(g.Table, s, x); err != nil {
			return nil, fmt.Errorf("metric %q, %s %q: %w", metric, by, g.Values[0], err)
		}
		list = append(list, s)
	}
	return list, nil
}

func seriesOf(t *table.Table, s Series, x string) (Series, error) {
	text, err := t.Text(x)
	if err != nil {
		return s, err
	}
	var columns [4][]float64
	columns[0] = make([]float64, len(text))
	for i, value := range text {
		if columns[0][i], err = quantity(value); err != nil {
			return s, fmt.Errorf("column %q: %w", x, err)
		}
	}
	for k, name := range []string{"mean", "ci_low", "ci_high"} {
		if columns[k+1], err = t.Floats(name); err != nil {
			return s, err
		}
	}
	order := make([]int, len(text))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(columns[0][a], columns[0][b]) })
	for k, i := range order {
		if k > 0 && columns[0][i] == columns[0][order[k-1]] {
			return s, fmt.Errorf("two rows have %s = %s: another factor varies, pick one value of it with Where", x, text[i])
		}
		s.X, s.Y = append(s.X, columns[0][i]), append(s.Y, columns[1][i])
		s.Lo, s.Hi = append(s.Lo, columns[2][i]), append(s.Hi, columns[3][i])
	}
	return s, nil
}

// HeatFromSummary makes a heat map of one metric's means from a summary table, with the factor x across and y upwards,
// both in order of appearance. Pairs without a row are blank; two rows for one pair are an error.
func HeatFromSummary(t *table.Table, metric, x, y string) (Heat, error) {
	rows, err := rowsOf(t, metric)
	if err != nil {
		return Heat{}, err
	}
	h := Heat{XLabel: x, YLabel: y}
	if h.X, err = rows.Distinct(x); err != nil {
		return Heat{}, fmt.Errorf("metric %q: %w", metric, err)
	}
	if h.Y, err = rows.Distinct(y); err != nil {
		return Heat{}, fmt.Errorf("metric %q: %w", metric, err)
	}
	means, err := rows.Floats("mean")
	if err != nil {
		return Heat{}, fmt.Errorf("metric %q: %w", metric, err)
	}
	across, err := rows.Text(x)
	if err != nil {
		return Heat{}, err
	}
	up, err := rows.Text(y)
	if err != nil {
		return Heat{}, err
	}
	filled := make([][]bool, len(h.Y))
	h.Z = make([][]float64, len(h.Y))
	for i := range h.Z {
		filled[i], h.Z[i] = make([]bool, len(h.X)), make([]float64, len(h.X))
		for j := range h.Z[i] {
			h.Z[i][j] = math.NaN()
		}
	}
	for r, mean := range means {
		i, j := slices.Index(h.Y, up[r]), slices.Index(h.X, across[r])
		if filled[i][j] {
			return Heat{}, fmt.Errorf("metric %q: two rows have %s = %s and %s = %s: another factor varies, pick one value of it with Where",
				metric, x, across[r], y, up[r])
		}
		filled[i][j], h.Z[i][j] = true, mean
	}
	return h, nil
}

func rowsOf(t *table.Table, metric string) (*table.Table, error) {
	rows, err := t.Where("metric", metric)
	if err != nil {
		return nil, err
	}
	if rows.Len() == 0 {
		known, err := t.Distinct("metric")
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("the summary has no rows of metric %q, it has %q", metric, known)
	}
	return rows, nil
}

// quantity reads a number, or a duration as seconds.
func quantity(text string) (float64, error) {
	if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
		return v, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return d.Seconds(), nil
	}
	return 0, fmt.Errorf("want a number or a duration to draw on an axis, got %q", text)
}
