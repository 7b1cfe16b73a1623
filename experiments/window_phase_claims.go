package experiments

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ratelab/experiments/theory"
)

// phaseBurstPoints are points of part bursts, "origin position gap".
func phaseBurstPoints(expected func(position, gap float64) float64, at ...string) (points []Point) {
	for _, text := range at {
		v := strings.Fields(text)
		position, _ := strconv.ParseFloat(v[1], 64)
		gap, _ := strconv.ParseFloat(v[2], 64)
		points = append(points, Point{At: []string{"part", "bursts", "origin", v[0], "limit", "10", "position", v[1], "gap", v[2]}, Expected: expected(position, gap)})
	}
	return points
}

// phasePoints are points of the other parts, "origin limit load", without the
// load in part worst.
func phasePoints(part string, share bool, expected func(limit int, load float64) float64, at ...string) (points []Point) {
	for _, text := range at {
		v := strings.Fields(text)
		limit, _ := strconv.Atoi(v[1])
		p := Point{At: []string{"part", part, "origin", v[0], "limit", v[1]}}
		load := 0.0
		if len(v) > 2 {
			load, _ = strconv.ParseFloat(v[2], 64)
			p.At = append(p.At, "load", v[2])
		}
		p.Expected = expected(limit, load)
		if share {
			p.Scale = shareScale(p.Expected)
		}
		points = append(points, p)
	}
	return points
}

