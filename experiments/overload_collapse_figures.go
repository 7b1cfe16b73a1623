package experiments

import (
	"fmt"
	"strconv"

	"ratelab/plots"
)

// overloadDrawCourse: a spike of seconds, and what comes after it.
func overloadDrawCourse(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "course", Title: "A spike of 4 s, and what comes after it"}
	var down, heals []plots.Series
	last := make(map[string]float64)
	for _, cure := range overloadCures {
		at := []string{"part", "course"}
		for _, factor := range []string{"jitter", "deadline", "budget", "limit", "queue"} {
			value := map[string]string{"jitter": "none", "deadline": "no", "budget": "none", "limit": "none", "queue": "unlimited"}[factor]
			if len(cure.at) > 0 && cure.at[0] == factor {
				value = cure.at[1]
			}
			at = append(at, factor, value)
		}
		s, err := d.Series(cure.label, "goodput", "from", at...)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		for i := range s.X {
			s.X[i] += 2.5
		}
		last[cure.label] = s.Y[len(s.Y)-1]
		if last[cure.label] < overloadCapacity/10 {
			down = append(down, s)
		} else {
			heals = append(heals, s)
		}
	}
	if last["no cure"] < 1 && last["back-off"] < 1 && min(last["budget"], last["limit"], last["short queue"]) > 200 {
		f.Title = fmt.Sprintf("A spike of 4 s: a minute later %.0f/s are served in time, back-off or not; with a limit, a budget or a short queue %.0f/s",
			last["no cure"], min(last["budget"], last["limit"], last["short queue"]))
	}
	f.Subtitle = fmt.Sprintf("Server of 300/s; 240/s, in the spike from 10 s to 14 s 450/s; one retry after a timeout of 1 s. Answers in time, in spans of 5 s; %d replications, 95%% intervals.", d.Reps)
	x := plots.Axis{Label: "Time", Unit: "s", Min: 0, Max: 65}
	for _, at := range []int{0, 20, 40, 60} {
		x.Ticks = append(x.Ticks, plots.Tick{Value: float64(at), Label: strconv.Itoa(at)})
	}
	y := plots.Axis{Label: "Goodput", Unit: "requests/s", Min: 0, Max: 320}
	f.Chart = plots.Grid{Columns: 1, Panels: []plots.Panel{
		{Title: "Stays down", Chart: plots.Line{X: x, Y: y, Series: down, Refs: []plots.Ref{{Value: 10, Vertical: true, Label: "spike"}}}},
		{Title: "Heals", Chart: plots.Line{X: x, Y: y, Series: heals, Refs: []plots.Ref{{Value: 10, Vertical: true}}}},
	}}
	return f, nil
}

// overloadDrawStuck: who is still down at the horizon.
func overloadDrawStuck(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "stuck", Title: "Which loads stay down after a spike"}
	chart := plots.Line{
		X: plots.Axis{Label: "Load without retries", Unit: "requests/s", Min: 50, Max: 320},
		Y: plots.Axis{Label: "Replications stuck at the horizon", Percent: true, Min: 0, Max: 1},
		Refs: []plots.Ref{
			{Value: overloadCapacity / 3, Vertical: true, Label: "c / 3"},
			{Value: overloadCapacity / 2, Vertical: true, Label: "c / 2"},
			{Value: overloadCapacity, Vertical: true, Label: "capacity c"},
		},
	}
	plain := []string{"part", "spike", "peak", "450", "limit", "none", "jitter", "none", "budget", "none", "deadline", "no"}
	for _, s := range []struct {
		label string
		at    []string
	}{
		{"2 retries", []string{"retries", "2", "queue", "unlimited", "spike", "4s"}},
		{"1 retry", []string{"retries", "1", "queue", "unlimited", "spike", "4s"}},
		{"1 retry, queue 200", []string{"retries", "1", "queue", "200", "spike", "4s"}},
		{"1 retry, no spike", []string{"retries", "1", "queue", "unlimited", "spike", "0s"}},
	} {
		series, err := d.Series(s.label, "stuck", "load", append(s.at, plain...)...)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		series = fleetKeep(series, func(x float64) bool { return x <= 320 })
		series.Lo, series.Hi = nil, nil // a share of ten: its interval is not Student's
		series.Markers = true
		chart.Series = append(chart.Series, series)
	}
	low, _, _ := d.Mean("stuck", overloadPlace(130)...)
	high, _, _ := d.Mean("stuck", overloadPlace(170)...)
	short, _, _ := d.Mean("stuck", overloadPlace(280, "queue", "200")...)
	calm, _, _ := d.Mean("stuck", overloadPlace(280, "spike", "0s")...)
	if low == 0 && high == 1 && short == 0 && calm == 0 {
		f.Title = "One retry: at 130/s the server always recovers from a spike, at 170/s never; with a queue of 200 it does at 280/s too"
	}
	f.Subtitle = fmt.Sprintf("Server of 300/s, timeout 1 s; a spike of 450/s for 4 s; horizon 150 s. %d replications.", d.Reps)
	if d.Quick {
		f.Subtitle = fmt.Sprintf("Server of 300/s, timeout 1 s; a spike of 450/s for 4 s; horizon 60 s. %d replications.", d.Reps)
	}
	f.Chart = chart
	return f, nil
}

// overloadDrawDoor: saying no takes time as well.
func overloadDrawDoor(d *Data) (plots.Figure, error) {
	f := plots.Figure{Name: "door", Title: "What is left where refusals cost"}
	chart := plots.Line{
		X:    plots.Axis{Label: "Arrivals", Unit: "requests/s", Min: 0, Max: 120},
		Y:    plots.Axis{Label: "Goodput", Unit: "requests/s", Min: 0, Max: 25},
		Refs: []plots.Ref{{Value: 100, Vertical: true, Label: "c / D"}},
	}
	for _, pays := range []struct{ label, value string }{{"refusals cost D", "refusals"}, {"all decisions cost D", "all"}} {
		s, err := d.Series(pays.label, "goodput", "load", "part", "door", "arrivals", "steady", "pays", pays.value)
		if err != nil && d.Partial {
			continue
		}
		if err != nil {
			return f, err
		}
		s = fleetKeep(s, func(x float64) bool { return x <= 120 })
		s.Markers = true
		curve := plots.Series{Name: s.Name, Theory: true}
		for load := 1; load <= 120; load++ {
			curve.X, curve.Y = append(curve.X, float64(load)), append(curve.Y, overloadDoorExpected("steady", load, pays.value))
		}
		chart.Series = append(chart.Series, s, curve)
	}
	good, _, _ := d.Mean("goodput", overloadDoorPlace("steady", 50, "refusals")...)
	few, _, _ := d.Mean("goodput", overloadDoorPlace("steady", 95, "refusals")...)
	none, _, _ := d.Mean("goodput", overloadDoorPlace("steady", 120, "refusals")...)
	if none == 0 && few < good {
		f.Title = fmt.Sprintf("Saying no takes time too: behind a limit of 20/s, %.0f/s are served of 50/s, %.1f/s of 95/s, none of 120/s", good, few)
	}
	f.Subtitle = "One worker; a service takes 20 ms, a decision D = 10 ms. Steady arrivals, of which nothing is left to chance. Thin: theory."
	f.Chart = chart
	return f, nil
}
