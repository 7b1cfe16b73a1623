package experiments

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/experiments/theory"
	"ratelab/internal/spec"
	"ratelab/plots"
)

// boundaryMean returns what was measured at a point, or an error if nothing was.
func boundaryMean(d *Data, metric string, at ...string) (float64, error) {
	mean, _, _ := d.Mean(metric, at...)
	if math.IsNaN(mean) {
		return mean, nothingMeasured(metric, at)
	}
	return mean, nil
}

func boundaryStoryFigure(d *Data) (plots.Figure, error) {
	chart := plots.Step{
		X: plots.Axis{Label: "Time", Min: 50, Max: 70},
		Y: plots.Axis{Label: "Admitted so far", Unit: "requests", Zero: true},
	}
	for _, second := range []int{50, 55, 59, 61, 65, 70} {
		chart.X.Ticks = append(chart.X.Ticks, plots.Tick{Value: float64(second), Label: fmt.Sprintf("%d:%02d", second/60, second%60)})
	}
	told := func(limiter string, more ...string) []string {
		return append([]string{"part", "timeline", "limiter", limiter, "limit", "100", "window", "1m"}, more...)
	}
	// The fixed window comes last, over the others, with which it rises at 0:59.
	for _, limiter := range []string{"token-bucket", "sliding-counter-below", "sliding-counter-fits", "leaky-meter", "sliding-log", "fixed-window"} {
		s, err := d.Series(limiter, "admitted", "sixtieth", told(limiter)...)
		if err != nil {
			return plots.Figure{}, err
		}
		s.Lo, s.Hi = nil, nil // nothing is left to chance
		s.Label = fmt.Sprintf("%s %.0f", strings.ReplaceAll(strings.Replace(limiter, "sliding-counter", "counter", 1), "-", " "), s.Y[len(s.Y)-1])
		chart.Series = append(chart.Series, s)
	}
	chart.Refs = []plots.Ref{{Value: 100, Label: "limit"}, {Value: 60, Vertical: true, Label: "page turn"}}
	var values [3]float64
	for i, at := range [][]string{told("fixed-window", "sixtieth", "40"), told("fixed-window", "sixtieth", "61"), told("sliding-log", "sixtieth", "61")} {
		var err error
		if values[i], err = boundaryMean(d, "admitted", at...); err != nil {
			return plots.Figure{}, err
		}
	}
	passed, log := values[1]-values[0], values[2]
	return plots.Figure{
		Name:     "boundary-burst-story",
		Title:    fmt.Sprintf("A fixed window of 100 a minute lets %.0f pass in two seconds; a log stops at %.0f", passed, log),
		Subtitle: "Admitted of 3 quiet requests, 97 at 0:59 and 100 at 1:01, with nothing left to chance. GCRA and the leaky queue admit as the token bucket",
		Alt: fmt.Sprintf("Steps of requests admitted over time for six limiters of 100 a minute. "+
			"The fixed window rises by %.0f from 0:59 to 1:01; the sliding log stops at %.0f.", passed, log),
		Chart: chart,
	}, nil
}

func boundaryBlinkFigure(d *Data) (plots.Figure, error) {
	windows := strings.Split("1s,10s,1m,1h,1d", ",")
	names := boundaryNames()
	slices.Reverse(names) // from the bottom up
	chart := plots.Heat{X: []string{"1 second", "10 seconds", "1 minute", "1 hour", "1 day"}, XLabel: "Window", Format: "%.0f"}
	labels := map[string]string{
		"fixed-window": "fixed window", "fixed-window-first": "fixed window, from first request", "fixed-window-jitter": "fixed window, jittered",
		"sliding-counter-fits": "sliding counter (fits)", "sliding-counter-below": "sliding counter (below)", "gcra": "GCRA",
	}
	for _, limiter := range names {
		label := labels[limiter]
		if label == "" {
			label = strings.ReplaceAll(limiter, "-", " ")
		}
		chart.Y = append(chart.Y, label)
		var row []float64
		for _, window := range windows {
			v, err := boundaryMean(d, "admitted_in_blink", "part", "straddle", "limiter", limiter, "limit", "100", "window", window)
			if err != nil {
				return plots.Figure{}, err
			}
			row = append(row, v)
		}
		chart.Z = append(chart.Z, row)
	}
	fixed := chart.Z[len(chart.Z)-1]
	least, most := slices.Min(fixed), slices.Max(fixed)
	title := fmt.Sprintf("At its edge a fixed window of 100 admits %.0f in a blink, be it a second or a day long", least)
	if least != most {
		title = fmt.Sprintf("At its edge a fixed window of 100 admits %.0f to %.0f in a blink", least, most)
	}
	rows, err := d.Runs.Where("part", "straddle")
	if err != nil {
		return plots.Figure{}, err
	}
	halves, err := rows.Floats("half")
	if err != nil {
		return plots.Figure{}, err
	}
	if len(halves) == 0 {
		return plots.Figure{}, errors.New("nothing was measured of half in part straddle")
	}
	return plots.Figure{
		Name: "boundary-burst-blink", Title: title,
		Subtitle: fmt.Sprintf("Most admitted of 100 requests just before and 100 just after an edge, at most %.1f ms apart; %d replications. "+
			"Jitter only moves the edge: a client that reads Retry-After finds it", 2000*slices.Max(halves), d.Reps),
		Chart: chart,
	}, nil
}

