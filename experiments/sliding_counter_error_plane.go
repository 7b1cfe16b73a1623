package experiments

import (
	"fmt"
	"math"
	"strings"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// counterErrorPoint is what was measured of one shape.
type counterErrorPoint struct {
	name        string
	dispersion  float64 // of the counts of one window, as measured
	correlation float64 // in windows; +Inf if it never ends, NaN if it is not known
	rms         float64 // of the error over time, over the mean count
	byPairs     float64 // the same from the lags between arrivals
	drift       float64 // mean error over time over the mean count
	bias        float64 // mean error at arrivals over the mean count
	deficit     float64 // of throughput, against a log
}

// counterErrorPlane reads the shapes that were measured.
func counterErrorPlane(d *Data) (points []counterErrorPoint, err error) {
	for _, name := range counterErrorShapeNames() {
		at := counterErrorShaped(name)
		mean := func(metric string) float64 { m, _, _ := d.Mean(metric, at...); return m }
		w, _, err := counterErrorShape(name)
		if err != nil {
			return nil, err
		}
		law, _ := w.Law()
		p := counterErrorPoint{
			name: name, dispersion: mean("dispersion_of_counts"), correlation: law.Correlation / counterErrorT.Seconds(),
			rms: math.Sqrt(mean("error_open_time_square")) / counterErrorShapeMean, byPairs: math.Sqrt(mean("error_square_by_pairs")) / counterErrorShapeMean,
			drift: mean("error_open_time_mean") / counterErrorShapeMean, bias: mean("error_open_arrivals_mean") / counterErrorShapeMean, deficit: mean("throughput_deficit"),
		}
		if !math.IsNaN(p.rms) {
			points = append(points, p)
		}
	}
	if len(points) == 0 {
		return nil, nothingMeasured("error_open_time_square", []string{"part", "shapes"})
	}
	return points, nil
}

// counterErrorExtreme returns the point at which of is largest; a point without
// a name, of NaNs, if there is none.
func counterErrorExtreme(points []counterErrorPoint, of func(counterErrorPoint) float64) (most counterErrorPoint) {
	if len(points) == 0 {
		nan := math.NaN()
		return counterErrorPoint{"", nan, nan, nan, nan, nan, nan, nan}
	}
	most = points[0]
	for _, p := range points {
		if of(p) > of(most) {
			most = p
		}
	}
	return most
}

// counterErrorAlike returns those with a dispersion of the window within a
// quarter of one.
func counterErrorAlike(points []counterErrorPoint, dispersion float64) (alike []counterErrorPoint) {
	for _, p := range points {
		if p.dispersion > 0.8*dispersion && p.dispersion < 1.25*dispersion {
			alike = append(alike, p)
		}
	}
	return alike
}

// counterErrorFurthest is the most by which the error of a shape differs from
// what the lags say, as a share of it.
func counterErrorFurthest(points []counterErrorPoint) (most float64) {
	for _, p := range points {
		most = max(most, math.Abs(p.rms/p.byPairs-1))
	}
	return most
}

// The bins of the plane: the largest value that is in each.
var (
	counterErrorColumns = []struct {
		name string
		most float64
	}{{"0", 0.5}, {"1", 1.3}, {"2", 2.6}, {"4", 5.7}, {"8", 12}, {"16", 20}, {"more", math.Inf(1)}}
	counterErrorRows = []struct {
		name string
		most float64
	}{{"none", 0}, {"to T/10", 0.11}, {"to T", 1.01}, {"above T", 1e9}, {"endless", math.Inf(1)}}
)

func counterErrorPlaneFigure(d *Data) (plots.Figure, error) {
	points, err := counterErrorPlane(d)
	if err != nil {
		return plots.Figure{}, err
	}
	chart := plots.Heat{XLabel: "Index of dispersion of the count in one window T", YLabel: "Correlation time", Format: "%.0f"}
	for _, c := range counterErrorColumns {
		chart.X = append(chart.X, c.name)
	}
	for _, r := range counterErrorRows {
		chart.Y = append(chart.Y, r.name)
		chart.Z = append(chart.Z, make([]float64, len(counterErrorColumns)))
	}
	counts := make([][]int, len(counterErrorRows))
	for i := range counts {
		counts[i] = make([]int, len(counterErrorColumns))
	}
	for _, p := range points {
		for i, r := range counterErrorRows {
			if p.correlation > r.most || math.IsNaN(p.correlation) {
				continue
			}
			for j, c := range counterErrorColumns {
				if p.dispersion <= c.most {
					chart.Z[i][j] += 100 * p.rms
					counts[i][j]++
					break
				}
			}
			break
		}
	}
	for i := range chart.Z {
		for j := range chart.Z[i] {
			chart.Z[i][j] /= float64(counts[i][j]) // NaN where there is none
		}
	}
	alike := counterErrorAlike(points, 16)
	title := "How wrong the counter is, for all shapes of traffic"
	if len(alike) > 1 {
		least, most := counterErrorRange(alike)
		title = fmt.Sprintf("At one dispersion the counter errs by %.0f%% or by %.0f%%: it matters how long bursts are", 100*least.rms, 100*most.rms)
	}
	return plots.Figure{
		Title: title,
		Subtitle: fmt.Sprintf("Root mean square over time of estimate − truth, in %% of the mean count of %d in T, of %d shapes of traffic, measured; "+
			"mean of those in a cell. Means of %d replications. Title: dispersion 16", counterErrorShapeMean, len(points), d.Reps),
		Alt:   "Errors grow from left to right, with the dispersion, and from top to bottom: at one dispersion they are the smaller the longer the arrivals remember.",
		Chart: chart,
	}, nil
}

// counterErrorRange returns the shapes that the counter errs least and most at.
func counterErrorRange(points []counterErrorPoint) (least, most counterErrorPoint) {
	most = counterErrorExtreme(points, func(p counterErrorPoint) float64 { return p.rms })
	least = counterErrorExtreme(points, func(p counterErrorPoint) float64 { return -p.rms })
	return least, most
}

func counterErrorShapesFigure(d *Data) (plots.Figure, error) {
	points, err := counterErrorPlane(d)
	if err != nil {
		return plots.Figure{}, err
	}
	byDispersion := plots.Series{Name: "shapes", Quiet: true}
	byLags := plots.Series{Name: "shapes", Quiet: true}
	const lowest = 0.1 // where a dispersion of 0 stands
	for _, p := range points {
		byDispersion.X, byDispersion.Y = append(byDispersion.X, max(lowest, p.dispersion)), append(byDispersion.Y, p.rms)
		byLags.X, byLags.Y = append(byLags.X, p.byPairs), append(byLags.Y, p.rms)
	}
	percent := func(values ...float64) (ticks []plots.Tick) {
		for _, v := range values {
			ticks = append(ticks, plots.Tick{Value: v, Label: fmt.Sprintf("%g%%", 100*v)})
		}
		return ticks
	}
	y := plots.Axis{Label: "RMS error / mean count", Log: true, Min: 0.015, Max: 1, Ticks: percent(0.02, 0.05, 0.1, 0.2, 0.5, 1)}
	one := plots.Series{Name: "one to one", Theory: true, X: []float64{0.015, 1}, Y: []float64{0.015, 1}}
	poisson := counterErrorCurve("as batches", 1, 100, 20, func(x float64) float64 {
		return theory.CounterErrorPoissonRMS(counterErrorShapeMean) / counterErrorShapeMean * math.Sqrt(x)
	})
	title := "What the error goes with: dispersion, or lags within a window"
	if alike := counterErrorAlike(points, 4); len(alike) > 1 {
		least, most := counterErrorRange(alike)
		title = fmt.Sprintf("Dispersion does not fix the error (at 4: %.0f%% to %.0f%%); lags within a window do", 100*least.rms, 100*most.rms)
	}
	return plots.Figure{
		Title: title,
		Subtitle: fmt.Sprintf("Root mean square over time of estimate − truth; each dot a shape of traffic, %d with a mean of %d in T. Thin: batches (above); "+
			"what each arrival and each two within T bring, added up (below). Means of %d replications", len(points), counterErrorShapeMean, d.Reps),
		Alt:    "Above, dots at one dispersion lie at errors that differ by factors; below, all dots lie on the line.",
		Height: 440,
		Chart: plots.Grid{Columns: 1, FreeX: true, Panels: []plots.Panel{
			{Title: "By the index of dispersion", Chart: plots.Line{
				X: plots.Axis{Label: "Index of dispersion of the count in T, measured", Log: true, Min: lowest * 0.8, Max: 110,
					Ticks: append([]plots.Tick{{Value: lowest, Label: "0"}}, counterErrorTicks(0.5, 1, 2, 4, 8, 16, 32, 64)...)},
				Y: y, Series: []plots.Series{dots(byDispersion, math.Inf(1)), poisson},
			}},
			{Title: "By the lags between arrivals", Chart: plots.Line{
				X: plots.Axis{Label: "RMS error / mean count that the lags give", Log: true, Min: 0.015, Max: 1, Ticks: percent(0.02, 0.05, 0.1, 0.2, 0.5, 1)},
				Y: y, Series: []plots.Series{dots(byLags, math.Inf(1)), one},
			}},
		}},
	}, nil
}

// counterErrorFindings says what was found.
func counterErrorFindings(d *Data) ([]string, error) {
	points, err := counterErrorPlane(d)
	if err != nil {
		return nil, err
	}
	least, most := counterErrorRange(points)
	findings := []string{
		fmt.Sprintf("Of %d shapes of traffic with the same mean of %d requests in a window, the weighted counter errs least for %s, by %.1f %% of the mean (root mean square over time), and most for %s, by %.0f %%.",
			len(points), counterErrorShapeMean, least.name, 100*least.rms, most.name, 100*most.rms),
	}
	if alike := counterErrorAlike(points, 16); len(alike) > 1 {
		low, high := counterErrorRange(alike)
		findings = append(findings, fmt.Sprintf("The index of dispersion over the window does not fix the error: at about 16 it is %.0f %% for %s and %.0f %% for %s.",
			100*low.rms, low.name, 100*high.rms, high.name))
	}
	findings = append(findings,
		fmt.Sprintf("The lags between arrivals within one window do: each arrival and each pair brings a known part, and no shape is further than %.1f %% from their sum. Two arrivals less than %.2f windows apart add to the error, two further apart take from it.",
			100*counterErrorFurthest(points), theory.CounterErrorTurn))
	biased := counterErrorExtreme(points, func(p counterErrorPoint) float64 { return math.Abs(p.bias) })
	drifts := counterErrorExtreme(points, func(p counterErrorPoint) float64 { return math.Abs(p.drift) })
	over := fmt.Sprintf("Over time the estimate is off on average by %+.1f %% of the mean for %s", 100*drifts.drift, drifts.name)
	if math.Abs(drifts.drift) < 0.01 {
		over = "Over time the estimate is right on average for every shape"
	}
	findings = append(findings, fmt.Sprintf("%s; seen at arrivals it is not: %s finds it off by %+.1f %% of the mean.", over, biased.name, 100*biased.bias))
	loses := counterErrorExtreme(points, func(p counterErrorPoint) float64 { return p.deficit })
	gains := counterErrorExtreme(points, func(p counterErrorPoint) float64 { return -p.deficit })
	findings = append(findings, fmt.Sprintf("With the limit at the mean, the counter admits at most %.1f %% less than an exact log (%s), and at most %.1f %% more (%s).",
		100*loses.deficit, loses.name, -100*gains.deficit, gains.name))
	add := func(metric string, at []string, sentence func(x float64) string) {
		if x, _, _ := d.Mean(metric, at...); !math.IsNaN(x) {
			findings = append(findings, sentence(x))
		}
	}
	add("worst_window", []string{"part", "worst", "limit", "10", "rule", "fits"}, func(x float64) string {
		return fmt.Sprintf("A search that knows of the counter only what it admits gets %.0f through in a span as long as one window, with a limit of 10 (rule fits).", x)
	})
	add("error_open_time_mean_abs", counterErrorOpenPoisson("27"), func(x float64) string {
		return fmt.Sprintf("Under Poisson arrivals of 27 a window the mean |error| is %.1f %%: what Cloudflare reported of its traffic was 6 %%, which illustrates and decides nothing.", 100*x/27)
	})
	for i := range findings {
		findings[i] = strings.ReplaceAll(findings[i], "-0.0 %", "0.0 %")
	}
	return findings, nil
}
