package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// fairGreedyAt is a point of part greedy.
func fairGreedyAt(algorithm, limits, greedy string) []string {
	at := []string{"part", "greedy", "algorithm", algorithm, "limits", limits, "greedy", greedy}
	switch limits {
	case "key":
		return append(at, "each", "5")
	case "both":
		return append(at, "each", "12")
	}
	return at
}

// fairGreedyFigure: what the others lose, and how fair the limits are, by what the greedy tenant asks for.
func fairGreedyFigure(d *Data) (plots.Figure, error) {
	most := fairGreeds[len(fairGreeds)-1]
	demand := plots.Axis{Label: "Demand of the greedy tenant, over that of each other", Log: true,
		Ticks: []plots.Tick{{Value: 1, Label: "1"}, {Value: 2, Label: "2"}, {Value: 4, Label: "4"}, {Value: 10, Label: "10"}, {Value: 40, Label: "40"}}}
	var panels []plots.Panel
	for _, shown := range []struct {
		metric, title string
		y             plots.Axis
	}{
		{"loss_others", "What the others lose", plots.Axis{Label: "Share of their requests refused", Percent: true, Min: 0, Max: 1}},
		{"jain", "How fair that is", plots.Axis{Label: "Jain's index, over max-min shares", Min: 0, Max: 1.05}},
	} {
		chart := plots.Line{X: demand, Y: shown.y}
		for _, curve := range []struct{ limits, name, label string }{
			{"global", "one for all", "one for all"}, {"key", "one for each", "one for each"}, {"both", "both", "both"},
		} {
			s := plots.Series{Name: curve.name, Label: curve.label, Markers: true}
			for _, g := range fairGreeds {
				at := fairGreedyAt("token-bucket", curve.limits, g)
				mean, lo, hi := d.Mean(shown.metric, at...)
				if math.IsNaN(mean) {
					return plots.Figure{}, nothingMeasured(shown.metric, at)
				}
				s.X, s.Y, s.Lo, s.Hi = append(s.X, fairNumber(g)), append(s.Y, mean), append(s.Lo, max(0, lo)), append(s.Hi, hi)
			}
			chart.Series = append(chart.Series, s)
		}
		panels = append(panels, plots.Panel{Title: shown.title, Chart: chart})
	}
	lost, _, _ := d.Mean("loss_others", fairGreedyAt("token-bucket", "global", most)...)
	kept, _, _ := d.Mean("loss_others", fairGreedyAt("token-bucket", "both", most)...)
	return plots.Figure{
		Title: fmt.Sprintf("A tenant that asks %s times as much costs the others %.0f%% of their requests under one limit for all, %s with a limit for each beside it",
			most, 100*lost, fairPercent(kept)),
		Subtitle: fmt.Sprintf("Eight tenants of %d/s and a greedy one, capacity %d/s; limit of each: %d/s alone, 12/s with the limit for all; token buckets, Poisson; %d replications, 95%% intervals",
			fairDemand, fairCapacity, fairOwn, d.Reps),
		Height: 430,
		Chart:  plots.Grid{Columns: 1, Panels: panels},
	}, nil
}

// fairPercent writes a small share.
func fairPercent(share float64) string {
	if share < 0.0005 {
		return "nothing"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*share), ".0") + "%"
}

// fairFirsts are the first tenants of part bursty, from the smoothest on.
var fairFirsts = []string{"steady", "poisson", "on-off"}

// fairAlgorithmsFigure: how much more the burstier tenant loses, by algorithm.
func fairAlgorithmsFigure(d *Data) (plots.Figure, error) {
	chart := plots.Heat{
		X: []string{"even", "Poisson", "on-off"}, XLabel: "How the first tenant sends; the other is Poisson", YLabel: "One limit for both",
		Format: "%.1f", Min: -22, Max: 22,
	}
	least, most := math.Inf(1), math.Inf(-1)
	apart := 0.0
	for _, a := range slices.Backward(fairAlgorithms) {
		var z []float64
		for _, first := range fairFirsts {
			at := []string{"part", "bursty", "algorithm", a.name, "first", first}
			gap, _, _ := d.Mean("loss_gap", at...)
			if math.IsNaN(gap) {
				return plots.Figure{}, nothingMeasured("loss_gap", at)
			}
			z = append(z, math.Round(1000*gap)/10+0) // no -0.0
		}
		least, most, apart = min(least, z[2]), max(most, z[2]), max(apart, math.Abs(z[1])/100)
		chart.Y, chart.Z = append(chart.Y, strings.TrimPrefix(fairCalled(a.name), "the ")), append(chart.Z, z)
	}
	return plots.Figure{
		Title: fmt.Sprintf("The algorithm decides how much more a bursty tenant loses, %.0f to %.0f points; two Poisson tenants lose alike under each",
			least, most),
		Subtitle: fmt.Sprintf("Points by which the first tenant's share refused is above the other's; equal means, together the limit of 20/s; mean of %d replications; Poisson pairs differ by %.1f at most",
			d.Reps, 100*apart),
		Chart: chart,
	}, nil
}

