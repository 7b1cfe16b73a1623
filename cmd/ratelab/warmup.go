package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"ratelab/experiments"
	"ratelab/experiments/scenario"
	"ratelab/internal/spec"
)

// warmupFlag is a duration, or auto.
type warmupFlag struct {
	durationFlag
	auto bool
}

func (f *warmupFlag) Type() string { return "duration|auto" }

func (f *warmupFlag) String() string {
	if f.auto {
		return "auto"
	}
	return f.durationFlag.String()
}

func (f *warmupFlag) Set(text string) error {
	if f.auto = text == "auto"; f.auto {
		return nil
	}
	if err := f.durationFlag.Set(text); err != nil {
		return fmt.Errorf("%w; or auto", err)
	}
	return nil
}

// findWarmup sets the warm-up of a scenario if it is to be found, and returns
// how it was, for the table. Where there is no table, or it was not found, it
// says so on standard error.
func findWarmup(cmd *cobra.Command, c *scenario.Config, f warmupFlag, format string) (how string, err error) {
	if !f.auto {
		return "", nil
	}
	found, err := experiments.FindWarmup(cmd.Context(), *c)
	if cmd.Context().Err() != nil {
		return "", cmd.Context().Err()
	}
	if err != nil {
		return "", fmt.Errorf("--warmup auto: %w", err)
	}
	c.Warmup = found.Length
	warning := ""
	if !found.Found {
		warning = "warning: "
	}
	if !found.Found || format != "table" {
		fmt.Fprintf(cmd.ErrOrStderr(), "simulate: %swarm-up %s, %s\n", warning, spec.FormatDuration(c.Warmup), found)
	}
	return found.String(), nil
}
