package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
	Use  string `json:"spec,omitempty"`

	entry spec.Entry
}

var kinds = []string{"experiments", "limiters", "workloads", "balancers", "coordinations", "evictions"}

// parts lists everything that has a name, by kind.
func parts() []part {
	var all []part
	add := func(kind string, e spec.Entry) {
		all = append(all, part{Kind: kind, Name: e.Name, Doc: e.Doc, Use: e.Usage(), entry: e})
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
	}
	for _, e := range fleet.Balancers() {
		add("balancers", e)
	}
	for _, e := range fleet.Coordinations() {
		add("coordinations", e)
	}
	for _, e := range limiters.Evictions() {
		add("evictions", e)
	}
	return all
}

func newList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list [" + strings.Join(kinds, "|") + "]",
		Short:   "List what there is, one line each",
		Example: "  ratelab list limiters",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && !slices.Contains(kinds, args[0]) {
				last := args[len(args)-1]
				return fmt.Errorf("list takes one of %s, got %q%s", strings.Join(kinds, ", "), last, spec.DidYouMean(last, kinds))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			listed := parts()
			if len(args) == 1 {
				listed = slices.DeleteFunc(listed, func(p part) bool { return p.Kind != args[0] })
			}
			if asJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetEscapeHTML(false)
				enc.SetIndent("", "  ")
				return written(enc.Encode(listed))
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			kind := ""
			for _, p := range listed {
				if p.Kind != kind && len(args) == 0 {
					fmt.Fprintf(w, "%s\t\n", strings.ToUpper(p.Kind))
					kind = p.Kind
				}
				fmt.Fprintf(w, "%s\t%s\n", p.Name, p.Doc)
			}
			return written(w.Flush())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
