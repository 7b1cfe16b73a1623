package experiments

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ratelab/experiments/theory"
	"ratelab/plots"
)

// billBytesFigure: bytes a key by limit.
func billBytesFigure(d *Data) (plots.Figure, error) {
	const keys = "4096"
	chart := plots.Line{
		X: plots.Axis{Label: "Limit", Unit: "requests", Log: true, Ticks: []plots.Tick{{Value: 1, Label: "1"}, {Value: 4, Label: "4"}, {Value: 16, Label: "16"}, {Value: 64, Label: "64"}, {Value: 256, Label: "256"}}},
		Y: plots.Axis{Label: "Memory of a key", Unit: "bytes", Log: true, Ticks: []plots.Tick{{Value: 32, Label: "32"}, {Value: 64, Label: "64"}, {Value: 256, Label: "256"}, {Value: 1024, Label: "1024"}, {Value: 4096, Label: "4096"}}},
	}
	largest := make(map[string]float64)
	for _, limiter := range []string{"sliding-log", "sliding-counter", "token-bucket"} {
		s := plots.Series{Name: limiter, Markers: true}
		for _, limit := range []string{"1", "4", "16", "64", "256"} {
			held := "1"
			if limiter == "sliding-log" {
				held = limit
			}
			mean, _, _ := d.Mean("bytes_per_key", "part", "bytes", "limiter", limiter, "limit", limit, "held", held, "keys", keys)
			if math.IsNaN(mean) {
				return plots.Figure{}, errors.New("nothing was measured of part bytes")
			}
			x, _ := strconv.ParseFloat(limit, 64)
			s.X, s.Y = append(s.X, x), append(s.Y, mean)
			largest[limiter] = mean
		}
		if limiter == "token-bucket" {
			s.Label = "bucket, fixed window"
		}
		chart.Series = append(chart.Series, s)
	}
	return plots.Figure{
		Title: fmt.Sprintf("A log of 256 requests takes %.0f bytes a key, a bucket %.0f and a counter %.0f, whatever they count to",
			largest["sliding-log"], largest["token-bucket"], largest["sliding-counter"]),
		Subtitle: fmt.Sprintf("Bytes of state a key by the limiter's own account, %s keys; the log holds as many requests as its limit. No chance in it", keys),
		Chart:    chart,
	}, nil
}

// billEvictionFigure: what a store that is too small admits.
func billEvictionFigure(d *Data) (plots.Figure, error) {
	chart := plots.Line{
		X: plots.Axis{Label: "Keys that the store has room for", Log: true, Ticks: []plots.Tick{{Value: 50, Label: "50"}, {Value: 100, Label: "100"}, {Value: 200, Label: "200"}, {Value: 500, Label: "500"},
			{Value: 1000, Label: "1000"}, {Value: 2000, Label: "2000: all"}}},
		Y: plots.Axis{Label: "Share of requests", Percent: true, Zero: true},
	}
	admitted := plots.Series{Name: "admitted", Label: "admitted"}
	changed := plots.Series{Name: "changed", Label: "changed", Markers: true}
	for _, capacity := range []int{50, 100, 200, 500, 1000, 1500, 2000} {
		at := []string{"part", "eviction", "limiter", "leaky-meter", "eviction", fmt.Sprintf("lru:capacity=%d", capacity)}
		for metric, s := range map[string]*plots.Series{"admit_share": &admitted, "decisions_changed": &changed} {
			mean, lo, hi := d.Mean(metric, at...)
			if math.IsNaN(mean) {
				return plots.Figure{}, errors.New("nothing was measured of part eviction")
			}
			s.X, s.Y, s.Lo, s.Hi = append(s.X, float64(capacity)), append(s.Y, mean), append(s.Lo, max(0, lo)), append(s.Hi, hi)
		}
	}
	lambdas := billLambdas()
	expected := plots.Series{Name: "admitted", Theory: true}
	for c := 50.0; c < 2000; c *= 1.03 {
		expected.X, expected.Y = append(expected.X, c), append(expected.Y, theory.EvictedMeterShare(lambdas, billInterval, theory.LRUIdle(lambdas, c)))
	}
	chart.Series = append(chart.Series, expected, dots(admitted, 2000), changed)
	ten := slices.Index(changed.X, 200)
	return plots.Figure{
		Title: fmt.Sprintf("Room for a tenth of the keys changes %.0f%% of decisions and admits %.0f%% instead of %.0f%%",
			100*changed.Y[ten], 100*admitted.Y[ten], 100*admitted.Y[len(admitted.Y)-1]),
		Subtitle: fmt.Sprintf("%d keys with Zipf shares of %d requests a second, each let in once in %s; the least recently seen key is forgotten; mean of %d replications; thin: theory",
			billKeys, billRate, plots.Duration(billInterval), d.Reps),
		Chart: chart,
	}, nil
}
