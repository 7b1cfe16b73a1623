// Package writeup fills a text with what experiments found, so that not one
// number in it is typed.
//
// A write-up is a text/template in Markdown. Its numbers come from the
// summaries of results, its verdicts from the claims, its figures and findings
// from what experiments made of them:
//
//	{{mean "fleet-overshoot" "admitted_over_rate" "part=saturated,servers=8,…"}}
//	{{mean … | times}}  {{mean … | percent}}  {{mean … | milli}}  {{mean … | bare}}
//	{{verdicts "fleet-overshoot"}}
//	{{finding "fleet-overshoot"}}  {{range findings "choose"}}…{{end}}
//	{{figure "fleet-overshoot" "servers"}}
//	{{range experiments}}{{question .}}{{range figures .}}…{{end}}{{end}}
//	{{table "fleet-overshoot" "admitted_over_rate" "servers" "coordination" "part=saturated,…"}}
//
// [Render] refuses a template in which a figure is typed that could be a
// result: a digit is allowed in code, in the target of a link, in the status
// of an answer and in the name of a standard, and nowhere else.
package writeup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"ratelab/experiments"
	"ratelab/internal/spec"
	"ratelab/plots/table"
)

// Source is where a write-up looks things up.
type Source struct {
	Results string // folder of results
	// Folder is where the text will lie; links to results are relative to it.
	Folder  string
	Program string // hash of the code that runs; "" takes results as they lie, see experiments.Published

	read map[string]*experiments.Data
}

// Render fills a template. name is what errors call it.
func Render(name, text string, src Source) ([]byte, error) {
	if typed := Typed(text); len(typed) > 0 {
		return nil, fmt.Errorf("%s:%d: %q is typed; a write-up looks its numbers up, as in {{mean \"NAME\" \"METRIC\" \"FACTOR=VALUE,…\"}}", name, typed[0].Line, typed[0].Text)
	}
	src.read = map[string]*experiments.Data{}
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"mean": src.mean, "percent": percent, "milli": milli, "times": times, "bare": bare,
		"verdicts": src.verdicts, "finding": src.finding, "findings": src.findings, "figure": src.figure, "table": src.table,
		"experiments": names, "question": src.question, "figures": src.figures,
	}).Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, nil); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// data reads what is published of an experiment, once.
func (s *Source) data(name string) (*experiments.Data, error) {
	if d, ok := s.read[name]; ok {
		return d, nil
	}
	e, err := experiments.Lookup(name)
	if err != nil {
		return nil, err
	}
	d, err := experiments.Published(e, s.Results, s.Program)
	if err == nil {
		s.read[name] = d
	}
	return d, err
}

// Number is a mean that was looked up.
type Number struct {
	experiments.Cited
	factor float64
	suffix string
	bare   bool
}

func (n Number) String() string {
	if n.bare {
		return n.Text(n.factor) + n.suffix
	}
	text := n.TextWithInterval(n.factor)
	if n.suffix != "" && strings.Contains(text, "±") {
		return "(" + text + ")" + n.suffix
	}
	return text + n.suffix
}

func (s *Source) mean(name, metric, place string) (Number, error) {
	d, err := s.data(name)
	if err != nil {
		return Number{}, err
	}
	at, err := experiments.ParsePlace(place)
	if err != nil {
		return Number{}, err
	}
	c, err := d.Cite(metric, at...)
	return Number{Cited: c, factor: 1}, err
}

func percent(n Number) Number { n.factor, n.suffix = 100*n.factor, " %"; return n }
func milli(n Number) Number   { n.factor, n.suffix = 1000*n.factor, " ms"; return n }
func times(n Number) Number   { n.suffix = "×"; return n }
func bare(n Number) Number    { n.bare = true; return n }

// verdicts says how many points of an experiment's claims hold.
func (s *Source) verdicts(name string) (string, error) {
	d, err := s.data(name)
	if err != nil {
		return "", err
	}
	t, err := d.Judged()
	if err != nil {
		return "", err
	}
	if t.Holds == t.Points() {
		return fmt.Sprintf("all %d hold", t.Holds), nil
	}
	return fmt.Sprintf("%d of %d hold, %d fail, %d are undecided", t.Holds, t.Points(), t.Fails, t.Undecided), nil
}

