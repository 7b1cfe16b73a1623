package advise

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/logs"
	"ratelab/logs/fit"
)

// Candidate is a rate and a burst that a limit could have.
type Candidate struct {
	Rate  fit.Rate
	Burst int64  // >= 1
	From  string // what speaks for it
}

// String writes it as the parameters of a spec.
func (c Candidate) String() string { return fmt.Sprintf("rate=%s,burst=%d", c.Rate.Text, c.Burst) }

// Candidates are the points that fit finds for a share of the keys and of the requests: the knee of the keys, the knee
// of the requests, and the smallest burst at the knee's rate that refuses nothing. Of a log for which there is no knee
// it is the highest rate that was fitted.
func Candidates(a *fit.Analysis) []Candidate {
	var list []Candidate
	add := func(p fit.Point, from string) {
		for i := range list {
			if list[i].Rate.Rate == p.Rate.Rate && list[i].Burst == p.Burst {
				list[i].From += ", " + from
				return
			}
		}
		list = append(list, Candidate{p.Rate, max(1, p.Burst), from})
	}
	if a.Knee != nil {
		add(*a.Knee, fmt.Sprintf("knee of %s %% of the keys", a.Knee.Share.Percent()))
	}
	if a.RequestKnee != nil {
		add(*a.RequestKnee, fmt.Sprintf("knee of %s %% of the requests", a.RequestKnee.Share.Percent()))
	}
	shares := a.Frontier.Shares
	line := a.Frontier.Line(fit.Keys, shares[len(shares)-1])
	for i, p := range line {
		if a.Knee != nil && p.Rate == a.Knee.Rate || a.Knee == nil && i == len(line)-1 {
			add(p, fmt.Sprintf("refuses nothing to %s %% of the keys", p.Share.Percent()))
		}
	}
	return list
}

// Limiters returns the canonical limiters of a candidate, those that decide alike one after the other.
//
// Equal for all is the rate; and, but for the meter, what is admitted at once: the burst of a bucket, one and the queue
// behind it, the limit of a window, which is then as long as the bucket takes to fill up, rounded up to whole ns.
func (c Candidate) Limiters() ([]limiters.Spec, error) {
	window, err := c.Window()
	if err != nil {
		return nil, err
	}
	rate, length := c.Rate.Text, spec.FormatDuration(window)
	var list []limiters.Spec
	for _, text := range []string{
		fmt.Sprintf("token-bucket:rate=%s,burst=%d", rate, c.Burst),
		fmt.Sprintf("gcra:rate=%s,burst=%d", rate, c.Burst),
		fmt.Sprintf("sliding-counter:limit=%d,window=%s", c.Burst, length),
		fmt.Sprintf("sliding-log:limit=%d,window=%s", c.Burst, length),
		fmt.Sprintf("fixed-window:limit=%d,window=%s", c.Burst, length),
		fmt.Sprintf("leaky-queue:rate=%s,queue=%d", rate, c.Burst-1),
		fmt.Sprintf("leaky-meter:rate=%s", rate),
	} {
		s, err := limiters.Parse(text)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// Window is how long a bucket takes to fill up: burst/rate, rounded up to whole ns.
func (c Candidate) Window() (time.Duration, error) {
	ns := new(big.Int).Mul(big.NewInt(c.Burst), big.NewInt(int64(c.Rate.P)))
	ns.Add(ns, big.NewInt(c.Rate.N-1)).Div(ns, big.NewInt(c.Rate.N))
	if !ns.IsInt64() {
		return 0, fmt.Errorf("a bucket of %s fills up after more than 292 years", c)
	}
	return time.Duration(ns.Int64()), nil
}

// atOnce returns the most that a limiter may let one key have within a moment, however the requests come: the capacity;
// twice that of a window that forgets at its end; one of a queue, which lets go of one after the other.
func atOnce(s limiters.Spec) int64 {
	switch s.Name() {
	case "leaky-queue":
		return min(1, s.Capacity())
	case "fixed-window", "envoy-ratelimit", "go-limiter", "gubernator-token", "kong", "resilience4j", "ulule":
		return 2 * s.Capacity()
	}
	return s.Capacity()
}

// exposure is the rate times what may come at once, by which fit finds its knee too; nil if nothing is ever admitted.
func exposure(s limiters.Spec) *big.Rat {
	r, ok := s.Rate()
	if !ok {
		return new(big.Rat)
	}
	q := big.NewRat(r.N, int64(r.P))
	return q.Mul(q, new(big.Rat).SetInt64(atOnce(s)))
}

// addCandidates adds what the goals ask for, where no candidate does it yet: the promise itself, and the highest usual
// rate under which token buckets keep all keys together below what stands behind. Their burst is what the rate brings in
// the interval of that, at most the largest burst of the other candidates.
func (r *Report) addCandidates(ctx context.Context) error {
	if p := r.Options.Goals.Promise; p != nil {
		r.Candidates = append(r.Candidates, Candidate{p.Rate, p.Burst, "the promise"})
	}
	largest, fastest := int64(1), spec.Rate{}
	for _, c := range r.Candidates {
		largest = max(largest, c.Burst)
		if fastest.N == 0 || perSecond(c.Rate.Rate).Cmp(perSecond(fastest)) > 0 {
			fastest = c.Rate.Rate
		}
	}
	p := r.Options.Goals.Protect
	if p == nil {
		return nil
	}
	keeps := func(c Candidate) (bool, error) {
		s, err := limiters.Parse("token-bucket:" + c.String())
		if err != nil {
			return false, &logs.InputError{Err: err}
		}
		o, err := r.Options.World.Run(ctx, r.Demands[0].Records, r.Input.Keys, s, r.Meter)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return err == nil && o.Total <= p.Most, nil
	}
	for _, c := range r.Candidates {
		if ok, err := keeps(c); ok || err != nil {
			return err
		}
	}
	rates := fit.UsualRates()
	for i := len(rates) - 1; i >= 0; i-- {
		rate := rates[i]
		if perSecond(rate.Rate).Cmp(perSecond(fastest)) > 0 {
			continue
		}
		brings := new(big.Rat).Mul(perSecond(rate.Rate), big.NewRat(int64(p.Every), int64(time.Second)))
		burst := int64(1)
		if whole := new(big.Int).Quo(brings.Num(), brings.Denom()); whole.IsInt64() {
			burst = max(1, min(largest, whole.Int64()))
		}
		c := Candidate{rate, burst, "the highest usual rate that keeps all keys together below " + p.Text}
		ok, err := keeps(c)
		if err != nil {
			return err
		}
		if ok {
			r.Candidates = append(r.Candidates, c)
			return nil
		}
	}
	return nil
}

// perSecond is a rate in requests a second, exactly.
func perSecond(r spec.Rate) *big.Rat {
	return new(big.Rat).Mul(big.NewRat(r.N, int64(r.P)), new(big.Rat).SetInt64(int64(time.Second)))
}
