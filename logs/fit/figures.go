package fit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/plots"
)

// Figures are the frontier, and what the knee, if there is one, would have refused over time.
func (a *Analysis) Figures() []plots.Figure {
	figures := []plots.Figure{a.frontierFigure()}
	if a.Knee != nil {
		figures = append(figures, a.refusalsFigure())
	}
	return figures
}

// frontierFigure draws bursts against rates.
func (a *Analysis) frontierFigure() plots.Figure {
	line := plots.Line{
		X: plots.Axis{Label: "Rate", Unit: unitOf(a) + "/s", Log: true},
		Y: plots.Axis{Label: "Smallest burst", Unit: unitOf(a), Log: true},
	}
	// Lines that are equal are one: those of few keys, and those of all keys and all requests, always.
	for _, of := range a.ofs() {
		for _, share := range a.Frontier.Shares {
			s := plots.Series{Name: share.Percent() + " % of " + string(of), Markers: len(a.Frontier.Rates) == 1}
			s.Label = s.Name
			for _, p := range a.Frontier.Line(of, share) {
				s.X = append(s.X, p.Rate.PerSecond())
				s.Y = append(s.Y, float64(p.Burst))
				if a.Grain > 0 && of == Keys {
					s.Lo, s.Hi = append(s.Lo, float64(p.Low)), append(s.Hi, float64(p.High))
				}
			}
			same := slices.IndexFunc(line.Series, func(other plots.Series) bool { return slices.Equal(s.Y, other.Y) })
			switch {
			case same < 0:
				line.Series = append(line.Series, s)
			case strings.HasSuffix(line.Series[same].Label, string(of)):
				line.Series[same].Label = strings.Replace(line.Series[same].Label, " %", ", "+share.Percent()+" %", 1)
			default:
				line.Series[same].Label += " and " + string(of)
			}
		}
	}
	title := "No bucket that refuses little fills up within the log"
	if a.Knee != nil {
		title = fmt.Sprintf("The knee: %s with a burst of %d", a.Knee.Rate.Text, a.Knee.Burst)
		line.Refs = append(line.Refs, plots.Ref{Value: a.Knee.Rate.PerSecond(), Vertical: true, Label: "knee"})
	}
	return plots.Figure{
		Name: "frontier", Title: title,
		Subtitle: "smallest burst of a token bucket a key, full at first, that refuses nothing to so many keys, or admits so many requests",
		Chart:    line,
	}
}

// refusalsFigure draws what came and what the knee would have refused, over time.
func (a *Analysis) refusalsFigure() plots.Figure {
	unit, text := time.Second, "s"
	switch {
	case a.Span() > 72*time.Hour:
		unit, text = 24*time.Hour, "d"
	case a.Span() > 3*time.Hour:
		unit, text = time.Hour, "h"
	case a.Span() > 3*time.Minute:
		unit, text = time.Minute, "min"
	}
	came, refused := plots.Series{Name: "came", Label: "came"}, plots.Series{Name: "refused", Label: "refused"}
	for i := range a.Refusals.Offered {
		at := float64(i) * float64(a.Refusals.Part) / float64(unit)
		came.X, refused.X = append(came.X, at), append(refused.X, at)
		came.Y, refused.Y = append(came.Y, float64(a.Refusals.Offered[i])), append(refused.Y, float64(a.Refusals.Refused[i]))
	}
	title := "The knee refuses nothing"
	if a.Refusals.Requests > 0 {
		title = fmt.Sprintf("The knee refuses %s of the requests, of %s", percent(a.Refusals.Requests, a.Requests), plural(int64(a.Refusals.Keys), "key"))
	}
	return plots.Figure{
		Name: "refusals", Title: title,
		Subtitle: fmt.Sprintf("requests in each %s, and those that %s a key would have refused", rough(a.Refusals.Part), a.Knee.spec()),
		Chart: plots.Step{
			X:      plots.Axis{Label: "Time since the first request", Unit: text},
			Y:      plots.Axis{Label: "Requests", Zero: true},
			Series: []plots.Series{came, refused},
		},
	}
}

func unitOf(a *Analysis) string {
	if a.UnitCosts {
		return "requests"
	}
	return "cost"
}
