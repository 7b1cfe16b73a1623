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
	var names []map[Of][]string // of each line, the shares
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
			if same < 0 {
				same = len(line.Series)
				line.Series, names = append(line.Series, s), append(names, map[Of][]string{})
			}
			names[same][of] = append(names[same][of], share.Percent())
		}
	}
	for i := range names {
		line.Series[i].Label = labelOf(names[i])
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

// labelOf names a line by the shares of keys and of requests that it is: 99 and 100 % keys; 100 % requests, as the tables have it.
func labelOf(shares map[Of][]string) string {
	of := func(of Of) string {
		list := shares[of]
		if len(list) > 2 { // then those between are equal, too
			return list[0] + " to " + list[len(list)-1] + " % " + string(of)
		}
		return strings.Join(list, " and ") + " % " + string(of)
	}
	switch {
	case shares[Requests] == nil:
		return of(Keys)
	case shares[Keys] == nil:
		return of(Requests)
	case slices.Equal(shares[Keys], shares[Requests]):
		return of(Keys) + " and requests"
	}
	return of(Keys) + "; " + of(Requests)
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
