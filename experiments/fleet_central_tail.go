package experiments

import (
	"fmt"
	"math"
	"slices"

	"ratelab/experiments/sweep"
	"ratelab/experiments/theory"
	"ratelab/plots"
)

// centralTail are the places of part timeout that show how long the longest
// waits are: servers with ever more patience.
var centralTail = []centralTimeout{
	{"0.2", "3500us", "open", 0.2, 1.5},
	{"0.4", "4500us", "open", 0.4, 2.5},
	{"0.5", "5ms", "open", 0.5, 3},
	{"0.5", "4ms", "open", 0.5, 2},
	{"0.5", "6ms", "open", 0.5, 4},
	{"0.7", "4ms", "open", 0.7, 2},
	{"0.7", "6ms", "open", 0.7, 4},
	{"0.7", "8ms", "open", 0.7, 6},
	{"0.8", "2000001ns", "open", 0.8, 0},
	{"0.8", "4ms", "open", 0.8, 2},
	{"0.8", "6ms", "open", 0.8, 4},
	{"0.8", "10ms", "open", 0.8, 8},
}

// centralTailClaimed are those, from the first, whose share is claimed: rare,
// and yet seen often enough to be known to a tenth.
const centralTailClaimed = 3

// asked returns how many requests it takes at full precision to show the late
// share: fewer where it is drawn and not claimed.
func (t centralTimeout) asked() int64 {
	switch i := slices.Index(centralTail, t); {
	case i < 0:
		return 50_000
	case i < centralTailClaimed:
		return 30_000
	}
	return 5_000
}

func centralTailGrids() (grids []sweep.Grid) {
	for _, at := range centralTail {
		grids = append(grids, sweep.Grid{{Factor: "part", Values: []string{"timeout"}}, {Factor: "coordination", Values: []string{at.coordination()}},
			{Factor: "limit", Values: []string{"100000"}}, {Factor: "rtt", Values: []string{"1ms"}}, {Factor: "load", Values: []string{at.load}}})
	}
	return grids
}

func (t centralTimeout) at() []string {
	return centralAt("timeout", t.coordination(), "load", t.load, "limit", "100000")
}

func centralTailShare() Claim {
	c := Claim{
		Text:   "the longest waits are as rare as in M/D/1",
		Domain: "as for the share that comes too late; waits that 1 in 65 to 1 in 120 checks exceed",
		Wrong:  "a tail by the mean alone, as of an exponential wait; arrivals in bursts, operations of unequal length",
		Source: "theory.MD1WaitAbove",
		Metric: centralLate, Relation: Equal,
	}
	place := func(t centralTimeout, services float64) Point {
		expected := theory.MD1WaitAbove(t.rho, services)
		return Point{At: t.at(), Expected: expected, Scale: shareScale(expected)}
	}
	for _, t := range centralTail[:centralTailClaimed] {
		c.Points = append(c.Points, place(t, t.services))
	}
	// As if the service did not count.
	c.Outside = []Point{place(centralTail[2], 4)}
	return c
}

// centralDrawTail: how many checks wait longer than so.
func centralDrawTail(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "tail", Title: "How many checks wait longer than so"}
	const longest = 8
	chart := plots.Tail{
		X:     plots.Axis{Label: "Wait at the store", Unit: "ms", Min: 0, Max: longest},
		Of:    "Checks that wait longer",
		Least: 1e-3,
	}
	four := make(map[string]float64) // share above 4 ms, by load
	for _, load := range []string{"0.8", "0.7", "0.5"} {
		s := plots.Series{Name: "load " + load, Markers: true}
		rho := parsed(load)
		for _, list := range [][]centralTimeout{centralTimeouts, centralTail} {
			for _, t := range list {
				if t.load != load {
					continue
				}
				mean, lo, hi := d.Mean(centralLate, t.at()...)
				if math.IsNaN(mean) {
					if d.Partial {
						continue
					}
					return f, nothingMeasured(centralLate, t.at())
				}
				s.X, s.Y = append(s.X, t.services), append(s.Y, mean)
				s.Lo, s.Hi = append(s.Lo, max(0, lo)), append(s.Hi, hi)
				if t.services == 4 {
					four[load] = mean
				}
			}
		}
		if len(s.X) == 0 {
			continue
		}
		law := plots.Series{Name: s.Name, Theory: true}
		for x := 0.0; x <= longest+1e-9; x += 0.05 {
			if above := theory.MD1WaitAbove(rho, x); above > chart.Least/2 {
				law.X, law.Y = append(law.X, x), append(law.Y, above)
			}
		}
		chart.Series = append(chart.Series, law, dots(s, longest))
	}
	if half, high := four["0.5"], four["0.8"]; half > 0 && high > half {
		f.Title = fmt.Sprintf("Longer than 4 ms wait %.1f%% of the checks at half the store's load, and %.0f%% at eight tenths", 100*half, 100*high)
	}
	f.Subtitle = fmt.Sprintf("One store, 1000 operations a second, Poisson arrivals. Points: checks that a server gave up on when its patience for the wait was so; "+
		"lines: M/D/1. %s.", fleetN(d))
	f.Alt = "On a logarithmic scale the shares fall along nearly straight lines, the steeper the less load, and the points lie on them."
	f.Chart = chart
	return f, nil
}
