package experiments

import (
	"context"
	"fmt"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

// nginxAnswers asks what the real program was asked.
func nginxAnswers(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	for _, known := range nginxCases {
		if known.name != c.Get("case") {
			continue
		}
		s, err := nginxSpec(known.rate, known.burst, known.hold)
		if c.Get("limiter") == "leaky-queue" && err == nil {
			var rate spec.Rate
			if rate, _, err = nginxRate(known.rate); err == nil {
				s, err = nginxQueue(rate, known.burst)
			}
		}
		if err != nil {
			return err
		}
		l := lab.Limiter(s, c.Seed)
		wrong := 0.0
		for i, ms := range known.at {
			ok, held := l.Admit(time.Duration(ms)*time.Millisecond, 0, 1)
			if ok != (known.passed[i] == '1') || i < len(known.held) && held != time.Duration(known.held[i])*time.Millisecond {
				wrong++
			}
		}
		out.Set("wrong_answers", wrong)
		return nil
	}
	return fmt.Errorf("unknown case %q", c.Get("case"))
}

// nginxAtOnceSent is how many requests come at one instant.
const nginxAtOnceSent = 30

func nginxAtOnce(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	s, err := nginxSpec(c.Get("rate"), c.Get("burst"), c.Get("hold"))
	if err != nil {
		return err
	}
	l := lab.Limiter(s, c.Seed)
	var passed, held float64
	longest := time.Duration(0)
	for range nginxAtOnceSent {
		ok, wait := l.Admit(time.Second, 0, 1)
		if ok {
			passed++
		}
		if wait > 0 {
			held++
			longest = max(longest, wait)
		}
	}
	out.Set("passed", passed)
	out.Set("held", held)
	out.Set("longest", longest.Seconds())
	return nil
}

// nginxKnocks is how many requests come, one a millisecond, or more if 4 are
// not admitted of them.
const nginxKnocks = 200_000

// nginxSpacing knocks every millisecond, from when the burst is spent on.
func nginxSpacing(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	s, err := nginxSpec(c.Get("rate"), c.Get("burst"), "nodelay")
	if err != nil {
		return err
	}
	_, milli, err := nginxRate(c.Get("rate"))
	if err != nil {
		return err
	}
	l := lab.Limiter(s, c.Seed)
	leakyKnock(l, 0, c.Int("burst")+1)
	at := time.Duration(0)
	knocks := int64(nginxKnocks)
	if lab.Quick {
		knocks /= 10
	}
	admitted := max(4, min(2000, knocks*milli/1_000_000))
	for n := int64(0); n < admitted; {
		at += time.Millisecond
		if ok, _ := l.Admit(at, 0, 1); ok {
			n++
		}
	}
	out.Set("spacing", (at / time.Duration(admitted)).Seconds())
	out.Set("rate_share", float64(admitted*1_000_000)/float64(at.Milliseconds()*milli))
	return nil
}

// nginxStory counts what has left nginx by a moment.
func nginxStory(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	s, err := nginxSpec(nginxStoryRate, c.Get("burst"), c.Get("hold"))
	if err != nil {
		return err
	}
	l := lab.Limiter(s, c.Seed)
	left := 0.0
	for _, at := range nginxStoryBursts {
		for range nginxStorySize {
			if ok, held := l.Admit(at, 0, 1); ok && (at+held).Seconds() <= c.Float("moment") {
				left++
			}
		}
	}
	out.Set("passed", left)
	return nil
}

// nginxArrivals starts a cell's workload.
func nginxArrivals(c sweep.Cell, load string, rate spec.Rate) (workloads.Spec, error) {
	mean, err := leakyOffered(load, rate)
	if err != nil {
		return workloads.Spec{}, err
	}
	if c.Get("workload") == "poisson" {
		return workloads.Parse("poisson:rate=" + mean.String())
	}
	while, err := mean.Times(leakyBusy, 1)
	if err != nil {
		return workloads.Spec{}, err
	}
	on := leakyAfter(40, while)
	return workloads.Parse(fmt.Sprintf("on-off:rate=%s,on=%s,off=%s", while, on, (leakyBusy-1)*on))
}

// nginxCut runs nginx and two queues beside each other at load 1: one queue
// sees the same arrivals, the other, as nginx does, whole milliseconds.
func nginxCut(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	rate, _, err := nginxRate(c.Get("rate"))
	if err != nil {
		return err
	}
	s, err := nginxSpec(c.Get("rate"), c.Get("burst"), "")
	if err != nil {
		return err
	}
	q, err := nginxQueue(rate, c.Get("burst"))
	if err != nil {
		return err
	}
	w, err := nginxArrivals(c, "1", rate)
	if err != nil {
		return err
	}
	arrivals, err := scenario.Arrivals(w, 1, workloads.Streams(c.Seed, c.Rep, ""))
	if err != nil {
		return err
	}
	nginx, cut, uncut := lab.Limiter(s, c.Seed), q.New(c.Seed, nil), q.New(c.Seed, nil)
	length := 20_000
	if lab.Quick {
		length = 4000
	}
	unlike, unlikeUncut, most := 0.0, 0.0, time.Duration(0)
	for range length {
		a, _ := arrivals.Next()
		ok, held := nginx.Admit(a.At, 0, 1)
		if other, _ := uncut.Admit(a.At, 0, 1); other != ok {
			unlikeUncut++
		}
		other, wait := cut.Admit(a.At.Truncate(time.Millisecond), 0, 1)
		if other != ok {
			unlike++
		} else if ok {
			most = max(most, wait-held, held-wait)
		}
	}
	out.Set("unlike_queue", unlike)
	out.Set("unlike_queue_uncut", unlikeUncut/float64(length))
	out.Set("hold_gap", most.Seconds())
	return nil
}

// nginxPoisson measures loss and hold over a long run that begins stationary.
func nginxPoisson(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	rate, _, err := nginxRate(c.Get("rate"))
	if err != nil {
		return err
	}
	var s limiters.Spec
	if c.Get("limiter") == "nginx" {
		s, err = nginxSpec(c.Get("rate"), c.Get("burst"), "")
	} else {
		s, err = nginxQueue(rate, c.Get("burst"))
	}
	if err != nil {
		return err
	}
	w, err := nginxArrivals(c, c.Get("load"), rate)
	if err != nil {
		return err
	}
	config := scenario.Default(s, w)
	config.Seed, config.Rep = c.Seed, c.Rep
	return leakyStationary(ctx, lab, c, config, c.Int("burst")+1, rate, out)
}