func boundaryEnvelopeFigure(d *Data) (plots.Figure, error) {
	const limit, window = 10, 10 * time.Second
	at := []string{"part", "envelope", "limit", strconv.Itoa(limit), "window", spec.FormatDuration(window)}
	chart := plots.Line{
		X: plots.Axis{Label: "Length of the interval", Unit: "windows", Min: 0, Max: 2},
		Y: plots.Axis{Label: "Most admitted", Unit: "requests", Zero: true},
	}
	meter := func(_ int64, window, delta time.Duration) float64 {
		return theory.TokenBucketEnvelopeOnClock(1, limit, window, delta)
	}
	curves := []struct {
		limiter, label string
		envelope       func(int64, time.Duration, time.Duration) float64
	}{
		{"fixed-window", "fixed window", theory.FixedWindowEnvelopeOnClock},
		{"sliding-counter-below", "counter (below)", boundaryCounterEnvelope(theory.Below)},
		{"token-bucket", "token bucket", boundaryBucketEnvelope},
		{"sliding-counter-fits", "counter (fits)", boundaryCounterEnvelope(theory.Fits)},
		{"sliding-log", "sliding log", theory.LogEnvelope},
		{"leaky-meter", "leaky meter", meter},
	}
	measured := make(map[string]plots.Series)
	alike := fmt.Sprintf("the same in %d replications", d.Reps)
	for _, curve := range curves {
		s, err := d.Series(curve.limiter, "most_admitted", "delta", append(at, "limiter", curve.limiter)...)
		if err != nil {
			return plots.Figure{}, err
		}
		if !slices.Equal(s.Lo, s.Hi) {
			alike = fmt.Sprintf("means of %d replications", d.Reps)
		}
		s.Label = curve.label
		measured[curve.limiter] = s
		expected := boundaryStairs(boundaryDelta(2, window), func(delta time.Duration) float64 { return curve.envelope(limit, window, delta) })
		for i := range expected.X {
			expected.X[i] /= float64(window)
		}
		expected.Name = curve.limiter
		s = dots(s, 2)
		chart.Series = append(chart.Series, expected, s)
	}
	bucket, fits := measured["token-bucket"], measured["sliding-counter-fits"]
	one := slices.Index(fits.X, 1)
	if one < 0 || len(bucket.Y) != len(fits.Y) {
		return plots.Figure{}, errors.New("nothing was measured at a delta of one window")
	}
	title := fmt.Sprintf("In one window an adversary gets %.0f from a sliding counter of %d, and %.0f from a token bucket", fits.Y[one], limit, bucket.Y[one])
	if slices.Equal(fits.Y[:one+1], bucket.Y[:one+1]) {
		title = fmt.Sprintf("Up to one window a sliding counter is a token bucket: both give an adversary %.0f for a limit of %d", fits.Y[one], limit)
	}
	drawn := "Most admitted in any interval. Dots: found by search, " + alike + "; thin: theory, of counters up to one window"
	var same []string
	for _, other := range []struct{ limiter, name string }{{"gcra", "GCRA"}, {"leaky-queue", "the leaky queue"}} {
		s, err := d.Series(other.limiter, "most_admitted", "delta", append(at, "limiter", other.limiter)...)
		if err != nil {
			return plots.Figure{}, err
		}
		if slices.Equal(s.X, bucket.X) && slices.Equal(s.Y, bucket.Y) {
			same = append(same, other.name)
		}
	}
	if len(same) > 0 {
		drawn += ". As the token bucket: " + strings.Join(same, " and ")
	}
	return plots.Figure{Name: "boundary-burst-envelope", Title: title, Subtitle: drawn, Chart: chart}, nil
}

// boundaryStairs draws an envelope over lengths from 1 ns to a longest, in ns,
// with both of its values wherever it steps, up to where there is no theory. It
// looks 400 times and finds the one step that may lie between two looks.
func boundaryStairs(longest time.Duration, envelope func(time.Duration) float64) plots.Series {
	stairs := plots.Series{Theory: true}
	add := func(delta time.Duration, value float64) {
		stairs.X, stairs.Y = append(stairs.X, float64(delta)), append(stairs.Y, value)
	}
	const looks = 400
	before := time.Duration(2) // at 1 ns an interval is one instant
	value := envelope(before)
	add(before, value)
	for i := range looks {
		delta := longest * time.Duration(i+1) / looks
		next := envelope(delta)
		if math.IsNaN(next) {
			break
		}
		if next != value {
			low, high := before, delta
			for high-low > 1 {
				if middle := low + (high-low)/2; envelope(middle) == value {
					low = middle
				} else {
					high = middle
				}
			}
			add(low, value)
			add(high, next)
		}
		before, value = delta, next
	}
	add(before, value)
	return stairs
}
