package experiments

import (
	"math"
	"strconv"
	"strings"

	"ratelab/experiments/theory"
	"ratelab/internal/spec"
)

// nginxPoints makes a point of each text "rate burst hold", as many as there
// are of factors.
func nginxPoints(part string, factors []string, expected func(values []string) float64, at ...string) (points []Point) {
	for _, text := range at {
		values := strings.Fields(text)
		p := Point{At: []string{"part", part}, Expected: expected(values)}
		for i, f := range factors {
			p.At = append(p.At, f, values[i])
		}
		points = append(points, p)
	}
	return points
}

func nginxZero([]string) float64 { return 0 }

// nginxAtOnceOf reads "rate burst hold".
func nginxAtOnceOf(values []string) theory.AtOnce {
	_, milli, _ := nginxRate(values[0])
	burst, _ := spec.ParseCount(values[1])
	delay, err := spec.ParseCount(values[2])
	if err != nil { // nodelay
		delay = math.MaxInt32
	}
	return theory.NginxAtOnce(nginxAtOnceSent, milli, burst, delay)
}

func nginxSpacingOf(values []string) float64 {
	_, milli, _ := nginxRate(values[0])
	return theory.NginxSpacing(milli).Seconds()
}

// nginxLong are points of part poisson, "limiter workload rate burst load".
// The expected value takes a while, so it is left until the claim is judged.
func nginxLong(expected func(load float64, slots, burst int) (value, err, scale float64), at ...string) []Point {
	points := nginxPoints("poisson", []string{"limiter", "workload", "rate", "burst", "load"}, nginxZero, at...)
	for i := range points {
		v := strings.Fields(at[i])
		_, milli, _ := nginxRate(v[2])
		burst, _ := strconv.Atoi(v[3])
		load, _ := strconv.ParseFloat(v[4], 64)
		points[i].Late = func(p *Point) { p.Expected, p.Error, p.Scale = expected(load, int(1_000_000/milli), burst) }
	}
	return points
}

