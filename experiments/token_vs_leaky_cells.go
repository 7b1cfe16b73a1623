package experiments

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"ratelab/des/metrics"
	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

// leakyScenario is the world of a cell: its limiter, one server, one key.
func leakyScenario(c sweep.Cell) (scenario.Config, spec.Rate, error) {
	l, rate, err := leakyLimiter(c, c.Get("burst"))
	if err != nil {
		return scenario.Config{}, rate, err
	}
	w, err := leakyWorkload(c, rate)
	config := scenario.Default(l, w)
	config.Seed, config.Rep = c.Seed, c.Rep
	return config, rate, err
}

// leakyCapacity is the burst of a cell, 1 for the meter.
func leakyCapacity(c sweep.Cell) int64 {
	if c.Get("burst") == "" {
		return 1
	}
	return c.Int("burst")
}

// leakyLength returns how many emission intervals a stationary loss is
// measured over, at least 100·b². A pilot run chose 50,000·b: with 40
// replications the losses that are claimed are then known to 2 % of their
// scale with room to spare. Above load 1 a loss varies less; where b·(1-load)
// is above 3 it is rare, and not claimed. The theory that is tested has no say
// in what is run. A quick run, which is stationary too, is shorter where a loss
// is known soon, and where it is too rare to be known soon.
func leakyLength(burst int64, load float64, quick bool) int64 {
	n := 50_000 * burst
	if load > 1 || float64(burst)*(1-load) > 3 {
		n = min(n, 200_000)
	}
	n = max(n, 100*burst*burst)
	if !quick {
		return n
	}
	if load >= 2 || load < 1 && burst > 2 {
		return min(n, 5000)
	}
	return min(n, 15_000)
}

// leakyForget returns how many emission intervals a bucket takes to forget
// that it began full. The level is a walk between two walls b apart, whose
// slowest mode dies with exp(-t·π²/(2b²)) at load 1, faster at others: after
// 10·b² the start weighs exp(-49). The metrics begin there, stationary.
func leakyForget(burst int64) int64 { return 10*burst*burst + 100 }

func leakyLoss(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	config, rate, err := leakyScenario(c)
	if err != nil {
		return err
	}
	return leakyStationary(ctx, lab, c, config, leakyCapacity(c), rate, out)
}

// leakyStationary measures what a limiter with room for so many loses, after
// it has forgotten how it began.
func leakyStationary(ctx context.Context, lab Lab, c sweep.Cell, config scenario.Config, room int64, rate spec.Rate, out *sweep.Row) error {
	forget := leakyForget(room)
	config.Warmup = leakyAfter(forget, rate)
	config.Horizon = leakyAfter(forget+leakyLength(room, c.Float("load"), lab.Quick), rate)
	r, err := lab.Simulate(ctx, config)
	if err != nil {
		return err
	}
	out.Set("loss", r.Get("refused")/r.Get("offered"))
	out.Set("delay_mean", r.Get("delay_mean"))
	out.Set("admitted_over_rate", r.Get("admitted_over_rate"))
	return nil
}

// leakySpan is how many emission intervals the identity is checked over, from
// a full bucket on. It holds over any span but for the tokens in the bucket at
// its ends: |gap| <= b/leakySpan.
const leakySpan = 5000

func leakyIdentity(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	config, rate, err := leakyScenario(c)
	if err != nil {
		return err
	}
	config.Horizon = leakyAfter(leakySpan, rate)
	var admitted, full float64
	if c.Get("limiter") == "token-bucket-interval" {
		admitted, full, err = leakyInSteps(lab, config, rate)
	} else {
		config.Measure.Level = true
		var r scenario.Result
		r, err = lab.Simulate(ctx, config)
		admitted, full = r.Get("admitted_over_rate"), r.Get("level_full_share")
	}
	if err != nil {
		return err
	}
	out.Set("admitted_over_rate", admitted)
	out.Set("level_full_share", full)
	out.Set("identity_gap", admitted-(1-full))
	return nil
}

// leakyInSteps runs a bucket that is refilled at once, rate.N tokens each
// rate.P, and looks at its tokens, which are whole, after each refill and each
// request.
func leakyInSteps(lab Lab, config scenario.Config, rate spec.Rate) (admittedOverRate, fullShare float64, err error) {
	arrivals, err := scenario.Arrivals(config.Workload, 1, workloads.Streams(config.Seed, config.Rep, ""))
	if err != nil {
		return 0, 0, err
	}
	l := lab.Limiter(config.Limiter, config.Seed)
	level := metrics.NewSteppedLevel(float64(config.Limiter.Capacity()), metrics.Span{End: config.Horizon})
	look := func(t time.Duration) { level.Observe(t, float64(l.Ask(t, 0, 1).Remaining)) }
	var counts metrics.Counts
	refill := time.Duration(0)
	refillUntil := func(t time.Duration) {
		for ; refill <= t; refill += rate.P {
			look(refill)
		}
	}
	for a, ok := arrivals.Next(); ok && a.At < config.Horizon; a, ok = arrivals.Next() {
		refillUntil(a.At)
		admitted, _ := l.Admit(a.At, 0, 1)
		counts.Count(1, admitted)
		look(a.At)
	}
	refillUntil(config.Horizon - 1)
	level.Finish()
	return counts.AdmittedOverRate(config.Horizon, rate.N, rate.P), level.FullShare(), nil
}

// leakyKnock sends n requests at one instant and returns how many are admitted
// and which is the first to be refused, from 1; 0 if none is.
func leakyKnock(l limiters.Limiter, at time.Duration, n int64) (admitted, firstRefused int64) {
	for i := range n {
		ok, _ := l.Admit(at, 0, 1)
		switch {
		case ok:
			admitted++
		case firstRefused == 0:
			firstRefused = i + 1
		}
	}
	return admitted, firstRefused
}

