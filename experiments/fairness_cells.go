package experiments

import (
	"context"
	"fmt"
	"math"
	"time"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/experiments/theory"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// fairTenants counts the requests of tenants.
type fairTenants struct {
	demands  []float64 // requests a second
	capacity float64   // requests a second that all may have
	first    int       // the tenant that the question is about
	seconds  float64
	came     []float64
	passed   []float64
}

func newFairTenants(demands []float64, capacity float64, first int) *fairTenants {
	return &fairTenants{demands: demands, capacity: capacity, first: first, came: make([]float64, len(demands)), passed: make([]float64, len(demands))}
}

// report sets the metrics.
func (t *fairTenants) report(out *sweep.Row) error {
	var came, passed float64
	for i := range t.came {
		came, passed = came+t.came[i], passed+t.passed[i]
	}
	if came == 0 {
		return errNoTenant
	}
	first := 1 - t.passed[t.first]/t.came[t.first]
	others := 1 - (passed-t.passed[t.first])/(came-t.came[t.first])
	out.Set("loss_first", first)
	out.Set("loss_others", others)
	out.Set("loss_gap", first-others)
	out.Set("first_share", t.passed[t.first]/passed)
	out.Set("used_share", passed/t.seconds/t.capacity)
	fair, worst := make([]float64, len(t.passed)), math.Inf(1)
	for i, share := range theory.MaxMinShares(t.demands, t.capacity) { // never above the demand
		fair[i] = t.passed[i] / t.seconds / share
		worst = min(worst, fair[i])
	}
	out.Set("jain", fairJain(fair))
	out.Set("jain_raw", fairJain(t.passed))
	out.Set("worst_share", worst)
	return nil
}

// fairJain is theory.JainIndex in sums that round alike on all machines.
func fairJain(shares []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range shares {
		sum += x
		squares += float64(x * x)
	}
	return sum / squares * sum / float64(len(shares))
}

// fairLayers makes the limits of a cell: all for everybody together, each for
// every tenant.
func fairLayers(lab Lab, c sweep.Cell, algorithm string, all, each int64) (*limiters.Layers, limiters.LayersSpec, error) {
	var texts []string
	for _, layer := range []struct {
		column string
		limit  int64
		absent string
	}{{"user", each, "global"}, {limiters.Global, all, "key"}} {
		if c.Get("limits") == layer.absent {
			continue
		}
		text, err := fairLimit(algorithm, layer.limit)
		if err != nil {
			return nil, limiters.LayersSpec{}, err
		}
		texts = append(texts, layer.column+"="+text)
	}
	s, err := limiters.ParseLayers(texts, limiters.ChargeAdmitted)
	if err != nil {
		return nil, s, err
	}
	return lab.Layers(s, c.Seed), s, nil
}

// fairWarm is left out at the start: a full bucket is half a second ahead of
// one that is used up, and windows forget sooner.
const fairWarm = 10 * time.Second

// run sends what sources have through limits, up to an end. With one source
// its keys are the tenants, with several each is one.
func (t *fairTenants) run(c sweep.Cell, layers *limiters.Layers, s limiters.LayersSpec, end time.Duration, sources ...string) error {
	next := make([]workloads.Arrival, len(sources))
	streams := make([]workloads.Workload, len(sources))
	for i, source := range sources {
		w, err := workloads.Parse(source)
		if err != nil {
			return err
		}
		if streams[i], err = scenario.Arrivals(w, 1, workloads.Streams(c.Seed, c.Rep, fmt.Sprintf("fairness %d", i))); err != nil {
			return err
		}
		next[i], _ = streams[i].Next()
	}
	t.seconds = (end - fairWarm).Seconds()
	user := -1 // the layer whose key is the tenant
	for i, layer := range s.Layers {
		if layer.Column != limiters.Global {
			user = i
		}
	}
	keys := make([]uint32, len(s.Layers))
	for {
		soonest := 0
		for i := range next {
			if next[i].At < next[soonest].At {
				soonest = i
			}
		}
		a := next[soonest]
		if a.At >= end {
			return nil
		}
		next[soonest], _ = streams[soonest].Next()
		tenant := a.Key
		if len(sources) > 1 {
			tenant = uint32(soonest)
		}
		if user >= 0 {
			keys[user] = tenant
		}
		_, by := layers.Admit(a.At, keys, 1)
		if a.At < fairWarm {
			continue
		}
		t.came[tenant]++
		if by < 0 {
			t.passed[tenant]++
		}
	}
}

// fairEnd is when about n requests have come, at a rate a second; a
// sixteenth of them in a quick run.
func fairEnd(lab Lab, n, perSecond float64) time.Duration {
	if lab.Quick {
		n /= 16
	}
	return fairWarm + time.Duration(n/perSecond)*time.Second
}

func fairPoisson(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	limit := c.Int("limit")
	rate, err := fairOffered(c.Get("load"), limit)
	if err != nil {
		return err
	}
	layers, s, err := fairLayers(lab, c, c.Get("algorithm"), limit, limit/fairZipf)
	if err != nil {
		return err
	}
	demands := theory.Zipf(fairZipf, 1)
	for i := range demands {
		demands[i] *= rate.PerSecond()
	}
	t := newFairTenants(demands, float64(limit), 0)
	if err := t.run(c, layers, s, fairEnd(lab, 150_000, rate.PerSecond()), fmt.Sprintf("tenants:rate=%s,keys=%d,zipf=1", rate, fairZipf)); err != nil {
		return err
	}
	return t.report(out)
}

// fairTwo is parts batches and bursty: two tenants with equal means, of which
// the second is Poisson.
func fairTwo(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	limit := c.Int("limit")
	rate, err := fairOffered(c.Get("load"), limit)
	if err != nil {
		return err
	}
	half, err := rate.Times(1, 2)
	if err != nil {
		return err
	}
	layers, s, err := fairLayers(lab, c, c.Get("algorithm"), limit, limit/2)
	if err != nil {
		return err
	}
	var first string
	n := 30_000.0
	switch {
	case c.Get("part") == "batches":
		n = 320_000
		first = fmt.Sprintf("batch:rate=%s,size=%s", half, c.Get("size"))
	case c.Get("first") == "on-off":
		first = fmt.Sprintf("on-off:rate=%s,on=1s,off=1s", rate)
	default:
		first = fmt.Sprintf("%s:rate=%s", c.Get("first"), half)
	}
	t := newFairTenants([]float64{half.PerSecond(), half.PerSecond()}, float64(limit), 0)
	if err := t.run(c, layers, s, fairEnd(lab, n, rate.PerSecond()), first, fmt.Sprintf("poisson:rate=%s", half)); err != nil {
		return err
	}
	return t.report(out)
}

func fairGreedy(_ context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	each := int64(0)
	if c.Get("each") != "" {
		each = c.Int("each")
	}
	layers, s, err := fairLayers(lab, c, c.Get("algorithm"), fairCapacity, each)
	if err != nil {
		return err
	}
	greedy := c.Int("greedy")
	demands := make([]float64, fairPolite+1)
	for i := range demands {
		demands[i] = fairDemand
	}
	demands[fairPolite] *= float64(greedy)
	t := newFairTenants(demands, fairCapacity, fairPolite)
	n := 120_000. // of the others
	if lab.Quick {
		n /= 2
	}
	end := fairEnd(lab, n, fairPolite*fairDemand)
	if err := t.run(c, layers, s, end, fmt.Sprintf("tenants:rate=%d/s,keys=%d,zipf=0,greedy=%d", fairPolite*fairDemand, fairPolite, greedy)); err != nil {
		return err
	}
	return t.report(out)
}

// fairSpread is how long a spread-out retry waits at most.
const fairSpread = 4 * time.Second

// fairRude: the rude tenant is the second policy of the mix.
func fairRude(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	rate, err := fairOffered(c.Get("load"), fairRate)
	if err != nil {
		return err
	}
	attempts := c.Int("retries") + 1
	rude := fmt.Sprintf("backoff:base=%s,cap=%[1]s,attempts=%d", fairSpread, attempts)
	if c.Get("manner") == "loop" {
		rude = fmt.Sprintf("rude:every=50ms,attempts=%d", attempts)
	}
	var w scenario.Config
	if w.Clients, err = clients.ParseMix("none * 0.5", rude+" * 0.5"); err != nil {
		return err
	}
	if w.Workload, err = workloads.Parse("poisson:rate=" + rate.String()); err != nil {
		return err
	}
	var texts []string
	if c.Get("limits") != "key" {
		texts = append(texts, fmt.Sprintf("global=token-bucket:rate=%d/s,burst=%d", fairRate, fairBurst))
	}
	if c.Get("limits") != "global" {
		texts = append(texts, fmt.Sprintf("user=token-bucket:rate=%d/s,burst=%d", fairRate/fairAlike, fairBurst/fairAlike))
	}
	if w.Layers, err = limiters.ParseLayers(texts, limiters.ChargeAdmitted); err != nil {
		return err
	}
	longest := time.Duration(attempts) * fairSpread // from a request to its last attempt
	demands := make([]float64, fairAlike)
	for i := range demands {
		demands[i] = rate.PerSecond() / fairAlike
	}
	length := 1500 * time.Second
	if lab.Quick {
		length = 15 * time.Second
	}
	counts := &fairCounts{from: longest, to: longest + length, of: newFairTenants(demands, fairRate, -1)}
	w.Servers, w.Keys, w.Seed, w.Rep = 1, fairAlike, c.Seed, c.Rep
	w.Horizon, w.Measure.Clients, w.Observer = counts.to+longest+time.Second, true, counts
	if _, err := lab.Simulate(ctx, w); err != nil {
		return err
	}
	if counts.of.first < 0 {
		return errNoTenant
	}
	counts.of.seconds = length.Seconds()
	out.Set("attempts_first", counts.attempts/counts.of.came[counts.of.first])
	return counts.of.report(out)
}

// fairCounts counts the requests that begin in from..to by their last outcome.
type fairCounts struct {
	from, to time.Duration
	of       *fairTenants
	attempts float64 // of the rude tenant
}

func (*fairCounts) Sent(time.Duration, int, contract.Request, int64)           {}
func (*fairCounts) Heard(time.Duration, int, contract.Request, contract.Reply) {}

// Ended counts a request.
func (f *fairCounts) Ended(_ time.Duration, e clients.Ended) {
	if e.Since < f.from || e.Since >= f.to {
		return
	}
	f.of.came[e.Key]++
	if e.Policy == 1 {
		f.of.first = int(e.Key)
		f.attempts += float64(e.Attempts)
	}
	if e.End == clients.Succeeded {
		f.of.passed[e.Key]++
	}
}
