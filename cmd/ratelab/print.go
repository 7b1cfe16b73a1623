package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"ratelab/plots/table"
)

func checkFormat(format string) error {
	switch format {
	case "table", "csv", "json":
		return nil
	}
	return fmt.Errorf("--format must be table, csv or json, got %q", format)
}

// printTable prints a table for people, as CSV, or as a JSON array of objects.
func printTable(out io.Writer, t *table.Table, format string) error {
	switch format {
	case "csv":
		return t.Write(out)
	case "json":
		return printJSON(out, t)
	}
	return printRows(out, t, func(string) bool { return true })
}

// printRows prints a table for people, the rows whose first field is to be
// kept.
func printRows(out io.Writer, t *table.Table, keep func(first string) bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	columns := t.Columns()
	names := make([]string, len(columns))
	for j, c := range columns {
		names[j] = c.Name
	}
	fmt.Fprintln(w, strings.Join(names, "\t"))
	for i := range t.Len() {
		record := t.Record(i)
		if !keep(record[0]) {
			continue
		}
		for j, text := range record {
			if x, err := strconv.ParseFloat(text, 64); err == nil && columns[j].Type == table.Number {
				record[j] = strconv.FormatFloat(x, 'g', 6, 64)
			}
		}
		fmt.Fprintln(w, strings.Join(record, "\t"))
	}
	return w.Flush()
}

// printJSON prints an array of objects with the columns in their order, a
// missing value as null.
func printJSON(out io.Writer, t *table.Table) error {
	columns := t.Columns()
	var b bytes.Buffer
	b.WriteString("[")
	for i := range t.Len() {
		separator := "\n  {"
		if i > 0 {
			separator = ",\n  {"
		}
		for j, text := range t.Record(i) {
			value := text
			if columns[j].Type == table.Text {
				quoted, err := json.Marshal(text)
				if err != nil {
					return err
				}
				value = string(quoted)
			} else if value == "" {
				value = "null"
			}
			fmt.Fprintf(&b, "%s%q: %s", separator, columns[j].Name, value)
			separator = ", "
		}
		b.WriteString("}")
	}
	b.WriteString("\n]\n")
	_, err := b.WriteTo(out)
	return err
}
