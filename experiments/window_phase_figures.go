package experiments

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// phaseProfileFigure: when in the epoch's windows keys are admitted.
func phaseProfileFigure(d *Data) (plots.Figure, error) {
	const limit, load = "5", "2"
	chart := plots.Line{
		X: plots.Axis{Label: "Time since the epoch's edge", Unit: "windows", Min: 0, Max: 1},
		Y: plots.Axis{Label: "Share admitted", Percent: true, Zero: true},
	}
	first, last := make(map[string]float64), make(map[string]float64)
	for _, curve := range []struct{ origin, name, label string }{
		{"epoch", "fixed-window", "epoch"}, {"creation", "creation", "key's creation"}, {"first", "first", "first request"}, {"jitter", "jitter", "own offset"},
	} {
		s := plots.Series{Name: curve.name, Label: curve.label}
		for i := range phaseParts {
			mean, lo, hi := d.Mean(phasePart(i), "part", "profile", "origin", curve.origin, "limit", limit, "load", load)
			s.X, s.Y, s.Lo, s.Hi = append(s.X, (float64(i)+0.5)/phaseParts), append(s.Y, mean), append(s.Lo, lo), append(s.Hi, hi)
		}
		if math.IsNaN(s.Y[0]) {
			return plots.Figure{}, errors.New("nothing was measured of part profile")
		}
		first[curve.origin], last[curve.origin] = s.Y[0], s.Y[phaseParts-1]
		if curve.origin == "epoch" {
			expected := plots.Series{Name: curve.name, Theory: true}
			for i := range 100 {
				expected.X = append(expected.X, (float64(i)+0.5)/100)
				expected.Y = append(expected.Y, theory.FixedWindowPartShare(10, 5, float64(i)/100, float64(i+1)/100))
			}
			chart.Series = append(chart.Series, expected)
			s = dots(s, 1)
		}
		chart.Series = append(chart.Series, s)
	}
	return plots.Figure{
		Title: fmt.Sprintf("Just after a shared edge %.0f%% pass, just before the next %.0f%%; keys with offsets of their own pass %.0f%% at all times",
			100*first["epoch"], 100*last["epoch"], 100*first["jitter"]),
		Subtitle: fmt.Sprintf("Share admitted, by where windows start: many keys, Poisson arrivals at twice their limit of %s; mean of %d replications; thin: theory. "+
			"Keys that were created together share an edge", limit, d.Reps),
		Chart: chart,
	}, nil
}

// phaseDecisionsFigure: how many decisions depend on where windows start.
func phaseDecisionsFigure(d *Data) (plots.Figure, error) {
	chart := plots.Heat{XLabel: "Where windows start", YLabel: "Limit, at the load", Format: "%.0f%%", Min: 0, Max: 50}
	origins := []struct{ origin, label string }{{"creation", "key's creation"}, {"first", "first request"}, {"jitter", "own offset"}}
	for _, o := range origins {
		chart.X = append(chart.X, o.label)
	}
	most, apart := 0.0, 0.0
	for _, limit := range []string{"20", "5", "1"} { // from the bottom up
		for _, load := range []string{"1.5", "1", "0.8"} {
			at := func(origin string) []string {
				return []string{"part", "poisson", "origin", origin, "limit", limit, "load", load}
			}
			var z []float64
			for _, o := range origins {
				unlike, _, _ := d.Mean("unlike_epoch", at(o.origin)...)
				own, _, _ := d.Mean("admit_share", at(o.origin)...)
				epoch, _, _ := d.Mean("admit_share", at("epoch")...)
				z = append(z, 100*unlike)
				if o.origin != "first" {
					most, apart = max(most, unlike), max(apart, math.Abs(own-epoch))
				}
			}
			if slices.ContainsFunc(z, math.IsNaN) {
				return plots.Figure{}, errors.New("nothing was measured of part poisson")
			}
			chart.Y, chart.Z = append(chart.Y, limit+" at "+load), append(chart.Z, z)
		}
	}
	return plots.Figure{
		Title: fmt.Sprintf("Other edges, the same long run: up to %.0f%% of decisions differ, and the shares admitted by less than %s points",
			100*most, strconv.FormatFloat(math.Ceil(1000*apart)/10, 'f', 1, 64)),
		Subtitle: fmt.Sprintf("Share of requests decided otherwise than by windows of the epoch on the same Poisson arrivals of one key; mean of %d replications. "+
			"Windows that wait for a first request are not in the title: they admit less", d.Reps),
		Chart: chart,
	}, nil
}