func nginxClaims() []Claim {
	exactLoss := func(load float64, _, burst int) (value, err, scale float64) {
		v := theory.TokenBucketLoss(load, burst+1)
		return v, 0, shareScale(v)
	}
	exactWait := func(perSecond float64) func(load float64, slots, burst int) (value, err, scale float64) {
		return func(load float64, _, burst int) (value, err, scale float64) {
			return theory.MD1KWait(load, burst+1) / perSecond, 0, 0
		}
	}
	slotted := func(load float64, slots, burst int) (loss, wait float64) {
		return theory.SlottedQueue(load/float64(slots), slots, burst*slots)
	}
	cutLoss := func(load float64, slots, burst int) (value, err, scale float64) {
		v, _ := slotted(load, slots, burst)
		return v, 0, shareScale(v)
	}
	cutWait := func(load float64, slots, burst int) (value, err, scale float64) {
		_, v := slotted(load, slots, burst)
		return v / 1000, 0, 0
	}
	bounded := func(load float64, slots, burst int) (value, err, scale float64) {
		v := theory.TokenBucketLoss(load, burst+1)
		low, high := theory.SlottedLossBounds(load/float64(slots), slots, burst*slots)
		return v, max(v-low, high-v), shareScale(v)
	}
	spaced := func([]string) float64 { return 0.9995 }
	kept := nginxPoints("spacing", []string{"rate", "burst"}, spaced, "7r/m 5", "100r/m 5", "500r/m 5", "3r/s 5", "10r/s 5")
	lost := nginxPoints("spacing", []string{"rate", "burst"}, spaced, "3r/s 0")
	for _, points := range [][]Point{kept, lost} {
		for i := range points {
			points[i].Error = 0.0005
		}
	}
	cases := func(names ...string) []Point {
		return nginxPoints("answers", []string{"limiter", "case"}, nginxZero, names...)
	}
	cut := []string{"workload", "rate", "burst"}
	millisecond := func([]string) float64 { return 0.001 }
	return []Claim{
		{
			Text:   "nginx as it is simulated answers what nginx 1.22.1 answered",
			Domain: "one key, a clock that is set; whole ms; steps back of the clock",
			Wrong:  "a state that remembers refused requests, another rounding, or a clock that may not step back",
			Source: "nginx 1.22.1, seen to answer these requests", Metric: "wrong_answers", Relation: Exact,
			Points:  cases("nginx at-once", "nginx one-a-minute", "nginx three-a-second", "nginx polling", "nginx clock-back-30s", "nginx clock-back-61s", "nginx queue"),
			Outside: cases("leaky-queue one-a-minute", "leaky-queue clock-back-61s"),
		},
		{
			Text:   "of requests at one instant burst + 1 pass, however they are held",
			Domain: "nginx, an idle key, any rate, delay or nodelay",
			Wrong:  "a burst that counts the first request",
			Source: "theory.NginxAtOnce", Metric: "passed", Relation: Exact,
			Points: nginxPoints("at-once", []string{"rate", "burst", "hold"}, func(v []string) float64 { return float64(nginxAtOnceOf(v).Passed) },
				"1r/s 3 0", "1r/s 3 nodelay", "10r/s 20 2", "30r/m 20 nodelay", "7r/m 0 0", "7r/m 20 0"),
			// Who reads burst as what passes at once, expects as many.
			Outside: nginxPoints("at-once", []string{"rate", "burst", "hold"}, func(v []string) float64 { return float64(nginxAtOnceOf(v).Passed - 1) }, "1r/s 3 0", "10r/s 20 nodelay"),
		},
		{
			Text:   "of these, delay and the first pass at once, the others wait; with nodelay nobody does",
			Domain: "nginx, an idle key, requests at one instant, any rate",
			Wrong:  "a delay that changes how many pass, or that counts the first request",
			Source: "theory.NginxAtOnce: max(0, burst - delay)", Metric: "held", Relation: Exact,
			Points: nginxPoints("at-once", []string{"rate", "burst", "hold"}, func(v []string) float64 { return float64(nginxAtOnceOf(v).Held) },
				"1r/s 3 0", "1r/s 3 2", "1r/s 3 nodelay", "10r/s 20 0", "10r/s 20 2", "30r/m 20 2", "7r/m 0 0"),
			Outside: nginxPoints("at-once", []string{"rate", "burst", "hold"}, func([]string) float64 { return 0 }, "1r/s 3 0", "10r/s 20 2"),
		},
		{
			Text:   "the last of these waits as long as the rate takes for burst - delay requests, cut to ms",
			Domain: "nginx, an idle key, requests at one instant; the rate that nginx keeps, which for r/m may be less than the one it is given",
			Wrong:  "releases at the rate that was given, or a wait that is rounded up",
			Source: "theory.NginxAtOnce", Metric: "longest", Relation: Exact,
			Points: nginxPoints("at-once", []string{"rate", "burst", "hold"}, func(v []string) float64 { return nginxAtOnceOf(v).Longest.Seconds() },
				"1r/s 3 0", "1r/s 3 2", "10r/s 20 0", "10r/s 20 2", "30r/m 20 0", "7r/m 20 0", "7r/m 20 nodelay"),
			Outside: nginxPoints("at-once", []string{"rate", "burst", "hold"}, func([]string) float64 { return 20 * 60.0 / 7 }, "7r/m 20 0"),
		},
		{
			Text:   "without a burst requests pass in whole ms, one in 62.5 s at 1r/m",
			Domain: "nginx, burst 0, requests every ms",
			Wrong:  "a burst, which keeps the rest of a ms for the next request",
			Source: "theory.NginxSpacing: the rate cut to thousandths of a request per second, the time of one rounded up to ms", Metric: "spacing", Relation: Exact,
			Points:  nginxPoints("spacing", []string{"rate", "burst"}, nginxSpacingOf, "1r/m 0", "7r/m 0", "100r/m 0", "3r/s 0", "10r/s 0", "2000r/s 0"),
			Outside: nginxPoints("spacing", []string{"rate", "burst"}, nginxSpacingOf, "3r/s 5"),
		},
		{
			Text:   "with a burst the long-run rate is the rate that nginx keeps, less a thousandth at most",
			Domain: "nginx, burst 1 and more, requests every ms",
			Wrong:  "a fraction that is lost each ms and not each admitted request",
			Source: "a fraction of a thousandth of a request is lost with each one that is admitted: a share in [1/1.001, 1]", Metric: "rate_share", Relation: Equal,
			Points: kept, Outside: lost,
		},
		{
			Text:   "at whole requests a second nginx decides as the leaky queue does on arrivals cut to whole ms",
			Domain: "rates in r/s, one key, arrivals in order, any burst",
			Wrong:  "rates in r/m, of which nginx loses fractions",
			Source: "the queue's own rule: what leaks in a ms is a whole number of thousandths", Metric: "unlike_queue", Relation: Exact,
			Points:  nginxPoints("cut", cut, nginxZero, "poisson 3r/s 0", "poisson 3r/s 5", "poisson 10r/s 5", "poisson 1000r/s 0", "poisson 1000r/s 5", "on-off 3r/s 5", "on-off 100r/s 5", "on-off 1000r/s 0"),
			Outside: nginxPoints("cut", cut, nginxZero, "poisson 100r/m 5"),
		},
		{
			Text:   "and then holds requests as long, less a ms at most",
			Domain: "rates in r/s, one key, arrivals in order, any burst",
			Wrong:  "rates in r/m, or a wait that is rounded to the next ms",
			Source: "the hold is the queue's wait, cut to ms", Metric: "hold_gap", Relation: AtMost,
			Points:  nginxPoints("cut", cut, millisecond, "poisson 3r/s 5", "poisson 10r/s 5", "poisson 1000r/s 5", "on-off 3r/s 5", "on-off 1000r/s 5"),
			Outside: nginxPoints("cut", cut, millisecond, "poisson 100r/m 5"),
		},
		{
			Text:   "a leaky queue of as many places as the burst refuses of Poisson traffic what M/D/1/K does, K = burst + 1",
			Domain: "leaky queue, Poisson arrivals, long run",
			Wrong:  "a place more or less",
			Source: "theory.TokenBucketLoss: M/D/1/K", Metric: "loss", Relation: Equal,
			Points: nginxLong(exactLoss, "leaky-queue poisson 10r/s 0 0.8", "leaky-queue poisson 10r/s 0 1", "leaky-queue poisson 10r/s 5 0.8", "leaky-queue poisson 10r/s 5 1",
				"leaky-queue poisson 1000r/s 5 1.5", "leaky-queue poisson 10r/s 20 1", "leaky-queue poisson 10r/s 20 1.5"),
			Outside: nginxLong(exactLoss, "leaky-queue on-off 10r/s 5 1", "nginx poisson 1000r/s 0 1"),
		},
		{
			Text:   "and what it admits waits as in M/D/1/K",
			Domain: "leaky queue, Poisson arrivals, long run",
			Wrong:  "departures at ticks",
			Source: "theory.MD1KWait / rate", Metric: "delay_mean", Relation: Equal,
			Points:  append(nginxLong(exactWait(10), "leaky-queue poisson 10r/s 5 0.8", "leaky-queue poisson 10r/s 5 1", "leaky-queue poisson 10r/s 20 1.5"), nginxLong(exactWait(1000), "leaky-queue poisson 1000r/s 5 1")...),
			Outside: append(nginxLong(exactWait(10), "leaky-queue on-off 10r/s 5 1"), nginxLong(exactWait(1000), "nginx poisson 1000r/s 5 1")...),
		},
		{
			Text:   "nginx refuses of Poisson traffic what the queue does that takes what comes in a ms at once",
			Domain: "nginx at rates that divide 1000r/s, Poisson arrivals, long run",
			Wrong:  "a finer or a coarser clock",
			Source: "theory.SlottedQueue with slots of 1 ms", Metric: "loss", Relation: Equal,
			Points: nginxLong(cutLoss, "nginx poisson 10r/s 0 1", "nginx poisson 10r/s 5 0.8", "nginx poisson 10r/s 5 1", "nginx poisson 100r/s 0 0.8", "nginx poisson 100r/s 5 1", "nginx poisson 200r/s 0 1",
				"nginx poisson 500r/s 5 1", "nginx poisson 1000r/s 0 0.8", "nginx poisson 1000r/s 0 1", "nginx poisson 1000r/s 0 1.5", "nginx poisson 1000r/s 5 1", "nginx poisson 1000r/s 5 1.5"),
			Outside: nginxLong(cutLoss, "leaky-queue poisson 1000r/s 0 1", "nginx on-off 10r/s 5 1"),
		},
		{
			Text:   "and holds it as long as that queue",
			Domain: "nginx at rates that divide 1000r/s, Poisson arrivals, long run",
			Wrong:  "holds counted from another instant than the start of the ms",
			Source: "theory.SlottedQueue with slots of 1 ms", Metric: "delay_mean", Relation: Equal,
			Points:  nginxLong(cutWait, "nginx poisson 10r/s 5 0.8", "nginx poisson 10r/s 5 1", "nginx poisson 100r/s 5 1.5", "nginx poisson 1000r/s 5 0.8", "nginx poisson 1000r/s 5 1", "nginx poisson 1000r/s 5 1.5"),
			Outside: nginxLong(cutWait, "leaky-queue poisson 1000r/s 5 1", "nginx on-off 1000r/s 5 1"),
		},
		{
			Text:   "nginx refuses what M/D/1/K does, but for what a burst larger or smaller by the rate times 1 ms would change",
			Domain: "nginx at rates that divide 1000r/s, burst 1 and more, Poisson arrivals, long run",
			Wrong:  "a clock coarser than 1 ms, or a burst that means a request more",
			Source: "theory.TokenBucketLoss, ± theory.SlottedLossBounds: cutting a time to ms moves the work that a request finds by less than rate · 1 ms, and totals grow with the burst",
			Metric: "loss", Relation: Equal,
			Points: nginxLong(bounded, "nginx poisson 10r/s 5 0.8", "nginx poisson 10r/s 5 1", "nginx poisson 10r/s 5 1.5", "nginx poisson 20r/s 5 1", "nginx poisson 50r/s 5 1",
				"nginx poisson 100r/s 5 0.8", "nginx poisson 100r/s 5 1", "nginx poisson 1000r/s 5 1"),
			Outside: nginxLong(bounded, "nginx on-off 10r/s 5 1", "nginx on-off 1000r/s 5 1"),
		},
	}
}
