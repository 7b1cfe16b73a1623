package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/plots"
)

// leakyTimelineMillis are the arrivals of the time-line: five before an edge
// of the window of 1 s and five after it, six at an even pace, eight in a
// burst, and one.
var leakyTimelineMillis = []int64{
	800, 840, 880, 920, 960, 1040, 1080, 1120, 1160, 1200,
	2100, 2300, 2500, 2700, 2900, 3100,
	3600, 3640, 3680, 3720, 3760, 3800, 3840, 3880,
	4300,
}

const (
	leakyTimelineEdge  = 10 // of the arrivals, those around the edge
	leakyTimelineLimit = "5"
)

// leakyTimelineLimiters are its limiters, all with the same promise: five a
// second.
var leakyTimelineLimiters = []string{
	"fixed-window", "sliding-log", "sliding-counter-fits", "sliding-counter-below", "token-bucket", "gcra", "leaky-meter", "leaky-queue",
}

func leakyTimelineGrids() []sweep.Grid {
	arrivals := make([]string, len(leakyTimelineMillis))
	for i := range arrivals {
		arrivals[i] = strconv.Itoa(i + 1)
	}
	var grids []sweep.Grid
	for _, name := range leakyTimelineLimiters {
		g := sweep.Grid{{Factor: "part", Values: []string{"timeline"}}, {Factor: "limiter", Values: []string{name}},
			{Factor: "limit", Values: []string{leakyTimelineLimit}}, {Factor: "arrival", Values: arrivals}}
		if leakyTakesBurst(name) {
			g = append(g, sweep.Axis{Factor: "burst", Values: []string{leakyTimelineLimit}})
		}
		grids = append(grids, g)
	}
	return grids
}

// leakyTakesBurst tells whether a limiter has a burst to be set.
func leakyTakesBurst(name string) bool {
	for _, s := range leakySpecs {
		if s.name == name {
			return strings.Contains(s.text, "=B") || strings.Contains(s.text, "=Q")
		}
	}
	return false
}

func leakyArrival(value string) error {
	if v, err := spec.ParseCount(value); err != nil || v < 1 || v > int64(len(leakyTimelineMillis)) {
		return fmt.Errorf("want a whole number in 1..%d", len(leakyTimelineMillis))
	}
	return nil
}

// leakyTimeline decides the story up to one arrival, and says of that when it
// came and, if it was admitted, when it went on.
func leakyTimeline(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	s, _, err := leakyLimiter(c, c.Get("burst"))
	if err != nil {
		return err
	}
	l := lab.Limiter(s, c.Seed)
	var (
		at, delay time.Duration
		admitted  bool
	)
	for _, ms := range leakyTimelineMillis[:c.Int("arrival")] {
		at = time.Duration(ms) * time.Millisecond
		admitted, delay = l.Admit(at, 0, 1)
	}
	out.Set("arrives_at", at.Seconds())
	out.Set("arrival_admitted", 0)
	if admitted {
		out.Set("arrival_admitted", 1)
		out.Set("goes_on_at", (at + delay).Seconds())
	}
	return nil
}

// leakyTimelineFigure draws every algorithm on the same arrivals, request by
// request.
func leakyTimelineFigure(d *Data) (plots.Figure, error) {
	chart := plots.Timeline{
		X:    plots.Axis{Label: "Time", Unit: "s", Min: 0.5, Max: 5},
		Refs: []plots.Ref{{Value: 1, Vertical: true, Label: "edge of a window"}},
	}
	for second := 1; second <= 5; second++ {
		chart.X.Ticks = append(chart.X.Ticks, plots.Tick{Value: float64(second), Label: strconv.Itoa(second)})
	}
	around := make(map[string]int) // admitted of the arrivals around the edge
	for _, name := range leakyTimelineLimiters {
		if name == "gcra" { // told by the bucket's row, if it is the same
			continue
		}
		row, label, err := leakyTimelineRow(d, name)
		if err != nil {
			return plots.Figure{}, err
		}
		if len(chart.Rows) == 0 {
			offered := plots.Dots{Name: "offered", Label: fmt.Sprintf("arrivals %d", len(row.arrives)), Times: row.arrives}
			for range row.arrives {
				offered.Admitted = append(offered.Admitted, true)
			}
			chart.Rows = append(chart.Rows, offered)
		}
		total := 0
		for i, ok := range row.Admitted {
			if ok {
				total++
				if i < leakyTimelineEdge {
					around[name]++
				}
			}
		}
		row.Label = fmt.Sprintf("%s %d", label, total)
		chart.Rows = append(chart.Rows, row.Dots)
	}
	same := ""
	if gcra, _, err := leakyTimelineRow(d, "gcra"); err != nil {
		return plots.Figure{}, err
	} else if bucket, _, err := leakyTimelineRow(d, "token-bucket"); err == nil && fmt.Sprint(gcra.Admitted) == fmt.Sprint(bucket.Admitted) {
		same = " GCRA decides as the token bucket"
	}
	return plots.Figure{
		Title: fmt.Sprintf("Ten requests around an edge: a fixed window of 5 a second passes %d, a token bucket %d, a sliding log %d",
			around["fixed-window"], around["token-bucket"], around["sliding-log"]),
		Subtitle: "The same arrivals under every limit of 5 a second, where each goes on: the leaky queue keeps what others pass at once. No chance in it." + same,
		Alt: fmt.Sprintf("Rows of ticks over five seconds, one row a limiter: an admitted request stands on the line, a refused one hangs from it. "+
			"Of the ten around the edge the fixed window admits %d, the sliding log %d; the leaky queue's ticks are evenly spaced.", around["fixed-window"], around["sliding-log"]),
		Chart: chart,
	}, nil
}

type leakyRow struct {
	plots.Dots
	arrives []float64
}

// leakyTimelineRow reads what a limiter did, request by request; an admitted
// one stands where it goes on, a refused one where it came.
func leakyTimelineRow(d *Data, name string) (row leakyRow, label string, err error) {
	row.Name = name
	for i := range leakyTimelineMillis {
		at := leakyAt("timeline", name, "arrival", strconv.Itoa(i+1))
		came, _, _ := d.Mean("arrives_at", at...)
		admitted, _, _ := d.Mean("arrival_admitted", at...)
		goes, _, _ := d.Mean("goes_on_at", at...)
		switch {
		case math.IsNaN(came + admitted):
			return row, "", nothingMeasured("arrival_admitted", at)
		case admitted != 0 && admitted != 1:
			return row, "", errors.New("replications of the time-line differ, which has no chance in it")
		case admitted == 0:
			goes = came
		}
		row.arrives = append(row.arrives, came)
		row.Times, row.Admitted = append(row.Times, goes), append(row.Admitted, admitted == 1)
	}
	look, _ := plots.LookOf(name)
	return row, strings.Replace(strings.Replace(look.Label, "sliding counter (", "counter (", 1), "  ", " ", 1), nil
}
