package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
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
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	columns := t.Columns()
	names := make([]string, len(columns))
	for j, c := range columns {
		names[j] = c.Name
	}
	fmt.Fprintln(w, strings.Join(names, "\t"))
	for i := range t.Len() {
		record := t.Record(i)
		for j, text := range record {
			if x, err := strconv.ParseFloat(text, 64); err == nil && columns[j].Type == table.Number {
				record[j] = strconv.FormatFloat(x, 'g', 6, 64)
			}
		}
		fmt.Fprintln(w, strings.Join(record, "\t"))
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
