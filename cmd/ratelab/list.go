package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ratelab/clients"
	"ratelab/des/metrics"
	"ratelab/experiments"
	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

// part is anything that can be listed and shown.
type part struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Doc  string `json:"doc"`
	Unit string `json:"unit,omitempty"` // of a metric
	Use  string `json:"spec,omitempty"`

	entry   spec.Entry
	example string // a spec
}

var kinds = []string{"experiments", "limiters", "workloads", "clients", "budgets", "hints", "balancers", "coordinations", "faults", "services", "sheds", "evictions", "metrics"}

// parts lists everything that has a name, by kind.
func parts() []part {
	var all []part
	add := func(kind string, e spec.Entry) {
		all = append(all, part{Kind: kind, Name: e.Name, Doc: e.Doc, Use: e.Usage(), entry: e, example: example(e)})
	}
	for _, e := range experiments.All() {
		all = append(all, part{Kind: "experiments", Name: e.Name, Doc: e.Question})
	}
	for _, named := range []bool{false, true} { // our own first, then those named after programs
		for _, e := range limiters.Entries() {
			if _, dialect := limiters.DialectOf(e.Name); dialect == named {
				add("limiters", e)
			}
		}
	}
	for _, e := range workloads.Entries() {
		add("workloads", e.Entry)
		all[len(all)-1].example = e.Examples[0]
	}
	for _, e := range clients.Entries() {
		add("clients", e.Entry)
		all[len(all)-1].example = e.Examples[0]
	}
	for _, e := range clients.Budgets() {
		add("budgets", e.Entry)
		all[len(all)-1].example = e.Examples[0]
	}
	for _, e := range clients.HintsEntries() {
		add("hints", e.Entry)
		all[len(all)-1].example = e.Examples[0]
	}
	for _, e := range fleet.Balancers() {
		add("balancers", e)
	}
	for _, e := range fleet.Coordinations() {
		add("coordinations", e)
	}
	for _, f := range fleet.FaultUsages() {
		name, _, _ := strings.Cut(f, "=")
		all = append(all, part{Kind: "faults", Name: name, Doc: faultDocs[name], Use: f})
	}
	for _, e := range fleet.Services() {
		add("services", e)
	}
	for _, e := range fleet.Sheds() {
		add("sheds", e)
	}
	for _, e := range limiters.Evictions() {
		add("evictions", e)
	}
	for _, m := range metrics.Dictionary() {
		all = append(all, part{Kind: "metrics", Name: m.Name, Unit: m.Unit, Doc: m.Description})
	}
	return all
}

// faultDocs says what each kind of faults does.
var faultDocs = map[string]string{
	string(fleet.StoreDown): "messages that reach the store meanwhile are lost",
	string(fleet.Partition): "messages between these servers and the store or the other servers are lost meanwhile",
	string(fleet.Down):      "these servers take no requests meanwhile, and end what they have",
	string(fleet.Restart):   "these servers forget at this time what they hold of the limit",
	string(fleet.Lost):      "this share of messages is lost, each by itself",
	string(fleet.Doubled):   "this share of messages arrives twice, each by itself",
}

// kindNamed finds a kind by its name or by that of one of it: limiters, limiter.
func kindNamed(name string) (kind string, ok bool) {
	i := slices.IndexFunc(kinds, func(k string) bool { return k == name || k == name+"s" })
	if i < 0 {
		return "", false
	}
	return kinds[i], true
}

// example makes a spec with usual values for what must be given.
func example(e spec.Entry) string {
	if e.Name == "weighted" { // it needs one of two that may both be left out
		return "weighted:shares=4/2/1"
	}
	text, separator := e.Name, ":"
	for _, p := range e.Params {
		if p.Default != "" || p.Unit == spec.Flag {
			continue
		}
		value, _, _ := strings.Cut(p.Unit, "|")
		if usual, ok := map[string]string{
			"rate": "10/s", "nginx rate": "10r/s", "duration": "1m", "requests": "20", "keys": "50000", "bytes": "10m", "shards": "4",
		}[value]; ok {
			value = usual
		}
		text += separator + p.Name + "=" + value
		separator = ","
	}
	return text
}

func newList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list [" + strings.Join(kinds, "|") + "]",
		Short:   "List what there is, one line each",
		Example: "  ratelab list limiters",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			last := args[len(args)-1]
			if _, ok := kindNamed(last); !ok || len(args) > 1 {
				return fmt.Errorf("list takes one of %s, got %q%s", strings.Join(kinds, ", "), last, spec.DidYouMean(last, kinds))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			listed := parts()
			if len(args) == 1 {
				kind, _ := kindNamed(args[0])
				listed = slices.DeleteFunc(listed, func(p part) bool { return p.Kind != kind })
			}
			if asJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetEscapeHTML(false)
				enc.SetIndent("", "  ")
				return written(enc.Encode(listed))
			}
			var out bytes.Buffer
			w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
			kind := ""
			for _, p := range listed {
				if p.Kind != kind && len(args) == 0 {
					fmt.Fprintln(w, strings.ToUpper(p.Kind))
					kind = p.Kind
				}
				if p.Unit != "" {
					fmt.Fprintf(w, "%s\t%s\t%s\n", p.Name, p.Unit, p.Doc)
					continue
				}
				fmt.Fprintf(w, "%s\t%s\n", p.Name, p.Doc)
			}
			if err := w.Flush(); err != nil {
				return failure{err}
			}
			_, err := out.WriteTo(cmd.OutOrStdout())
			return written(err)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
