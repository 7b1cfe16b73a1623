package notebook

import (
	"math"
	"strconv"

	"ratelab/experiments"
)

// claim is a statement with what became of it at every point.
type claim struct {
	Text, Domain, Source, Wrong string
	In, Outside                 experiments.Tally
	Points                      []point
	Quick                       bool // of a quick run, which leaves many undecided
}

// Verdict is the worst of its points'.
func (c claim) Verdict() experiments.Verdict { return worst(c.In.Plus(c.Outside)) }

// Open tells whether its points are to be seen at once: they do not all hold, and more replications are not the obvious
// remedy.
func (c claim) Open() bool {
	v := c.Verdict()
	return v == experiments.Fails || v == experiments.Undecided && !c.Quick
}

// point is a claim at one point.
type point struct {
	At, Observed, Interval, Relation, Expected string
	Outside                                    bool
	Verdict                                    experiments.Verdict
}

// worst is fails before undecided before holds.
func worst(t experiments.Tally) experiments.Verdict {
	switch {
	case t.Fails > 0:
		return experiments.Fails
	case t.Undecided > 0:
		return experiments.Undecided
	}
	return experiments.Holds
}

// claims puts verdicts to the claims that they are about. A claim of which these results have no point is left out.
func claims(all []experiments.Claim, checked []experiments.Checked, quick bool) (judged []claim) {
	for _, c := range all {
		out := claim{Text: c.Text, Domain: c.Domain, Source: c.Source, Wrong: c.Wrong, Quick: quick}
		for _, k := range checked {
			if k.Text != c.Text {
				continue
			}
			tally := &out.In
			if k.Outside {
				tally = &out.Outside
			}
			*tally = tally.Plus(experiments.Count([]experiments.Checked{k}))
			out.Points = append(out.Points, point{
				At: k.At, Observed: number(k.Observed), Interval: interval(k.Low, k.High), Relation: relations[k.Relation], Expected: number(k.Expected),
				Outside: k.Outside, Verdict: k.Verdict,
			})
		}
		if len(out.Points) > 0 {
			judged = append(judged, out)
		}
	}
	return judged
}

// relations are as they are written.
var relations = map[experiments.Relation]string{
	experiments.Equal: "=", experiments.AtMost: "≤", experiments.AtLeast: "≥", experiments.Exact: "is exactly", experiments.Differs: "≠",
}

// number shows six digits, which is more than the intervals know.
func number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

func interval(lo, hi float64) string {
	if lo == hi {
		return "all equal"
	}
	return number(lo) + " to " + number(hi)
}