// fairRudeFigure: what a rude tenant gains, and the polite lose.
func fairRudeFigure(d *Data) (plots.Figure, error) {
	const load = "2"
	chart := plots.Line{
		X: plots.Axis{Label: "Most retries of the rude tenant", Min: 0, Max: 7},
		Y: plots.Axis{Label: "Share of requests served", Percent: true, Zero: true},
	}
	served := make(map[string][]float64)
	for _, curve := range []struct{ metric, name, label string }{{"loss_first", "rude", "rude"}, {"loss_others", "polite", "polite"}} {
		s := plots.Series{Name: curve.name, Label: curve.label}
		for _, retries := range []string{"0", "1", "3", "7"} {
			at := []string{"part", "rude", "limits", "global", "load", load, "retries", retries, "manner", "spread"}
			mean, lo, hi := d.Mean(curve.metric, at...)
			if math.IsNaN(mean) {
				return plots.Figure{}, nothingMeasured(curve.metric, at)
			}
			s.X, s.Y, s.Lo, s.Hi = append(s.X, fairNumber(retries)), append(s.Y, 1-mean), append(s.Lo, 1-hi), append(s.Hi, 1-lo)
		}
		served[curve.label] = s.Y
		expected := plots.Series{Name: curve.name, Theory: true}
		rate := fairRate * fairNumber(load) / fairAlike
		for m := range 8 {
			shares := theory.RudeTenant((fairAlike-1)*rate, rate, fairRate, fairBurst, m)
			expected.X, expected.Y = append(expected.X, float64(m)), append(expected.Y, map[string]float64{"rude": shares.Rude, "polite": shares.Polite}[curve.label])
		}
		marks := dots(s, 7)
		marks.Label = curve.label
		chart.Series = append(chart.Series, expected, marks)
	}
	return plots.Figure{
		Title: fmt.Sprintf("A tenant that tries again up to 7 times is served %.0f%% of its requests instead of %.0f%%, and the polite one %.0f%%",
			100*served["rude"][3], 100*served["rude"][0], 100*served["polite"][3]),
		Subtitle: fmt.Sprintf("Two equal Poisson tenants, together twice one token bucket of %d/s, burst %d; retries spread over %s; thin: theory; %d replications",
			fairRate, fairBurst, plots.Duration(fairSpread), d.Reps),
		Chart: chart,
	}, nil
}

// fairFindings says what was found.
func fairFindings(d *Data) ([]string, error) {
	const most = "40"
	mean := func(metric string, at ...string) float64 {
		m, _, _ := d.Mean(metric, at...)
		return m
	}
	all, each, both := fairGreedyAt("token-bucket", "global", most), fairGreedyAt("token-bucket", "key", most), fairGreedyAt("token-bucket", "both", most)
	bursty := func(algorithm string) float64 {
		return mean("loss_gap", "part", "bursty", "algorithm", algorithm, "first", "on-off")
	}
	rude := func(retries, manner, metric string) float64 {
		return 1 - mean(metric, "part", "rude", "limits", "global", "load", "2", "retries", retries, "manner", manner)
	}
	least, greatest := fairAlgorithms[0].name, fairAlgorithms[0].name
	equal := 0.0
	for _, a := range fairAlgorithms {
		if bursty(a.name) < bursty(least) {
			least = a.name
		}
		if bursty(a.name) > bursty(greatest) {
			greatest = a.name
		}
		equal = max(equal, math.Abs(mean("loss_gap", "part", "poisson", "algorithm", a.name, "limits", "global", "limit", "20", "load", "2")))
	}
	takes := mean("first_share", all...)
	verdict := "No"
	if takes > 0.5 {
		verdict = "Nearly"
	}
	findings := []string{
		fmt.Sprintf("%s: under one limit for all a tenant gets in proportion to what it asks for, so that one of nine that asks for %s times as much as each of the others takes %.0f%% of the capacity, and the others lose %.0f%% of their requests; with a limit for each beside it they lose %s.",
			verdict, most, 100*takes, 100*mean("loss_others", all...), fairPercent(mean("loss_others", both...))),
		fmt.Sprintf("One limit for all protects what is behind it, and is not fair: it admits %.0f%% of the capacity at a Jain index of %.2f over max-min shares; a limit of 5/s for each is at %.2f and leaves %.0f%% of the capacity unused; 12/s for each, and the limit for all behind, is at %.2f and uses %.0f%%.",
			100*mean("used_share", all...), mean("jain", all...), mean("jain", each...), 100*(1-mean("used_share", each...)), mean("jain", both...), 100*mean("used_share", both...)),
		fmt.Sprintf("The key divides, the algorithm only decides what bursts lose: between independent Poisson tenants, one four times the other, no algorithm's losses differ by more than %.1f points; beside a Poisson tenant of the same mean an on-off one loses %.0f points more under %s and %.0f under %s.",
			math.Ceil(1000*equal)/10, 100*bursty(least), fairCalled(least), 100*bursty(greatest), fairCalled(greatest)),
		fmt.Sprintf("A tenant that tries again up to seven times is served %.0f%% of its requests instead of %.0f%%, and the polite one %.0f%% instead of %.0f%%; in a loop, three retries bring it %.0f%%, spread out %.0f%%.",
			100*rude("7", "spread", "loss_first"), 100*rude("0", "spread", "loss_first"), 100*rude("7", "spread", "loss_others"), 100*rude("0", "spread", "loss_others"),
			100*rude("3", "loop", "loss_first"), 100*rude("3", "spread", "loss_first")),
	}
	for _, f := range findings {
		if strings.Contains(f, "NaN") {
			return nil, fmt.Errorf("nothing was measured of what this says: %s", f)
		}
	}
	return findings, nil
}

// fairCalled names an algorithm in a sentence.
func fairCalled(algorithm string) string {
	if algorithm == "gcra" {
		return "GCRA"
	}
	return "the " + strings.ReplaceAll(algorithm, "-", " ")
}
