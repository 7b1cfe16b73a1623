package notebook_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"ratelab/experiments"
	"ratelab/plots/notebook"
)

// A notebook of one experiment, at a few of its points.
func ExampleWrite() {
	out, err := os.MkdirTemp("", "results")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(out) }()
	e, err := experiments.Lookup("boundary-burst")
	if err == nil {
		_, err = experiments.Run(context.Background(), e, experiments.Options{
			Out: out, Quick: true, Reps: 2, Seed: 1, Program: experiments.Program{Hash: "example"},
			Set: []experiments.Setting{{Factor: "part", Values: []string{"straddle"}}, {Factor: "limit", Values: []string{"10"}}, {Factor: "window", Values: []string{"1s"}}},
		})
	}
	var d *experiments.Data
	if err == nil {
		d, err = experiments.Load(e, out, "example")
	}
	var page bytes.Buffer
	if err == nil {
		err = notebook.Write(&page, []*experiments.Data{d})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(page.String(), e.Question))
	// Output: true
}
