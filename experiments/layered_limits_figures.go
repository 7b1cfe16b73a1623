package experiments

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"ratelab/internal/spec"
	"ratelab/plots"
)

// layeredGreedyFigure: what a greedy user leaves to the others.
func layeredGreedyFigure(d *Data) (plots.Figure, error) {
	const others = "8"
	rows := []struct{ label, charge, order string }{
		{"always, any order", "always", "user-first"},
		{"in order, shared limit first", "in-order", "shared-first"},
		{"in order, user's limit first", "in-order", "user-first"},
		{"on admission, any order", "admitted", "user-first"},
	}
	amounts, err := d.Runs.Distinct("greedy")
	if err != nil {
		return plots.Figure{}, err
	}
	sent := 8.0 * layeredEach
	chart := plots.Heat{XLabel: "Requests that the greedy user sends first", YLabel: "Who is charged", Format: "%.0f", Min: 0, Max: sent}
	for _, n := range amounts {
		if n != "" {
			chart.X = append(chart.X, n)
		}
	}
	for _, row := range rows {
		var z []float64
		for _, n := range chart.X {
			mean, _, _ := d.Mean("others_admitted", "part", "greedy", "charge", row.charge, "order", row.order, "greedy", n, "others", others)
			z = append(z, mean)
		}
		chart.Y, chart.Z = append(chart.Y, row.label), append(chart.Z, z)
	}
	most := len(chart.X) - 1
	if most < 0 || math.IsNaN(chart.Z[0][most]+chart.Z[3][most]) {
		return plots.Figure{}, errors.New("nothing was measured of part greedy")
	}
	return plots.Figure{
		Title: fmt.Sprintf("A greedy user of %s requests leaves the others %.0f of %.0f where layers charge on admission, %.0f where refusals are charged",
			chart.X[most], chart.Z[3][most], sent, chart.Z[0][most]),
		Subtitle: fmt.Sprintf("Admitted of the %.0f requests of 8 other users, in one window, after the greedy one; limits: %d a user, %d shared. No chance in it",
			sent, layeredUserLimit, layeredSharedLimit),
		Chart: chart,
	}, nil
}

// layeredBillFigure: what a loop costs by the time that it runs.
func layeredBillFigure(d *Data) (plots.Figure, error) {
	const pause = 100 * time.Millisecond
	day := (24 * time.Hour).Seconds()
	chart := plots.Line{
		X: plots.Axis{Label: "How long the loop runs", Log: true, Ticks: []plots.Tick{{Value: 1, Label: "1 s"}, {Value: 10, Label: "10 s"}, {Value: 60, Label: "1 min"},
			{Value: 600, Label: "10 min"}, {Value: 3600, Label: "1 h"}, {Value: 6 * 3600, Label: "6 h"}, {Value: day, Label: "1 d"}}},
		Y: plots.Axis{Label: "Cost so far", Unit: "$", Log: true, Min: 0.07, Ticks: []plots.Tick{{Value: 0.1, Label: "0.1"}, {Value: 1, Label: "1"}, {Value: 10, Label: "10"},
			{Value: 100, Label: "100"}, {Value: 1000, Label: "1000"}, {Value: 10000, Label: "10,000"}}},
	}
	costs := make(map[string]float64) // of a day
	for _, curve := range []struct{ limit, name, label string }{{"none", "no limit", "no limit"}, {"bucket", "token-bucket", "2/s, burst 20"}, {"layers", "layers", "and 1/s behind it"}} {
		rows, err := d.Summary.Where("metric", "bill", "part", "loop", "limit", curve.limit, "pause", spec.FormatDuration(pause))
		if err != nil {
			return plots.Figure{}, err
		}
		s := plots.Series{Name: curve.name, Label: curve.label, Markers: true}
		if s.Y, err = rows.Floats("mean"); err != nil {
			return plots.Figure{}, err
		}
		spans, err := rows.Text("span")
		if err != nil {
			return plots.Figure{}, err
		}
		for i, text := range spans {
			span, err := spec.ParseDuration(text)
			if err != nil {
				return plots.Figure{}, err
			}
			s.X = append(s.X, span.Seconds())
			if s.X[i] == day {
				costs[curve.limit] = s.Y[i]
			}
			if s.Y[i] <= 0 {
				s.Y[i] = math.NaN()
			}
		}
		if !slices.IsSorted(s.X) || len(s.X) == 0 {
			return plots.Figure{}, errors.New("nothing was measured of part loop")
		}
		chart.Series = append(chart.Series, s)
	}
	price, err := d.Runs.Where("part", "loop")
	if err != nil {
		return plots.Figure{}, err
	}
	prices, err := price.Text("price")
	if err != nil || len(prices) == 0 {
		return plots.Figure{}, errors.Join(err, errors.New("nothing was measured of part loop"))
	}
	return plots.Figure{
		Title: fmt.Sprintf("A client stuck in a loop costs $%s a day without a limit, $%s with one, $%s with a stricter one behind it",
			layeredDollars(costs["none"]), layeredDollars(costs["bucket"]), layeredDollars(costs["layers"])),
		Subtitle: fmt.Sprintf("Cost since the loop began: a request every %s, whatever the answer, $%s each; buckets of 2/s and burst 20, and of 1/s and burst 100. No chance in it",
			plots.Duration(pause), prices[0]),
		Chart: chart,
	}, nil
}

// layeredDollars writes whole dollars, as axes do: with commas from 10,000.
func layeredDollars(x float64) string {
	text := strconv.FormatFloat(math.Round(x), 'f', 0, 64)
	if len(text) < 5 {
		return text
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
