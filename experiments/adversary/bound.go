package adversary

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ratelab/experiments/theory"
	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// Bound is what mathematics says is the most harm that any arrivals can do.
type Bound struct {
	Most   float64 // requests, a share, or ns
	Source string  // why
}

// Bound returns the proved bound; ok is false if none is known. It is one of
// requests of one key and cost 1, as the search sends them.
func (c Config) Bound() (b Bound, ok bool) {
	c = c.Filled()
	shares, ok := c.buckets()
	if !ok {
		return Bound{}, false
	}
	switch c.Harm {
	case Deficit:
		return c.deficitBound(shares)
	case Delay:
		return c.delayBound(shares)
	}
	each := make([]Bound, len(shares))
	for i, share := range shares {
		if each[i], ok = envelope(share, c.Within); !ok {
			return Bound{}, false
		}
	}
	switch c.kind() {
	case "leased":
		return c.leaseBound(each[0])
	case "local", "quota", "synced":
		return together(each, name(c.Balancer.String()) == "hash"), true
	default:
		return together(each, false), true
	}
}

// kind is the coordination's name.
func (c Config) kind() string { return name(c.Coordination.String()) }

func name(spec string) string {
	name, _, _ := strings.Cut(spec, ":")
	return name
}

// buckets returns the limits that are enforced, each by its own count, if
// nothing else lets requests in.
func (c Config) buckets() ([]limiters.Spec, bool) {
	text := c.Coordination.String()
	switch c.kind() {
	case "local", "quota":
	case "central", "sharded", "leased":
		if strings.Contains(text, "timeout=") {
			return nil, false // what a server does then may be to admit
		}
	case "synced":
		if strings.Contains(text, "own=ignore") {
			return nil, false
		}
	default:
		return nil, false // shares that move, and races
	}
	f, err := fleet.New(c.fleet(), nil)
	if err != nil {
		return nil, false
	}
	shares := f.Shares()
	return shares, len(shares) > 0
}

// together adds up the envelopes of several limits, or takes the largest if all
// requests come to one of them.
func together(each []Bound, one bool) Bound {
	largest := slices.MaxFunc(each, func(a, b Bound) int { return cmp.Compare(a.Most, b.Most) })
	if one || len(each) == 1 {
		return largest
	}
	sum, equal := 0.0, true
	for _, b := range each {
		sum += b.Most
		equal = equal && b == each[0]
	}
	if equal {
		return Bound{sum, fmt.Sprintf("%d times %s", len(each), largest.Source)}
	}
	return Bound{sum, fmt.Sprintf("the sum over %d shares, of the largest %s", len(each), largest.Source)}
}

// leaseBound adds what leases hold at the beginning of an interval to what is
// granted in it; but leases that die with a fixed window add nothing where the
// store answers at once (the proof is in the comment on leases in package fleet).
// Grants must come as late as each other.
func (c Config) leaseBound(granted Bound) (Bound, bool) {
	if _, fixed := c.RTT.Fixed(); !fixed {
		return Bound{}, false
	}
	text := c.Coordination.String()
	if c.Limiter.Name() == "fixed-window" && c.RTT.IsZero() && !strings.Contains(text, "capacity=") && (!strings.Contains(text, "ttl=") || strings.Contains(text, "ttl=window")) {
		return Bound{granted.Most, granted.Source + ", whose leases die with their window"}, true
	}
	batch := int64(0)
	for pair := range strings.SplitSeq(text, ",") {
		if _, value, found := strings.Cut(pair, "batch="); found {
			batch, _ = spec.ParseCount(value)
		}
	}
	held := theory.LeaseOutliving(c.Servers, int(batch))
	return Bound{granted.Most + held, granted.Source + ", granted, and N(k-1) held by leases before"}, batch > 0
}

