package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/experiments"
	"ratelab/internal/spec"
)

func newCite() *cobra.Command {
	var out, format string
	cmd := &cobra.Command{
		Use:   "cite NAME.METRIC@FACTOR=VALUE,...",
		Short: "Print a number of a summary with its interval and where it is from",
		Long: `cite looks up the mean of a metric at one point of an experiment's grid, for a text
of your own: the number with its 95 % interval, the command that makes it again
and the sha256 of the summary that has it. It never simulates. Name as many
factors as tell the point apart; a value with a comma is quoted.

--format markdown and latex write the number as such a text has it, with the
rest in a comment behind it.`,
		Example: `  ratelab run boundary-burst --quick --out results-quick && ratelab cite boundary-burst.admitted_in_blink@part=straddle,limiter=fixed-window,limit=10,window=1s --out results-quick`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOut(out); err != nil {
				return err
			}
			c, err := cite(args[0], out)
			if err != nil {
				return err
			}
			again := c.Run + " && " + c.Cite
			switch format {
			case "text":
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n%s of %s at %s\n95 %% interval %.12g to %.12g, %d replications\nagain: %s\n%s sha256 %s\n",
					c.TextWithInterval(1), c.Unit, c.Metric, c.Experiment, c.At, c.Low, c.High, c.N, again, c.Summary, c.SHA256)
			case "markdown":
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s <!-- %s; sha256 %s -->\n", c.TextWithInterval(1), again, c.SHA256)
			case "latex":
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "$%s$ %% %s; sha256 %s\n", strings.ReplaceAll(c.TextWithInterval(1), "±", `\pm`), again, c.SHA256)
			case "json":
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetEscapeHTML(false)
				err = e.Encode(c)
			default:
				formats := []string{"text", "markdown", "latex", "json"}
				return fmt.Errorf("--format must be one of %s, got %q%s", strings.Join(formats, ", "), format, spec.DidYouMean(format, formats))
			}
			return written(err)
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "`FOLDER` of results")
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown, latex or json")
	return cmd
}

// cite finds the number that NAME.METRIC@PLACE names.
func cite(text, out string) (experiments.Cited, error) {
	number, place, _ := strings.Cut(text, "@")
	name, metric, ok := strings.Cut(number, ".")
	if !ok || metric == "" {
		return experiments.Cited{}, fmt.Errorf("cite takes NAME.METRIC@FACTOR=VALUE,…, as in boundary-burst.admitted@part=story, got %q", text)
	}
	at, err := experiments.ParsePlace(place)
	if err != nil {
		return experiments.Cited{}, fmt.Errorf("cite: behind @ %w", err)
	}
	e, err := experiments.Lookup(name)
	if err != nil {
		return experiments.Cited{}, err
	}
	p, err := thisProgram()
	if err != nil {
		return experiments.Cited{}, failure{err}
	}
	d, err := experiments.Published(e, out, p.Hash)
	if err != nil {
		return experiments.Cited{}, err
	}
	return d.Cite(metric, at...)
}
