// Package notebook writes the page that a reader opens: every experiment with its question, what was found, its figures,
// its claims with their verdicts, its data, and the line that repeats it.
//
// It never simulates. Everything comes from what experiments left in their folders (experiments.Load): sentences from
// Experiment.Findings, figures as they were plotted or drawn now, claims judged anew, tables from the CSV. The same results give the same
// bytes.
package notebook

import (
	_ "embed" // template, style and script
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ratelab/experiments"
	"ratelab/experiments/sweep"
	"ratelab/plots"
	"ratelab/plots/page"
	"ratelab/plots/table"
	"ratelab/plots/writeup"
)

//go:embed notebook.html
var body string

//go:embed notebook.css
var style string

//go:embed notebook.js
var script string

// File is the name of the notebook in the folder of results, whose files it links to.
const File = "index.html"

// TextPrefix begins every id of the text above the experiments.
const TextPrefix = "text-"

// mostRows is how many rows of a summary are on the page; all of them are in its file.
const mostRows = 100

// book is what the template shows.
type book struct {
	Text     []stretch
	Drawn    int // figures in Text
	Chapters []chapter
	Claims   int
	Tally    experiments.Tally
	Quick    bool
	Key      []page.Key
}

// stretch is a part of a write-up, and the figure under it.
type stretch struct {
	HTML   template.HTML
	Figure *page.Figure
}

// chapter is experiments that belong together.
type chapter struct {
	ID, Title, Lead string
	Entries         []entry
}

// entry is one experiment.
type entry struct {
	Name, Question, Hypothesis string
	Answer                     string // the first finding; empty if these results have none
	Findings                   []string
	Lead                       []page.Figure // alone on its line
	Figures                    []page.Figure // two on a line where there is room
	Left                       []string      // figures that these results do not have, and why
	Claims                     []claim
	Tally                      experiments.Tally
	Threats                    []string
	Data                       page.Table
	Run, Check                 string
	Reps                       int
	Quick, Partial             bool
}

// Verdict is that of an experiment: the worst of its claims.
func (e entry) Verdict() experiments.Verdict { return worst(e.Tally) }

// Marked tells whether the contents show its verdict: where it fails, and where it is undecided after a whole run.
func (e entry) Marked() bool {
	return e.Verdict() == experiments.Fails || e.Verdict() == experiments.Undecided && !e.Quick
}

// Write writes the notebook of these experiments, below a text about them if there is one, whose headings stand one
// level below its own ([writeup.Sections]). Links are relative to the folder that holds the experiments'.
func Write(w io.Writer, data []*experiments.Data, text ...writeup.Section) error {
	if len(data) == 0 {
		return errors.New("notebook: no experiment to show")
	}
	var b book
	entries := map[string]entry{}
	made, failed := make([]entry, len(data)), make([]error, len(data))
	var work sync.WaitGroup
	for i, d := range data {
		work.Go(func() { made[i], failed[i] = newEntry(d) })
	}
	work.Wait()
	for i, e := range made {
		if failed[i] != nil {
			return fmt.Errorf("%s: %w", data[i].Experiment.Name, failed[i])
		}
		entries[e.Name] = e
		b.Claims += len(e.Claims)
		b.Tally = b.Tally.Plus(e.Tally)
		b.Quick = b.Quick || e.Quick
	}
	b.Chapters = arrange(entries)
	for _, part := range text {
		s := stretch{HTML: part.HTML}
		if part.SVG != nil {
			s.Figure = &page.Figure{ID: TextPrefix + part.Name, SVG: part.SVG}
			b.Drawn++
		}
		b.Text = append(b.Text, s)
	}
	for _, look := range plots.Key() {
		b.Key = append(b.Key, page.Key{Label: look.Label, Color: look.Color, Dash: look.Dash})
	}
	return page.Write(w, page.Page{
		Title: "ratelab: what rate limiters do, measured", Description: "Questions about rate limiters, answered by exact simulation and checked against mathematics.",
		Body: body, Data: b, Style: style, Script: script,
	})
}