// deficitBound is for limits of which each sees all requests, or is whole.
func (c Config) deficitBound(shares []limiters.Spec) (Bound, bool) {
	if c.kind() != "local" && c.kind() != "central" || countsAll(c.Limiter) {
		return Bound{}, false
	}
	limit := shares[0].Capacity()
	switch c.Limiter.Name() {
	case "fixed-window":
		return Bound{theory.WindowDeficitMost(limit), "in each of its windows it admits as many as it can, and a log no more"}, true
	case "sliding-log":
		return Bound{0, "no choice of requests of equal cost is larger than a log's"}, true
	case "sliding-counter":
		return Bound{theory.CounterDeficitMost(limit), "in each window the log admits no more than the counter does in it and the one before"}, true
	}
	return Bound{}, false
}

// delayBound is for limiters that hold requests by themselves, and fixed round
// trips to a store that has no queue.
func (c Config) delayBound(shares []limiters.Spec) (Bound, bool) {
	trip, fixed := c.RTT.Fixed()
	if c.kind() != "local" && c.kind() != "quota" && c.kind() != "central" || !fixed || strings.Contains(c.Coordination.String(), "capacity=") {
		return Bound{}, false
	}
	if !slices.Contains(limiters.Canonical(), c.Limiter.Name()) {
		return Bound{}, false
	}
	b := Bound{0, "it holds nothing back"}
	for _, share := range shares {
		if share.Name() != "leaky-queue" {
			continue
		}
		r, _ := share.Rate()
		if d := theory.QueueDelayMost(share.Capacity()-1, r.N, r.P); d > b.Most {
			b = Bound{d, "queue/rate, of the last of queue + 1 requests at one instant"}
		}
	}
	if trip > 0 {
		b = Bound{b.Most + float64(trip), "one round trip; " + b.Source}
	}
	return b, !math.IsNaN(b.Most)
}

// envelope returns the most that one limiter admits in a half-open interval of
// whole ns, and the formula: w is the interval, T the window, L the limit.
func envelope(l limiters.Spec, within time.Duration) (Bound, bool) {
	limit := l.Capacity()
	window, _ := l.Window()
	var b Bound
	switch l.Name() {
	case "fixed-window":
		b = Bound{theory.FixedWindowEnvelopeOnClock(limit, window, within), "L(⌊(w-2ns)/T⌋+2), windows on a clock"}
		if l.Param("origin") == "first" && within <= window && window >= 2 {
			b = Bound{theory.FirstRequestWindowEnvelopeOnClock(limit, window, within), "2L-1, windows that open with a request"}
		}
	case "sliding-log":
		b = Bound{theory.LogEnvelope(limit, window, within), "L⌈w/T⌉, the log's envelope"}
	case "sliding-counter":
		rule, formula := theory.Fits, "L+⌊L(w-2ns)/T⌋, rule fits"
		if l.Param("rule") == "below" {
			rule, formula = theory.Below, "L+⌈L(w-2ns)/T⌉, rule below"
		}
		b = Bound{theory.CounterEnvelopeOnClock(rule, limit, window, within), formula}
		if within == 2*window && int64(window) > 2*limit {
			b = Bound{theory.CounterTwoWindowEnvelope(rule, limit), "the counter's envelope over two windows"}
		}
	case "token-bucket", "gcra", "leaky-meter", "leaky-queue":
		if l.Param("refill") == "interval" {
			number, per, _ := strings.Cut(l.Param("rate"), "/")
			tokens, err1 := spec.ParseCount(number)
			if per != "" && strings.Trim(per[:1], "0123456789") != "" {
				per = "1" + per
			}
			every, err2 := spec.ParseDuration(per)
			if err1 != nil || err2 != nil {
				return Bound{}, false // a fraction of a token may be left
			}
			b = Bound{theory.TickBucketEnvelopeOnClock(limit, tokens, every, within), "B + as many refills as touch w"}
			break
		}
		r, _ := l.Rate()
		b = Bound{theory.TokenBucketEnvelopeOnClock(limit, r.N, r.P, within), "B+⌊r(w-1ns)⌋, the bucket's envelope"}
		if limit == 1 {
			b.Source = "1+⌊(w-1ns)/⌈1/r⌉⌋, one at a time"
		}
	default:
		return Bound{}, false
	}
	if limit == 0 {
		return Bound{0, "a limit of 0 admits nothing"}, true
	}
	return b, !math.IsNaN(b.Most)
}

func countsAll(l limiters.Spec) bool { return l.Param("count") == "all" }
