package advise

import (
	"cmp"
	_ "embed" // the body of the page
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/internal/spec"
	"ratelab/plots"
	"ratelab/plots/page"
)

//go:embed page.html
var body string

// pagePart is a demand on the page.
type pagePart struct {
	Heading, Choice string
	Reasons         []string
	Next            string
	Changes         []string
	Figure          page.Figure
	Table           page.Table
}

// pageConfig is a configuration on the page.
type pageConfig struct {
	Program, Says, Text string
	Notes               []string
}

// WritePage writes the advice as one HTML file that holds all it needs.
func (r *Report) WritePage(w io.Writer) error {
	title := "Which limit to choose for " + shownText(filepath.Base(r.Input.Fit.Log.Files[0].Name)) + "?"
	var took []string
	for _, f := range r.Input.Fit.Log.Files {
		took = append(took, fmt.Sprintf("%s: %s, %s", shownText(f.Name), f.Found(), plural(f.Lines, "line")))
	}
	var parts []pagePart
	for i, d := range r.Demands {
		part := pagePart{Heading: heading(d), Choice: d.Outcomes[d.Best].Limiter.String(), Table: r.pageTable(d)}
		if i == 0 {
			part.Reasons, part.Next = r.Reasons(d), r.NextBest(d)
			for _, c := range d.Changes {
				part.Changes = append(part.Changes, saysChange(d, c))
			}
		}
		svg, err := plots.SVG(r.figure(d))
		if err != nil {
			return err
		}
		part.Figure = page.Figure{ID: fmt.Sprintf("demand%d", i), SVG: svg}
		parts = append(parts, part)
	}
	var configs []pageConfig
	for _, c := range r.Configs {
		config := pageConfig{Program: c.Program, Text: c.Text, Notes: c.Says}
		if config.Says = "can not have it: " + c.Fault; c.Text != "" {
			config.Says = fmt.Sprintf("Decides as %s; %s", c.Spec, r.saysDifference(c))
		}
		configs = append(configs, config)
	}
	return page.Write(w, page.Page{
		Title: title, Description: "What every limiter would have done to a log, and which to choose", Body: body,
		Data: map[string]any{"Title": title, "Took": took, "Warnings": r.Fit.Warnings(), "Parts": parts, "Configs": configs},
	})
}

// heading names a demand: Without retries, 600.
func heading(d *Demand) string {
	return strings.ToUpper(d.Name[:1]) + d.Name[1:] + ", " + itoa(int64(len(d.Records)))
}

// figure draws what is lost against what comes through at worst: a line joins the limits of one algorithm.
func (r *Report) figure(d *Demand) plots.Figure {
	line := plots.Line{
		X: plots.Axis{Label: "Most admitted of all keys in " + spec.FormatDuration(r.Meter.Total), Unit: "requests", Zero: true},
		Y: plots.Axis{Label: "Requests without success", Unit: "1", Percent: true, Zero: true},
	}
	for _, o := range d.Outcomes {
		name := o.Limiter.Name()
		at := slices.IndexFunc(line.Series, func(s plots.Series) bool { return s.Name == name })
		if at < 0 {
			at = len(line.Series)
			line.Series = append(line.Series, plots.Series{Name: name, Label: name, Markers: true})
		}
		s := &line.Series[at]
		s.X, s.Y = append(s.X, float64(o.Total)), append(s.Y, o.Unserved())
	}
	for i := range line.Series {
		s := &line.Series[i]
		order := make([]int, len(s.X))
		for k := range order {
			order[k] = k
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(s.X[a], s.X[b]), cmp.Compare(s.Y[b], s.Y[a])) })
		x, y := make([]float64, len(order)), make([]float64, len(order))
		for k, from := range order {
			x[k], y[k] = s.X[from], s.Y[from]
		}
		s.X, s.Y = x, y
	}
	if p := r.Options.Goals.Protect; p != nil {
		line.Refs = append(line.Refs, plots.Ref{Value: float64(p.Most), Vertical: true, Label: "what stands behind takes"})
	}
	best := d.Outcomes[d.Best]
	return plots.Figure{
		Name:  "outcomes",
		Title: fmt.Sprintf("%s leaves %s without success", best.Limiter, percent(best.Lost+best.Waiting, best.Requests)), Subtitle: "each mark is a limiter; a line joins the limits of one algorithm", Chart: line,
	}
}

// pageTable is the table for people.
func (r *Report) pageTable(d *Demand) page.Table {
	t := page.Table{Summary: "What each limiter does", Columns: []page.Column{
		{Name: "limiter"}, {Name: "refused", Number: true}, {Name: "attempts", Number: true}, {Name: "without success", Number: true}, {Name: "keys refused", Number: true}, {Name: "worst key"},
		{Name: r.oneKey(), Number: true}, {Name: r.total(), Number: true}, {Name: "mean wait"}, {Name: "longest wait"}, {Name: "memory"},
	}}
	for _, o := range d.Outcomes {
		worst := ""
		if o.Refused > 0 {
			worst = fmt.Sprintf("%s: %d of %d", shownText(r.name(o.Worst.Key)), o.Worst.Refused, o.Worst.Requests)
		}
		t.Rows = append(t.Rows, []string{o.Limiter.String(), itoa(o.Refused), itoa(o.Attempts), itoa(o.Lost + o.Waiting), itoa(int64(o.KeysRefused)), worst,
			itoa(o.OneKey), itoa(o.Total), wait(o.MeanWait), wait(o.MaxWait), memory(o)})
	}
	return t
}
