package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// once is a flag that takes one value, and refuses a second.
type once struct {
	pflag.Value
	given bool
	text  string
}

var errTwice = errors.New("takes one value")

func (o *once) Set(text string) error {
	if o.given {
		return fmt.Errorf("%w, got %q and then %q", errTwice, o.text, text)
	}
	o.given, o.text = true, text
	return o.Value.Set(text)
}

// setOnce has the flags of a command and of its own commands refuse a second
// value, except switches and those that may repeat.
func setOnce(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_, many := f.Value.(pflag.SliceValue)
		if f.NoOptDefVal == "" && !many {
			f.Value = &once{Value: f.Value}
		}
	})
	for _, c := range cmd.Commands() {
		setOnce(c)
	}
}
