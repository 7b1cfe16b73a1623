package plots_test

import (
	"fmt"
	"strings"

	"ratelab/plots"
)

// A figure says its finding in its title; the colour of a curve goes with its
// name.
func ExampleSVG() {
	servers := []float64{1, 2, 4, 8}
	svg, err := plots.SVG(plots.Figure{
		Title:    "Eight servers with local limits admit eight times the promise",
		Subtitle: "Saturated, round robin",
		Chart: plots.Line{
			X: plots.Axis{Label: "Servers"},
			Y: plots.Axis{Label: "Admitted / promised", Zero: true},
			Series: []plots.Series{
				{Name: "local", X: servers, Y: servers},
				{Name: "central", X: servers, Y: []float64{1, 1, 1, 1}},
			},
		},
	})
	fmt.Println(err, strings.Contains(string(svg), "<title>Eight servers with local limits admit eight times the promise</title>"))
	// Output: <nil> true
}