func (s *Source) findings(name string) ([]string, error) {
	d, err := s.data(name)
	if err != nil {
		return nil, err
	}
	return d.Found()
}

func (s *Source) finding(name string) (string, error) {
	all, err := s.findings(name)
	if err != nil {
		return "", err
	}
	return all[0], nil
}

// names returns the names of all experiments.
func names() (all []string) {
	for _, e := range experiments.All() {
		all = append(all, e.Name)
	}
	return all
}

func (s *Source) question(name string) (string, error) {
	e, err := experiments.Lookup(name)
	return e.Question, err
}

func (s *Source) figures(name string) (all []string, err error) {
	e, err := experiments.Lookup(name)
	for _, f := range e.Figures {
		all = append(all, f.Name)
	}
	return all, err
}

// title is what a figure says of itself.
var title = regexp.MustCompile(`<title>([^<]*)</title>`)

// figure shows a figure, with its finding and the command that makes it again.
func (s *Source) figure(name, figure string) (string, error) {
	if _, err := s.data(name); err != nil { // the figure is of those results
		return "", err
	}
	names, err := s.figures(name)
	if err != nil {
		return "", err
	}
	file := filepath.Join(s.Results, name, name+"-"+figure+".svg")
	svg, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("figure %q of %s: %w%s; it has %s", figure, name, err, spec.DidYouMean(figure, names), strings.Join(names, ", "))
	}
	found := title.FindSubmatch(svg)
	if found == nil {
		return "", fmt.Errorf("%s has no title", file)
	}
	target, err := from(s.Folder, file)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("![%s](%s)\n\n*[%s](%s): `make %s`*", unescaped(string(found[1])), target, name, strings.TrimSuffix(target, filepath.Base(target))+"summary.csv", name), nil
}

// from returns the link that leads from a folder to a file.
func from(folder, file string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if file, err = filepath.Abs(file); err != nil {
		return "", err
	}
	link, err := filepath.Rel(folder, file)
	return filepath.ToSlash(link), err
}

// unescaped undoes what XML does to text, as far as a title can have it.
func unescaped(text string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#34;", `"`, "&#39;", "'", "&apos;", "'", "&amp;", "&").Replace(text)
}

// table shows a metric for each value of one factor, a row each, and of
// another, a column each, at one place of all others. A row or a column that
// has nothing there is left out.
func (s *Source) table(name, metric, down, across, place string) (string, error) {
	d, err := s.data(name)
	if err != nil {
		return "", err
	}
	at, err := experiments.ParsePlace(place)
	if err != nil {
		return "", err
	}
	there, err := d.Summary.Where(append([]string{"metric", metric}, at...)...)
	if err != nil {
		return "", err
	}
	rows, err := present(there, down)
	if err != nil {
		return "", err
	}
	columns, err := present(there, across)
	if err != nil {
		return "", err
	}
	if len(rows) == 0 || len(columns) == 0 {
		return "", fmt.Errorf("%s has no %s at %s", name, metric, place)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %s ", down)
	for _, c := range columns {
		fmt.Fprintf(&b, "| `%s` ", c)
	}
	b.WriteString("|\n|---" + strings.Repeat("|---:", len(columns)) + "|")
	for _, r := range rows {
		fmt.Fprintf(&b, "\n| `%s` ", r)
		for _, c := range columns {
			cell := "–"
			if one, err := there.Where(down, r, across, c); err != nil {
				return "", err
			} else if one.Len() > 0 {
				cited, err := d.Cite(metric, append([]string{down, r, across, c}, at...)...)
				if err != nil {
					return "", err
				}
				cell = cited.TextWithInterval(1)
			}
			fmt.Fprintf(&b, "| %s ", cell)
		}
		b.WriteString("|")
	}
	return b.String(), nil
}

// present returns the values of a factor that rows have, but for empty ones.
func present(rows *table.Table, factor string) (values []string, err error) {
	all, err := rows.Distinct(factor)
	for _, v := range all {
		if v != "" {
			values = append(values, v)
		}
	}
	return values, err
}
