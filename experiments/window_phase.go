package experiments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

func init() {
	register(Experiment{
		Name:     "window-phase",
		Question: "Where do windows start, and who notices?",
		Hypothesis: "The same requests are decided differently by windows that start at the epoch, at the key's first request, at the first request after " +
			"the last window, or at an offset of each key's own. In the long run nobody notices, but for the idle time that a window which waits for a request " +
			"leaves out; at the edge of windows that all keys share everybody is let in at once.",
		Factors: []sweep.Factor{
			{Name: "part", Check: oneOf("bursts", "poisson", "profile", "worst"), Description: "sub-question: bursts: three bursts of the limit; poisson: long runs of one key; " +
				"profile: which part of the epoch's windows many keys are admitted in; worst: what an adversary gets in any window"},
			{Name: "origin", Check: oneOf("epoch", "creation", "first", "jitter"), Description: "windows start at multiples of their length since the epoch; at the key's first request and " +
				"every length after it, as those of go-limiter; at the first request admitted after the last one; at an offset of the key's own from the epoch's, uniform over the window"},
			{Name: "limit", Unit: "requests", Check: wholeNumber(1000), Description: "limit of a window"},
			{Name: "load", Unit: "1", Check: leakyLoad, Description: "arrivals in a window / limit"},
			{Name: "position", Unit: "windows", Check: phasePosition, Description: "time of the first burst; the epoch's windows start at whole numbers"},
			{Name: "gap", Unit: "windows", Check: phasePosition, Description: "time from the first burst to the second; the third comes 2.25 after the first"},
		},
		Metrics:   phaseMetrics(),
		Grids:     phaseGrids(),
		Where:     phaseApplies,
		Reps:      30,
		QuickReps: 16,
		Cell:      phaseCell,
		Claims:    phaseClaims(),
		Figures: []Figure{
			{Name: "profile", Draw: phaseProfileFigure},
			{Name: "decisions", Draw: phaseDecisionsFigure},
		},
		Findings: phaseFindings,
		Threats: []string{
			"One server and one clock: on a fleet, windows of the epoch are as far apart as the clocks, and windows that start with a server start with each of them.",
			"Refused requests never come back. Those who wait for the edge come back all at once at the epoch's: that makes its profile steeper.",
			"The offset of a key is drawn anew in each replication; in a real program it stays for as long as the key does.",
			"go-limiter stands for windows that start with the key; it rounds what it refills, which at these limits changes nothing.",
		},
	})
}

const phaseWindow = 10 * time.Second

func phasePosition(value string) error {
	if x, err := spec.ParseNumber(value); err != nil || x < 0 || x > 2 {
		return errors.New("must be a number of windows from 0 to 2")
	}
	return nil
}

func phaseApplies(get func(factor string) string) bool {
	bursts, worst := get("part") == "bursts", get("part") == "worst"
	return bursts == (get("position") != "") && bursts == (get("gap") != "") && (bursts || worst) == (get("load") == "") && get("limit") != "" &&
		!(worst && get("origin") == "creation") // it tells nobody when to come back
}

func phaseLimiter(origin, limit string) (limiters.Spec, error) {
	window := ",window=" + phaseWindow.String()
	text := "fixed-window:limit=" + limit + window
	switch origin {
	case "creation":
		text = "go-limiter:limit=" + limit + window
	case "first":
		text += ",origin=first"
	case "jitter":
		text += ",jitter=" + phaseWindow.String()
	}
	return limiters.Parse(text)
}

func phaseMetrics() []sweep.Metric {
	m := append(fromDictionary("admit_share", "max_window_admitted"),
		sweep.Metric{Name: "unlike_epoch", Unit: "1", Description: "Share of requests decided otherwise than by windows of the epoch on the same arrivals."},
		sweep.Metric{Name: "second_admitted", Unit: "requests", Description: "Admitted of the second burst, mean over keys."},
		sweep.Metric{Name: "third_admitted", Unit: "requests", Description: "Admitted of the third burst, mean over keys."},
		sweep.Metric{Name: "most_in_window", Unit: "requests", Description: "Most that an adversary gets in any half-open interval as long as a window."},
	)
	for i := range phaseParts {
		m = append(m, sweep.Metric{Name: phasePart(i), Unit: "1", Description: fmt.Sprintf("Share admitted of the requests of all keys that come in part %d of %d of the epoch's windows.", i+1, phaseParts)})
	}
	return m
}

const phaseParts = 10

func phasePart(i int) string { return fmt.Sprintf("admit_share_part_%02d", i+1) }

func phaseGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	origins := axis("origin", "epoch", "creation", "first", "jitter")
	part := func(name string, axes ...sweep.Axis) sweep.Grid {
		return append(sweep.Grid{axis("part", name), origins}, axes...)
	}
	bursts, gaps := sweep.Grid{axis("part", "bursts"), axis("limit", "10")}, axis("gap", "0.25", "0.5", "0.75", "1", "1.5")
	return []sweep.Grid{
		append(bursts[:2:2], axis("origin", "epoch", "creation", "first"), axis("position", "0", "0.25", "0.5", "0.75"), gaps),
		append(bursts[:2:2], axis("origin", "jitter"), axis("position", "0.25"), gaps),
		part("poisson", axis("limit", "1", "5", "20"), axis("load", "0.8", "1", "1.5")),
		part("profile", axis("limit", "5"), axis("load", "1.5", "2", "3")),
		part("worst", axis("limit", "5", "20", "100")),
	}
}

