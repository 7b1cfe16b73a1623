package fit

import (
	_ "embed" // the body of the page
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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
	data := map[string]any{"Title": title, "Answer": r.answer(), "Took": r.took(), "Warnings": r.Warnings()}
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

// answer is the fit in one line.
func (r *Report) answer() string {
	a, of := r.Raw, ""
	if r.WithoutRetries != nil {
		of = "with all its retries: "
	}
	switch {
	case r.Unfit() != "":
		return "No limit can be read from this log"
	case a.Knee == nil:
		return "No limit fits: the log is too short for any"
	}
	text := fmt.Sprintf("%s%s a key with a burst of %d", of, a.Knee.Rate.Text, a.Knee.Burst)
	if b := r.WithoutRetries; b != nil && b.Knee != nil {
		text += fmt.Sprintf("; without them: %s with %d", b.Knee.Rate.Text, b.Knee.Burst)
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// took says what each file was taken for, and what was chosen by its name.
func (r *Report) took() []string {
	var list []string
	for _, f := range r.Input.Log.Files {
		list = append(list, fmt.Sprintf("%s: %s, %s, %s; times: %s", shownText(f.Name), f.Found(), keyOf(&f), plural(f.Lines, "line"), f.Times()))
	}
	return append(list, r.Choices()...)
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
	part.Demand = fmt.Sprintf("%s from %s, %s to %s (%s)", plural(int64(a.Requests), "request"), plural(int64(a.Keys), "key"), utc(a.First), utc(a.Last), rough(a.Span()))
	id := "all"
	if heading != "" {
		id = "new"
	}
	if a.Knee != nil {
		part.Knee, part.KneeSays = a.Knee.spec(), a.saysKnee()
	}
	if a.RequestKnee != nil {
		part.Requests = a.RequestKnee.spec()
	}
	for _, f := range a.Figures() {
		svg, err := plots.SVG(f)
		if err != nil {
			return part, err
		}
		part.Figures = append(part.Figures, page.Figure{ID: id + "-" + f.Name, SVG: svg})
	}
	part.Tables = r.pageTables(a)
	return part, nil
}

// pageTables are the tables for people, folded.
func (r *Report) pageTables(a *Analysis) []page.Table {
	frontier := page.Table{Summary: "Bursts at every rate", Open: true, Note: a.few(), Columns: []page.Column{{Name: "rate"}}}
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
	if slices.ContainsFunc(a.Stability, func(s Stability) bool { return !s.HasInterval }) {
		stable.Note += " " + noInterval
	}
	for _, s := range a.Stability {
		between := "-"
		if s.HasInterval {
			between = fmt.Sprintf("%d..%d", s.Low, s.High)
		}
		stable.Rows = append(stable.Rows, []string{s.Share.Percent() + " %", strconv.FormatInt(s.Burst, 10), orDash(s.First), orDash(s.Second), between})
	}
	misfits := page.Table{Summary: "Keys that the knee refuses most, and why; then those that fit and ask for most", Columns: []page.Column{
		{Name: "key"}, {Name: "refused", Number: true}, {Name: "requests", Number: true}, {Name: "burst needed", Number: true}, {Name: "why"}, {Name: "shared"}},
		Note: "Sustained: faster than the rate for longer than the bucket takes to fill up, so that no burst of a sane size fits."}
	for _, m := range slices.Concat(a.Refusals.Misfits, a.Refusals.Fitting) {
		misfits.Rows = append(misfits.Rows, []string{shownText(r.name(m.Key)), strconv.Itoa(m.Refused), strconv.Itoa(m.Requests), strconv.FormatInt(m.Burst, 10), m.why(work(a)), r.shared(m.Key)})
	}
	if more := a.Refusals.Keys - len(a.Refusals.Misfits); more > 0 {
		misfits.Note += fmt.Sprintf(" %d more are refused less.", more)
	}
	return append(tables, stable, misfits)
}