func phaseClaims() []Claim {
	burst := func(o theory.Origin, which int) func(position, gap float64) float64 {
		return func(position, gap float64) float64 {
			if theory.WindowBursts(o, position, position+gap, position+phaseThird)[which] {
				return 10
			}
			return 0
		}
	}
	jittered := phaseBurstPoints(func(_, gap float64) float64 { return 10 * min(1, gap) }, "jitter 0.25 0.25", "jitter 0.25 0.5", "jitter 0.25 0.75", "jitter 0.25 1")
	epochShare := func(limit int, load float64) float64 {
		return theory.FixedWindowAdmitShare(float64(load*float64(limit)), limit)
	}
	firstShare := func(limit int, load float64) float64 {
		return theory.FirstWindowAdmitShare(float64(load*float64(limit)), limit)
	}
	inPart := func(i int) func(limit int, load float64) float64 {
		return func(limit int, load float64) float64 {
			return theory.FixedWindowPartShare(float64(load*float64(limit)), limit, float64(i)/phaseParts, float64(i+1)/phaseParts)
		}
	}
	claims := []Claim{
		{
			Text:   "windows of the epoch let the second burst pass if an edge lies between, however close it is to the first",
			Domain: "fixed windows that start at multiples of their length; bursts of the limit",
			Wrong:  "windows that start anywhere else",
			Source: "theory.WindowBursts", Metric: "second_admitted", Relation: Exact,
			Points:  phaseBurstPoints(burst(theory.OriginEpoch, 1), "epoch 0 0.25", "epoch 0 0.75", "epoch 0.5 0.5", "epoch 0.75 0.25", "epoch 0.25 0.75", "epoch 0.25 1"),
			Outside: phaseBurstPoints(burst(theory.OriginEpoch, 1), "first 0.75 0.25", "creation 0.5 0.5"),
		},
		{
			Text:   "windows that start with the key let it pass if it comes a window later, wherever the first one came",
			Domain: "fixed windows that start at the key's first request, or at the first after the last window; bursts of the limit",
			Wrong:  "windows that start at the epoch, or at an offset",
			Source: "theory.WindowBursts", Metric: "second_admitted", Relation: Exact,
			Points: append(phaseBurstPoints(burst(theory.OriginCreation, 1), "creation 0.75 0.25", "creation 0.5 0.75", "creation 0.25 1"),
				phaseBurstPoints(burst(theory.OriginFirst, 1), "first 0.75 0.25", "first 0.5 0.75", "first 0.25 1", "first 0.75 1.5")...),
			Outside: phaseBurstPoints(burst(theory.OriginFirst, 1), "epoch 0.75 0.25", "epoch 0.5 0.75"),
		},
		{
			Text:   "after a pause the two differ: one keeps its edges, the other starts anew",
			Domain: "the third burst, 0.75 windows after the second, which came 1.5 windows after the first",
			Wrong:  "a window that opens before a request comes, or one that waits for it",
			Source: "theory.WindowBursts: 10 with the key's edges, 0 with the first request's", Metric: "third_admitted", Relation: Exact,
			Points: append(phaseBurstPoints(burst(theory.OriginCreation, 2), "creation 0 1.5", "creation 0.5 1.5"),
				phaseBurstPoints(burst(theory.OriginFirst, 2), "first 0 1.5", "first 0.5 1.5")...),
			Outside: append(phaseBurstPoints(burst(theory.OriginFirst, 2), "creation 0.25 1.5"), phaseBurstPoints(burst(theory.OriginCreation, 2), "epoch 0.5 1.5")...),
		},
		{
			Text:   "with an offset of its own a key passes the second burst with the probability that an edge lies between",
			Domain: "offsets uniform over the window; bursts of the limit, mean over keys",
			Wrong:  "offsets over less than the window, or the same for several keys",
			Source: "an interval of length g holds an edge with probability min(1, g)", Metric: "second_admitted", Relation: Equal,
			Points: jittered, Outside: phaseBurstPoints(func(_, gap float64) float64 { return 10 * gap }, "epoch 0 0.25", "first 0.25 0.5"),
		},
		{
			Text:   "in the long run it is all one where windows start, if they do not wait for a request",
			Domain: "Poisson arrivals; windows of the epoch, of the key's creation, or at offsets",
			Wrong:  "windows that open with a request: they leave out the time until it comes",
			Source: "theory.FixedWindowAdmitShare: E[min(Pois(a), L)]/a", Metric: "admit_share", Relation: Equal,
			Points: phasePoints("poisson", true, epochShare, "epoch 1 1", "epoch 5 1", "epoch 20 1.5", "creation 1 0.8", "creation 5 1", "creation 20 1.5",
				"jitter 1 1.5", "jitter 5 1", "jitter 5 1.5"),
			Outside: phasePoints("poisson", true, epochShare, "first 1 1", "first 5 1.5"),
		},
		{
			Text:   "windows that open with a request admit less: one request and then a window's, in a window and the wait for the next",
			Domain: "Poisson arrivals; windows that open at the first request after the last one ended",
			Wrong:  "edges that do not wait",
			Source: "theory.FirstWindowAdmitShare: (1 + E[min(Pois(a), L-1)])/(1 + a)", Metric: "admit_share", Relation: Equal,
			Points:  phasePoints("poisson", true, firstShare, "first 1 0.8", "first 1 1", "first 1 1.5", "first 5 1", "first 5 1.5", "first 20 1.5"),
			Outside: phasePoints("poisson", true, firstShare, "epoch 1 1", "creation 5 1.5"),
		},
		{
			Text:   "an adversary gets twice the limit in a window wherever its edges are, if they do not wait",
			Domain: "windows of the epoch, or at offsets; a caller who reads Retry-After",
			Wrong:  "edges that nobody can find out",
			Source: "theory.FixedWindowEnvelopeOnClock", Metric: "most_in_window", Relation: Exact,
			Points: phasePoints("worst", false, func(limit int, _ float64) float64 {
				return theory.FixedWindowEnvelopeOnClock(int64(limit), phaseWindow, phaseWindow)
			}, "epoch 5", "epoch 20", "epoch 100", "jitter 5", "jitter 20", "jitter 100"),
			Outside: phasePoints("worst", false, func(limit int, _ float64) float64 {
				return theory.FixedWindowEnvelopeOnClock(int64(limit), phaseWindow, phaseWindow)
			}, "first 5", "first 100"),
		},
		{
			Text:   "and one less if a request has to open the window",
			Domain: "windows that open with a request; a caller who reads Retry-After",
			Wrong:  "a window that opens before its first request",
			Source: "theory.FirstRequestWindowEnvelopeOnClock", Metric: "most_in_window", Relation: Exact,
			Points: phasePoints("worst", false, func(limit int, _ float64) float64 {
				return theory.FirstRequestWindowEnvelopeOnClock(int64(limit), phaseWindow, phaseWindow)
			}, "first 5", "first 20", "first 100"),
			Outside: phasePoints("worst", false, func(limit int, _ float64) float64 {
				return theory.FirstRequestWindowEnvelopeOnClock(int64(limit), phaseWindow, phaseWindow)
			}, "epoch 5", "jitter 20"),
		},
	}
	for _, i := range []int{2, 6} {
		claims = append(claims, Claim{
			Text:   fmt.Sprintf("in part %d of 10 of the epoch's windows all keys are admitted what their common window has left then", i+1),
			Domain: "many keys with Poisson arrivals, windows of the epoch",
			Wrong:  "edges that differ by key: they admit the same share at all times",
			Source: "theory.FixedWindowPartShare: (E[min(Pois(a·to), L)] - E[min(Pois(a·from), L)])/(a·(to - from))", Metric: phasePart(i), Relation: Equal,
			Points:  phasePoints("profile", true, inPart(i), "epoch 5 1.5", "epoch 5 2", "epoch 5 3"),
			Outside: phasePoints("profile", true, inPart(i), "jitter 5 3", "first 5 3"),
		})
	}
	const early = 2
	claims = append(claims, Claim{
		Text:   fmt.Sprintf("in part %d of 10 of the epoch's windows keys with edges of their own are admitted what they are at all times", early+1),
		Domain: "many keys with Poisson arrivals; offsets, or windows that open with a request, once they have forgotten a common start",
		Wrong:  "edges that all keys share",
		Source: "theory.FixedWindowAdmitShare, theory.FirstWindowAdmitShare", Metric: phasePart(early), Relation: Equal,
		Points: slices.Concat(phasePoints("profile", true, epochShare, "jitter 5 1.5", "jitter 5 2", "jitter 5 3"),
			phasePoints("profile", true, firstShare, "first 5 1.5", "first 5 2", "first 5 3")),
		Outside: phasePoints("profile", true, epochShare, "epoch 5 2"),
	})
	return claims
}