// leakyAtOnce: more requests than the burst at one instant.
func leakyAtOnce(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	s, _, err := leakyLimiter(c, c.Get("burst"))
	if err != nil {
		return err
	}
	_, refused := leakyKnock(lab.Limiter(s, c.Seed), 0, 2*leakyCapacity(c)+1)
	if refused > 0 {
		out.Set("first_refused", float64(refused))
	}
	return nil
}

// leakySteadyAfter: a burst empties the bucket, then requests come at an even
// pace. The level rises between requests, so that it is highest just before
// one.
func leakySteadyAfter(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	s, rate, err := leakyLimiter(c, c.Get("burst"))
	if err != nil {
		return err
	}
	pace, err := leakyOffered(c.Get("load"), rate)
	if err != nil {
		return err
	}
	l := lab.Limiter(s, c.Seed)
	bucket, ok := l.(limiters.Leveled)
	if !ok {
		return fmt.Errorf("%s has no level", s)
	}
	leakyKnock(l, 0, leakyCapacity(c))
	highest := bucket.Level(0, 0)
	for k := range int64(100) {
		at := leakyAfter(k+1, pace)
		highest = max(highest, bucket.Level(at, 0))
		leakyKnock(l, at, 1)
	}
	out.Set("highest_level", highest)
	return nil
}

// leakyIdle is for how many emission intervals nobody comes.
const leakyIdle = 3

// leakyIdleThenBurst: all tokens but one are spent, nobody comes for a while,
// then a burst comes.
func leakyIdleThenBurst(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	s, rate, err := leakyLimiter(c, c.Get("burst"))
	if err != nil {
		return err
	}
	l := lab.Limiter(s, c.Seed)
	leakyKnock(l, 0, leakyCapacity(c)-1)
	admitted, _ := leakyKnock(l, leakyAfter(leakyIdle, rate), 2*leakyIdle)
	out.Set("burst_admitted", float64(admitted))
	return nil
}

// Windows of a flood: after the first ones the initial burst is spent and the
// counts repeat, window by window or, for the counter of limit 1, in pairs.
const (
	leakyFloodWarmup  = 10
	leakyFloodWindows = 20
)

func leakyFlood(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	config, _, err := leakyScenario(c)
	if err != nil {
		return err
	}
	config.Warmup = leakyFloodWarmup * time.Second
	config.Horizon = config.Warmup + leakyFloodWindows*time.Second
	r, err := lab.Simulate(ctx, config)
	if err != nil {
		return err
	}
	out.Set("admitted_per_window", r.Get("admitted")/leakyFloodWindows)
	return nil
}

// leakyFit finds the smallest burst that refuses nothing by its definition,
// and tries it, and one less, on the limiter.
func leakyFit(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	rate, err := spec.ParseRate(c.Get("rate"))
	if err != nil {
		return err
	}
	w, err := leakyWorkload(c, rate)
	if err != nil {
		return err
	}
	arrivals, err := scenario.Arrivals(w, 1, workloads.Streams(c.Seed, c.Rep, ""))
	if err != nil {
		return err
	}
	var times []time.Duration
	end := leakyAfter(leakyFitLength, rate)
	for a, ok := arrivals.Next(); ok && a.At < end; a, ok = arrivals.Next() {
		times = append(times, a.At)
	}
	needed := smallestBurst(times, rate)
	refused := func(burst int64) (n int, err error) {
		s, _, err := leakyLimiter(c, strconv.FormatInt(burst, 10))
		if err != nil {
			return 0, err
		}
		l := lab.Limiter(s, c.Seed)
		for _, t := range times {
			if ok, _ := l.Admit(t, 0, 1); !ok {
				n++
			}
		}
		return n, nil
	}
	enough, err := refused(needed)
	if err != nil {
		return err
	}
	tooFew, err := refused(needed - 1)
	if err != nil {
		return err
	}
	out.Set("burst_needed", float64(needed))
	fits := 0.0
	if enough == 0 && tooFew > 0 {
		fits = 1
	}
	out.Set("fits_exactly", fits)
	return nil
}

// leakyFitLength is how many emission intervals of arrivals are looked at: half
// an hour at 2/s.
const leakyFitLength = 3600

// The story of the cloudbursts: bursts at an even pace within a second, then
// silence. Between two bursts come 16 tokens, one more than fit.
const (
	leakyStorySeconds = 32
	leakyStoryFirst   = 2 // second of the first burst
	leakyStoryPeriod  = 8 // seconds from burst to burst
	leakyStorySize    = 18
	leakyStoryBurst   = "15"
)

// leakyCloudburst counts what passes in one second of the story.
func leakyCloudburst(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	s, _, err := leakyLimiter(c, c.Get("burst"))
	if err != nil {
		return err
	}
	l := lab.Limiter(s, c.Seed)
	second := c.Int("second")
	in := func(t time.Duration) bool { return int64(t/time.Second) == second }
	offered, passed := 0, 0
	for start := leakyStoryFirst; start < leakyStorySeconds; start += leakyStoryPeriod {
		for i := range leakyStorySize {
			at := time.Duration(start)*time.Second + time.Duration(i)*time.Second/leakyStorySize
			if in(at) {
				offered++
			}
			if ok, delay := l.Admit(at, 0, 1); ok && in(at+delay) {
				passed++
			}
		}
	}
	out.Set("offered_in_second", float64(offered))
	out.Set("passed_in_second", float64(passed))
	return nil
}
