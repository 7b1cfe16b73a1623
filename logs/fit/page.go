package fit

import (
	_ "embed" // the body of the page
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/spec"
	"ratelab/plots"
	"ratelab/plots/page"
)

//go:embed page.html
var body string

// WritePage writes the report as one HTML file that holds all it needs.
func (r *Report) WritePage(w io.Writer) error {
	title := "Which limit fits " + shownText(filepath.Base(r.Input.Log.Files[0].Name))
	if more := len(r.Input.Log.Files) - 1; more > 0 {
		title += " and " + plural(int64(more), "other log")
	}
	title += "?"
	data := map[string]any{"Title": title, "Warnings": r.Warnings()}
	var parts []pagePart
	for _, p := range []struct {
		name string
		a    *Analysis
	}{{"", r.Raw}, {"Without retries", r.WithoutRetries}} {
		if p.a == nil {
			continue
		}
		part, err := r.pagePart(p.a, p.name)
		if err != nil {
			return err
		}
		parts = append(parts, part)
	}
	data["Parts"] = parts
	return page.Write(w, page.Page{Title: title, Description: "The rates and bursts that would not have refused a log", Body: body, Data: data})
}

// pagePart is an analysis on the page.
type pagePart struct {
	Heading  string
	Demand   string
	Knee     string // its spec
	KneeSays string
	Requests string // the spec of the knee of requests
	Share    string
	Figures  []page.Figure
	Tables   []page.Table
}

func (r *Report) pagePart(a *Analysis, heading string) (pagePart, error) {
	part := pagePart{Heading: heading, Share: a.Frontier.Shares[0].Percent()}
	part.Demand = fmt.Sprintf("%s from %s, %s to %s (%s)", plural(int64(a.Requests), "request"), plural(int64(a.Keys), "key"), utc(a.First), utc(a.Last), rough(time.Duration(a.Last-a.First)))
	id := "all"
	if heading != "" {
		id = "new"
	}
	figures := []plots.Figure{a.frontierFigure()}
	if a.Knee != nil {
		part.Knee, part.KneeSays = a.Knee.spec(), a.saysKnee()
		figures = append(figures, a.refusalsFigure())
	}
	if a.RequestKnee != nil {
		part.Requests = a.RequestKnee.spec()
	}
	for _, f := range figures {
		svg, err := plots.SVG(f)
		if err != nil {
			return part, err
		}
		part.Figures = append(part.Figures, page.Figure{ID: id + "-" + f.Name, SVG: svg})
	}
	part.Tables = r.pageTables(a)
	return part, nil
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
	case a.Last-a.First > int64(72*time.Hour):
		unit, text = 24*time.Hour, "d"
	case a.Last-a.First > int64(3*time.Hour):
		unit, text = time.Hour, "h"
	case a.Last-a.First > int64(3*time.Minute):
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

// pageTables are the tables for people, folded.
func (r *Report) pageTables(a *Analysis) []page.Table {
	frontier := page.Table{Summary: "Bursts at every rate", Columns: []page.Column{{Name: "rate"}}}
	windows := page.Table{Summary: "Limits of windows", Columns: []page.Column{{Name: "window"}, {Name: "limiter"}}}
	for _, name := range headings(a) {
		frontier.Columns = append(frontier.Columns, page.Column{Name: name, Number: true})
		windows.Columns = append(windows.Columns, page.Column{Name: name, Number: true})
	}
	frontier.Columns = append(frontier.Columns, page.Column{Name: "note"})
	lines := a.lines()
	for i, rate := range a.Frontier.Rates {
		row := []string{rate.Text}
		for _, line := range lines {
			row = append(row, interval(line[i].Burst, line[i].Low, line[i].High))
		}
		frontier.Rows = append(frontier.Rows, append(row, a.note(i)))
	}
	per := len(headings(a))
	for i := 0; i+per <= len(a.Windows); i += per {
		row := []string{spec.FormatDuration(a.Windows[i].Window), string(a.Windows[i].Kind)}
		for _, p := range a.Windows[i : i+per] {
			row = append(row, interval(p.Limit, p.Low, p.High))
		}
		windows.Rows = append(windows.Rows, row)
	}
	tables := []page.Table{frontier, windows}
	if a.Knee == nil {
		return tables
	}
	stable := page.Table{Summary: "How much the burst at the knee's rate depends on when and on whom one looks", Columns: []page.Column{
		{Name: "of keys"}, {Name: "burst", Number: true}, {Name: "first half", Number: true}, {Name: "second half", Number: true}, {Name: "95 % of resamples"}},
		Note: "Halves of the log's time; resamples of the keys with replacement."}
	for _, s := range a.Stability {
		between := "-"
		if s.HasInterval {
			between = fmt.Sprintf("%d..%d", s.Low, s.High)
		}
		stable.Rows = append(stable.Rows, []string{s.Share.Percent() + " %", strconv.FormatInt(s.Burst, 10), orDash(s.First), orDash(s.Second), between})
	}
	misfits := page.Table{Summary: "Keys that the knee refuses something, and why they do not fit", Columns: []page.Column{
		{Name: "key"}, {Name: "refused", Number: true}, {Name: "requests", Number: true}, {Name: "burst needed", Number: true}, {Name: "why"}, {Name: "shared"}},
		Note: "Sustained: faster than the rate for longer than the bucket takes to fill up, so that no burst of a sane size fits."}
	for _, m := range a.Refusals.Misfits {
		misfits.Rows = append(misfits.Rows, []string{shownText(r.name(m.Key)), strconv.Itoa(m.Refused), strconv.Itoa(m.Requests), strconv.FormatInt(m.Burst, 10), m.why(work(a)), r.shared(m.Key)})
	}
	if more := a.Refusals.Keys - len(a.Refusals.Misfits); more > 0 {
		misfits.Note += fmt.Sprintf(" %d more are refused less.", more)
	}
	return append(tables, stable, misfits)
}