func phaseCell(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	s, err := phaseLimiter(c.Get("origin"), c.Get("limit"))
	if err != nil {
		return err
	}
	// Offsets are drawn from the limiter's seed: each replication has its own.
	fresh := func(s limiters.Spec) limiters.Limiter { return lab.Limiter(s, c.Seed+uint64(c.Rep)<<32) }
	switch c.Get("part") {
	case "bursts":
		phaseBursts(fresh(s), c, out)
		return nil
	case "poisson":
		return phasePoisson(lab, fresh(s), c, out)
	case "profile":
		return phaseProfile(lab, fresh(s), c, out)
	default:
		most, _, err := boundaryAdversary{
			fresh: func() limiters.Limiter { return fresh(s) },
			limit: c.Int("limit"), window: phaseWindow, delta: phaseWindow,
			random: workloads.Streams(c.Seed, c.Rep, "window-phase")("starts"),
		}.most()
		out.Set("most_in_window", float64(most))
		return err
	}
}

// phaseBursts sends three bursts of each of many keys: the keys differ only
// where each has an offset of its own.
func phaseBursts(l limiters.Limiter, c sweep.Cell, out *sweep.Row) {
	keys := uint32(1)
	if c.Get("origin") == "jitter" {
		keys = 6000
	}
	first := c.Float("position")
	var admitted [3]float64
	for i, at := range []float64{first, first + c.Float("gap"), first + phaseThird} {
		for key := range keys {
			for range c.Int("limit") {
				if ok, _ := l.Admit(boundaryDelta(at, phaseWindow), key, 1); ok {
					admitted[i]++
				}
			}
		}
	}
	out.Set("second_admitted", admitted[1]/float64(keys))
	out.Set("third_admitted", admitted[2]/float64(keys))
}

// phaseThird is when the third burst comes after the first, in windows.
const phaseThird = 2.25

// phaseArrivals starts Poisson arrivals, load · limit in a window for each key.
func phaseArrivals(c sweep.Cell, keys int) (workloads.Workload, error) {
	rate, err := leakyOffered(c.Get("load"), spec.Rate{N: c.Int("limit") * int64(keys), P: phaseWindow})
	if err != nil {
		return nil, err
	}
	w, err := workloads.Parse("poisson:rate=" + rate.String())
	if err != nil {
		return nil, err
	}
	return scenario.Arrivals(w, keys, workloads.Streams(c.Seed, c.Rep, ""))
}

// phaseRequests is how many requests a long run is of.
const phaseRequests = 200_000

func phasePoisson(lab Lab, l limiters.Limiter, c sweep.Cell, out *sweep.Row) error {
	arrivals, err := phaseArrivals(c, 1)
	if err != nil {
		return err
	}
	epochs, err := phaseLimiter("epoch", c.Get("limit"))
	if err != nil {
		return err
	}
	requests := phaseRequests
	if lab.Quick {
		requests /= 5
	}
	epoch, admitted, unlike := epochs.New(c.Seed, nil), 0.0, 0.0
	var times []time.Duration
	for range requests {
		a, _ := arrivals.Next()
		ok, _ := l.Admit(a.At, 0, 1)
		if ok {
			admitted++
			times = append(times, a.At)
		}
		if other, _ := epoch.Admit(a.At, 0, 1); other != ok {
			unlike++
		}
	}
	out.Set("admit_share", admitted/float64(requests))
	out.Set("unlike_epoch", unlike/float64(requests))
	out.Set("max_window_admitted", float64(mostWithin(times, phaseWindow)))
	return nil
}

// Many keys. Offsets differ from key to key, so that it takes many of them to
// know a mean. Windows that start with a key are looked at from when those that
// open with a request have lost all memory of their common start: each loses
// 1/λ a window, give or take as much, so that after n windows what is left of it
// weighs exp(-2π²n/a²), a the arrivals in a window: less than 2e-4 for a up to 15.
const phaseForget = 100 // windows

// phaseSize returns how many keys and windows a profile is of, and from which
// window on.
func phaseSize(origin string, quick bool) (keys, windows, forget int) {
	switch origin {
	case "epoch":
		keys, windows = 2000, 50
	case "jitter":
		keys, windows, forget = 3000, 15, 1 // each begins within a window, with nothing spent
	default:
		keys, windows, forget = 150, 60, phaseForget
	}
	if quick {
		keys, windows = keys/6, windows/3
	}
	return keys, windows, forget
}

func phaseProfile(lab Lab, l limiters.Limiter, c sweep.Cell, out *sweep.Row) error {
	keys, windows, forget := phaseSize(c.Get("origin"), lab.Quick)
	arrivals, err := phaseArrivals(c, keys)
	if err != nil {
		return err
	}
	var offered, admitted [phaseParts]float64
	for {
		a, _ := arrivals.Next()
		if a.At >= time.Duration(forget+windows)*phaseWindow {
			break
		}
		ok, _ := l.Admit(a.At, a.Key, 1)
		if a.At < time.Duration(forget)*phaseWindow {
			continue
		}
		i := a.At % phaseWindow * phaseParts / phaseWindow
		offered[i]++
		if ok {
			admitted[i]++
		}
	}
	for i := range offered {
		out.Set(phasePart(i), admitted[i]/offered[i])
	}
	return nil
}
