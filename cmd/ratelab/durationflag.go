package main

import (
	"time"

	"ratelab/internal/spec"
)

// durationFlag is a duration in the syntax of specs, days included.
type durationFlag struct{ d time.Duration }

func (f *durationFlag) String() string { return spec.FormatDuration(f.d) }
func (f *durationFlag) Type() string   { return "duration" }
func (f *durationFlag) Set(text string) (err error) {
	f.d, err = spec.ParseDuration(text)
	return err
}
