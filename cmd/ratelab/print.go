package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
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
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	columns := t.Columns()
	for _, c := range columns {
		fmt.Fprintf(w, "%s\t", c.Name)
	}
	fmt.Fprintln(w)
	for i := range t.Len() {
		for j, text := range t.Record(i) {
			if x, err := strconv.ParseFloat(text, 64); err == nil && columns[j].Type == table.Number {
				text = strconv.FormatFloat(x, 'g', 6, 64)
			}
			fmt.Fprintf(w, "%s\t", text)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

func printJSON(out io.Writer, t *table.Table) error {
	columns := t.Columns()
	rows := make([]map[string]any, t.Len())
	for i := range rows {
		rows[i] = map[string]any{}
		for j, text := range t.Record(i) {
			var value any = text
			if columns[j].Type != table.Text {
				value = nil // a missing value
				if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(x, 0) {
					value = json.Number(text)
				}
			}
			rows[i][columns[j].Name] = value
		}
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(rows)
}