func newEntry(d *experiments.Data) (entry, error) {
	e := d.Experiment
	out := entry{
		Name: e.Name, Question: e.Question, Hypothesis: e.Hypothesis, Threats: e.Threats,
		Run: d.Command, Check: checkLine(d.Command, e.Name), Reps: d.Reps, Quick: d.Quick, Partial: d.Partial,
	}
	found, err := d.Findings()
	if err != nil {
		return out, fmt.Errorf("findings: %w", err)
	}
	if len(found) > 0 {
		out.Answer, out.Findings = found[0], found[1:]
	}
	if err := out.draw(d); err != nil {
		return out, err
	}
	checked, err := d.Judge()
	if err != nil {
		return out, err
	}
	out.Claims, out.Tally = claims(e.Claims, checked, d.Quick), experiments.Count(checked)
	doubtful, err := d.Doubtful()
	if err != nil {
		return out, err
	}
	if out.Data, err = summary(d.Summary); err != nil {
		return out, err
	}
	if doubtful > 0 {
		out.Data.Note = fmt.Sprintf("%d of the %d means are to be taken with care; %s says which, and why.", doubtful, d.Summary.Len(), sweep.WarningsFile)
	}
	for _, link := range []page.Link{
		{Text: "summary (CSV)", Href: sweep.SummaryFile}, {Text: "claims (CSV)", Href: experiments.ClaimsFile},
		{Text: "warnings (CSV)", Href: sweep.WarningsFile}, {Text: "what the columns mean (data package)", Href: sweep.DataPackageFile},
	} {
		link.Href = e.Name + "/" + link.Href
		out.Data.Links = append(out.Data.Links, link)
	}
	for _, own := range e.Tables {
		out.Data.Links = append(out.Data.Links, page.Link{Text: own.Name + " (CSV)", Href: e.Name + "/" + own.File()})
	}
	return out, nil
}

// unshown are columns of a summary that are left to its file.
var unshown = []string{"sd", "min", "max"}

// summary shows the first rows of a summary, with the digits that a reader can use. Factors that none of them has are
// left out.
func summary(t *table.Table) (page.Table, error) {
	all := page.NewTable("", t, mostRows)
	var names []string
	for i, c := range all.Columns {
		if !slices.Contains(unshown, c.Name) && slices.ContainsFunc(all.Rows, func(row []string) bool { return row[i] != "" }) {
			names = append(names, c.Name)
		}
	}
	if len(all.Rows) == 0 {
		names = []string{"metric"}
	}
	few, err := t.Select(names...)
	if err != nil {
		return page.Table{}, err
	}
	shown := page.NewTable(fmt.Sprintf("Every mean with its 95 %% interval: %d rows", t.Len()), few, mostRows)
	for _, row := range shown.Rows {
		for i, c := range few.Columns() {
			if x, err := strconv.ParseFloat(row[i], 64); err == nil && c.Type == table.Number {
				row[i] = number(x)
			}
		}
	}
	return shown, nil
}

// draw shows the figures. The first stands alone if the others then fill their lines.
func (e *entry) draw(d *experiments.Data) error {
	for _, f := range d.Experiment.Figures {
		name := e.Name + "-" + f.Name
		svg, err := d.SVG(f)
		if err != nil {
			if !d.Partial {
				return fmt.Errorf("figure %s: %w", name, err)
			}
			e.Left = append(e.Left, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		e.Figures = append(e.Figures, page.Figure{ID: name, SVG: svg, Links: []page.Link{{Text: "SVG", Href: e.Name + "/" + name + ".svg"}}})
	}
	if len(e.Figures)%2 == 1 {
		e.Lead, e.Figures = e.Figures[:1], e.Figures[1:]
	}
	return nil
}

// checkLine is the line that judges what a line ran.
func checkLine(run, name string) string {
	line := "ratelab check " + name
	if _, out, found := strings.Cut(run, " --out "); found {
		line += " --out " + out
	}
	return line
}
