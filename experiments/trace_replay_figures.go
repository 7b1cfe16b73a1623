package experiments

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/plots"
)

// replayAt is a point of part replay, on one server at the log's own costs.
func replayAt(log, limiter, limit string) []string {
	return replayPoint(log, limiter, limit, "1", "one", 0).At
}

// replayMeasured returns the logs that were replayed, in order.
func replayMeasured(d *Data) ([]string, error) {
	rows, err := d.Runs.Where("part", "replay")
	if err != nil {
		return nil, err
	}
	if rows.Len() == 0 {
		return nil, nothingMeasured("refused", []string{"part", "replay"})
	}
	return rows.Distinct("log")
}

// replayCalled names a log by the last part of its path.
func replayCalled(log string) string {
	if isShipped(log) {
		return log
	}
	return filepath.Base(filepath.FromSlash(log))
}

const replayTypical = "20" // the limit that titles and findings are about

// replayRange returns the limiters that refuse least and most, with how much,
// of those with a metric at the typical limit.
func replayRange(d *Data, metric, log string, names []string) (least, most string, low, high float64, err error) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, name := range names {
		at := replayAt(log, name, replayTypical)
		v, _, _ := d.Mean(metric, at...)
		if math.IsNaN(v) {
			return "", "", 0, 0, nothingMeasured(metric, at)
		}
		if v < low {
			least, low = name, v
		}
		if v > high {
			most, high = name, v
		}
	}
	return least, most, low, high, nil
}

// replayRefusedFigure: what canonical limiters refuse, by the limit.
func replayRefusedFigure(d *Data) (plots.Figure, error) {
	all, err := replayMeasured(d)
	if err != nil {
		return plots.Figure{}, err
	}
	log := all[0]
	if slices.Contains(all, "shop") {
		log = "shop" // has clients of all sizes
	}
	limits := []string{"5", "10", "20", "40", "80"}
	chart := plots.Line{
		X: plots.Axis{Label: "Limit, and burst, of each client", Unit: "requests/min", Log: true},
		Y: plots.Axis{Label: "Share refused", Percent: true, Zero: true},
	}
	for _, limit := range limits {
		chart.X.Ticks = append(chart.X.Ticks, plots.Tick{Value: fairNumber(limit), Label: limit})
	}
	shown := []string{"sliding-log", "sliding-counter", "fixed-window", "token-bucket"}
	for _, name := range append(shown, "leaky-meter") {
		s := plots.Series{Name: name, Markers: true}
		for _, limit := range limits {
			at := replayAt(log, name, limit)
			mean, _, _ := d.Mean("refused_share", at...)
			if math.IsNaN(mean) {
				return plots.Figure{}, nothingMeasured("refused_share", at)
			}
			s.X, s.Y = append(s.X, fairNumber(limit)), append(s.Y, mean)
		}
		chart.Series = append(chart.Series, s)
	}
	least, most, low, high, err := replayRange(d, "refused_share", log, shown)
	if err != nil {
		return plots.Figure{}, err
	}
	offered, _, _ := d.Mean("offered", replayAt(log, least, replayTypical)...)
	return plots.Figure{
		Title: fmt.Sprintf("At %s a minute the same log loses %.1f%% under a %s and %.1f%% under a %s",
			replayTypical, 100*low, replayNamed(least), 100*high, replayNamed(most)),
		Subtitle: fmt.Sprintf("%s, %.0f requests; one limit of each client, one server; GCRA and the leaky queue decide as the token bucket. No chance in it",
			replayCalled(log), offered),
		Chart: chart,
	}, nil
}

// replayAlike are limiters that refuse equally many of every log, at every
// limit: names of them, and the shares.
type replayAlike struct {
	names  []string
	shares []float64
}

// replayGroups puts limiters together that refuse alike, in their order.
func replayGroups(d *Data, logs, limits []string) (groups []replayAlike, err error) {
	for _, name := range replayNames() {
		var shares []float64
		for _, log := range logs {
			for _, limit := range limits {
				at := replayAt(log, name, limit)
				mean, _, _ := d.Mean("refused_share", at...)
				if math.IsNaN(mean) {
					return nil, nothingMeasured("refused_share", at)
				}
				shares = append(shares, mean)
			}
		}
		i := slices.IndexFunc(groups, func(g replayAlike) bool { return slices.Equal(g.shares, shares) })
		if i < 0 {
			i, groups = len(groups), append(groups, replayAlike{shares: shares})
		}
		groups[i].names = append(groups[i].names, name)
	}
	return groups, nil
}

// replayNamed writes a limiter: a program's name as it is.
func replayNamed(name string) string {
	switch {
	case name == "gcra":
		return "GCRA"
	case slices.Contains(replayCanonical(), name):
		return strings.ReplaceAll(name, "-", " ")
	}
	return name
}

