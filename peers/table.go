package peers

import (
	"fmt"
	"io"
	"strings"
)

// WriteTable writes the comparisons as Markdown.
func WriteTable(w io.Writer, comparisons []Comparison) error {
	var b strings.Builder
	b.WriteString("| program | version | modelled | limiter | decisions | differences | what is not modelled or not tried |\n")
	b.WriteString("|---|---|---|---|---:|---:|---|\n")
	for _, c := range comparisons {
		version, decisions, differences := c.Version, fmt.Sprint(c.Decisions), fmt.Sprint(c.Differences)
		if c.NotRun != "" {
			version, decisions, differences = "not run: "+c.NotRun, "", ""
		} else if version != c.Modelled {
			version = "**other than modelled:** " + version
		}
		row := []string{c.Program, version, c.Modelled, limiterColumn(c.Specs), decisions, differences, c.Note}
		for i, cell := range row {
			row[i] = strings.Join(strings.Fields(strings.ReplaceAll(cell, "|", `\|`)), " ")
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// limiterColumn shows a spec, and how many more there are.
func limiterColumn(specs []string) string {
	name, _, _ := strings.Cut(specs[0], ":")
	if len(specs) == 1 {
		return fmt.Sprintf("`%s`", specs[0])
	}
	return fmt.Sprintf("`%s`, %d specs", name, len(specs))
}

// Summary is the line that ends the table: programs that ran, each counted
// once however many limiters it was compared with.
func Summary(comparisons []Comparison) string {
	ran, decisions, differences := map[string]bool{}, 0, 0
	for _, c := range comparisons {
		if c.NotRun == "" {
			ran[c.Program] = true
		}
		decisions += c.Decisions
		differences += c.Differences
	}
	return fmt.Sprintf("peers: %d programs, %d decisions, %d differences", len(ran), decisions, differences)
}
