package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"

	"ratelab/des/metrics"
	"ratelab/internal/spec"
	"ratelab/plots/table"
)

// checkMetrics refuses names that no metric has.
func checkMetrics(names []string) error {
	for _, name := range names {
		if _, ok := metrics.Describe(name); ok {
			continue
		}
		var known []string
		for _, m := range metrics.Dictionary() {
			known = append(known, m.Name)
		}
		return fmt.Errorf("--metric: nothing is called %q%s; see ratelab list metrics", name, spec.DidYouMean(name, known))
	}
	return nil
}

// wantedMetrics returns which metrics of a table are asked for by name, nil if
// none is. One that was not measured is an error.
func wantedMetrics(t *table.Table, names []string) (func(metric string) bool, error) {
	if len(names) == 0 {
		return nil, nil
	}
	measured, err := t.Text("metric")
	if err != nil {
		return nil, failure{err}
	}
	for _, name := range names {
		if !slices.Contains(measured, name) {
			return nil, fmt.Errorf("--metric %s is not measured in this scenario; without --metric all that is, is printed", name)
		}
	}
	return func(metric string) bool { return slices.Contains(names, metric) }, nil
}

// onlyRows returns the rows of a table whose first field is to be kept.
func onlyRows(t *table.Table, keep func(first string) bool) (*table.Table, error) {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	var header []string
	for _, c := range t.Columns() {
		header = append(header, c.Name)
	}
	_ = w.Write(header) // to memory
	for i := range t.Len() {
		if record := t.Record(i); keep(record[0]) {
			_ = w.Write(record)
		}
	}
	w.Flush()
	return table.Read("metrics", &text, t.Columns())
}