// replayThe names a limiter in a sentence; those that are named for programs
// have no article.
func replayThe(name string) string {
	if name != "gcra" && slices.Contains(replayCanonical(), name) {
		return "the " + replayNamed(name)
	}
	return replayNamed(name)
}

// replayLimitersFigure: what every limiter refuses of every log.
func replayLimitersFigure(d *Data) (plots.Figure, error) {
	all, err := replayMeasured(d)
	if err != nil {
		return plots.Figure{}, err
	}
	limits := []string{"10", "20", "40"}
	chart := plots.Heat{Format: "%.1f", XLabel: "Log, and limit a minute", YLabel: "Share refused (%)"}
	for _, log := range all {
		for _, limit := range limits {
			chart.X = append(chart.X, replayCalled(log)+" "+limit)
		}
	}
	groups, err := replayGroups(d, all, limits)
	if err != nil {
		return plots.Figure{}, err
	}
	for _, g := range slices.Backward(groups) {
		label := replayNamed(g.names[0])
		switch n := len(g.names) - 1; {
		case n == 1:
			label += ", " + replayNamed(g.names[1])
		case n > 1:
			label += fmt.Sprintf(" and %d others", n)
		}
		percents := make([]float64, len(g.shares))
		for i, share := range g.shares {
			percents[i] = 100 * share
		}
		chart.Y, chart.Z = append(chart.Y, label), append(chart.Z, percents)
	}
	least, most, low, high, err := replayRange(d, "refused_share", all[0], replayNames())
	if err != nil {
		return plots.Figure{}, err
	}
	return plots.Figure{
		Title: fmt.Sprintf("%d limiters give %d different answers to the same logs: at %s a minute %s refuses %.1f%% of %s and %s %.1f%%",
			len(replayLimiters), len(groups), replayTypical, replayNamed(least), 100*low, replayCalled(all[0]), replayNamed(most), 100*high),
		Subtitle: "Share refused, in percent; one limit of each client, one server; those that refuse equally many everywhere stand together",
		Chart:    chart,
	}, nil
}

// replayFindings says what was found of each log.
func replayFindings(d *Data) ([]string, error) {
	all, err := replayMeasured(d)
	if err != nil {
		return nil, err
	}
	var findings []string
	differ, rows := 0.0, 0.0
	for _, log := range all {
		least, most, low, high, err := replayRange(d, "refused_share", log, replayNames())
		if err != nil {
			return nil, err
		}
		canonical := []string{"fixed-window", "sliding-counter", "token-bucket"}
		alike, unlike, few, many, err := replayRange(d, "unlike_log", log, canonical)
		if err != nil {
			return nil, err
		}
		offered, _, _ := d.Mean("offered", replayAt(log, least, replayTypical)...)
		findings = append(findings, fmt.Sprintf("Of the %.0f requests of %s at %s a minute for each client, %s would have refused the fewest, %.1f%%, and %s the most, %.1f%%; %.1f%% (%s) to %.1f%% (%s) are decided otherwise than by a sliding log.",
			offered, replayCalled(log), replayTypical, replayThe(least), 100*low, replayThe(most), 100*high, 100*few, replayNamed(alike), 100*many, replayNamed(unlike)))
		for _, name := range replayNames() {
			n, _, _ := d.Mean("rows_differ", replayAt(log, name, replayTypical)...)
			differ, rows = differ+n, rows+offered
		}
	}
	groups, err := replayGroups(d, all, []string{"10", "20", "40"})
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		if len(g.names) > 2 {
			var names []string
			for _, name := range g.names {
				names = append(names, replayNamed(name))
			}
			findings = append(findings, fmt.Sprintf("Equally many are refused by %s.", andLast(names)))
		}
	}
	if differ == 0 {
		findings = append(findings, fmt.Sprintf("All of %.0f decisions, log by log and limiter by limiter, are what ratelab decide answers to the same row.", rows))
	} else {
		findings = append(findings, fmt.Sprintf("Of %.0f decisions, log by log and limiter by limiter, %.0f are not what ratelab decide answers to the same row.", rows, differ))
	}
	for _, log := range all {
		var parts []string
		for _, name := range []string{"fixed-window", "sliding-log", "sliding-counter", "token-bucket"} {
			n, _, _ := d.Mean("least_limit", "part", "least", "log", log, "limiter", name, "servers", "1")
			if math.IsNaN(n) {
				return nil, nothingMeasured("least_limit", []string{"part", "least", "log", log, "limiter", name})
			}
			parts = append(parts, fmt.Sprintf("%.0f (%s)", n, replayNamed(name)))
		}
		findings = append(findings, fmt.Sprintf("To refuse nothing of %s, a client needs a minute's limit of %s.", replayCalled(log), strings.Join(parts, ", ")))
	}
	return findings, nil
}
