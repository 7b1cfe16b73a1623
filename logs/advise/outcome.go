package advise

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/logs"
	"ratelab/logs/fit"
	"ratelab/logs/replay"
)

// Outcome is what a limiter makes of a log.
type Outcome struct {
	Limiter   limiters.Spec
	Candidate int // its place in the list; -1: it was asked for as it is

	Requests  int64 // that the log's clients had
	Attempts  int64 // that they sent for them
	Refused   int64 // attempts
	TimedOut  int64 // attempts
	Succeeded int64 // requests
	Lost      int64 // requests that were given up
	Waiting   int64 // requests that were neither an hour after the last request of the log

	KeysRefused int               // keys with a refused attempt
	Worst       replay.KeyRefused // the key refused most, of several the first by its text; its requests are attempts
	Minute      int64             // the Unix minute with most refusals, the first of several, in seconds
	InMinute    int64             // how many there were

	OneKey int64 // the most work admitted of one key in any half-open interval of Meter.Key
	Total  int64 // the most work admitted in any half-open interval of Meter.Total

	MeanWait, MaxWait time.Duration // from a request to its success

	KeysHeld int   // keys that the limiter has a state for
	Bytes    int64 // that one copy of all states takes
	Copies   int   // of each state, in a fleet

	Promise *Kept // nil if nothing was promised
}

// Unserved returns the share of the requests that did not succeed.
func (o *Outcome) Unserved() float64 { return float64(o.Lost+o.Waiting) / float64(o.Requests) }

// AtOnce is the most that the limiter may let one key have within a moment, see [Goals.Choose].
func (o *Outcome) AtOnce() int64 { return atOnce(o.Limiter) }

// Kept says how a promise was kept.
type Kept struct {
	Keys    int   // keys that kept to it: all they asked for fits in a bucket of the promised rate and burst
	Broken  int   // of these, keys that were refused something
	Refused int64 // how many attempts of theirs were
	// Short are keys that asked for more, and were admitted less in all than the promised bucket admits of it.
	Short int
}

// Meter is what an outcome is measured by.
type Meter struct {
	Key, Total time.Duration // lengths of intervals
	Promise    *Promise
}

// Promise is a rate and a burst that customers were promised.
type Promise struct {
	Rate  fit.Rate
	Burst int64
}

// String writes it as it is given.
func (p Promise) String() string { return p.Rate.Text + ",burst=" + itoa(p.Burst) }

// tally counts while the requests of a log go through a limiter.
type tally struct {
	records []logs.Record
	shift   int64 // from the times of a simulation to those of the log

	attempts, refusedOf, admittedOf []int64 // by key
	allAttempts, allRefused         int64
	timedOut, served, lost          int64
	refusedAt                       []int64
	times                           fit.Traffic // what was admitted, and when it left the limiter
	fault                           error
	wait                            [2]uint64 // the sum of all waits, in ns: 128 bits
	maxWait                         time.Duration
}

func newTally(records []logs.Record, keys int) *tally {
	return &tally{records: records, attempts: make([]int64, keys), refusedOf: make([]int64, keys), admittedOf: make([]int64, keys)}
}

func (t *tally) sent(key uint32) {
	t.allAttempts++
	t.attempts[key]++
}

func (t *tally) refused(at int64, key uint32) {
	t.allRefused++
	t.refusedOf[key]++
	t.refusedAt = append(t.refusedAt, at)
}

func (t *tally) admitted(at int64, key uint32, cost int64) {
	t.admittedOf[key]++
	if err := t.times.Add(key, at, cost); err != nil && t.fault == nil {
		t.fault = err
	}
}

func (t *tally) succeeded(wait time.Duration) {
	t.served++
	low, carry := bits.Add64(t.wait[1], uint64(wait), 0)
	t.wait = [2]uint64{t.wait[0] + carry, low}
	t.maxWait = max(t.maxWait, wait)
}

// outcome reads out what was counted.
func (t *tally) outcome(s limiters.Spec, keys []string, m Meter) *Outcome {
	o := &Outcome{
		Limiter: s, Candidate: -1, Requests: int64(len(t.records)), Attempts: t.allAttempts, Refused: t.allRefused, TimedOut: t.timedOut,
		Succeeded: t.served, Lost: t.lost, MaxWait: t.maxWait,
	}
	o.Waiting = o.Requests - o.Succeeded - o.Lost
	if t.served > 0 {
		mean, _ := bits.Div64(t.wait[0], t.wait[1], uint64(t.served))
		o.MeanWait = time.Duration(mean)
	}
	for key, n := range t.refusedOf {
		if n == 0 {
			continue
		}
		o.KeysRefused++
		if w := &o.Worst; cmp.Or(cmp.Compare(n, w.Refused), cmp.Compare(w.Key, keys[key])) > 0 {
			*w = replay.KeyRefused{Key: keys[key], Requests: t.attempts[key], Refused: n}
		}
	}
	o.Minute, o.InMinute = busiestMinute(t.refusedAt)
	of := t.times.Arrivals(nil)
	for key := range of.Numbers() {
		at, cost := of.Of(key)
		o.OneKey = max(o.OneKey, fit.MostWithin(at, cost, m.Key))
	}
	o.Total = fit.MostWithin(byTime(&t.times, m.Total))
	if m.Promise != nil {
		o.Promise = t.kept(m.Promise)
	}
	return o
}

// byTime returns all that was admitted as if it were of one key.
func byTime(traffic *fit.Traffic, length time.Duration) (at, cost []int64, within time.Duration) {
	all := traffic.Together()
	if all.Numbers() > 0 {
		at, cost = all.Of(0)
	}
	return at, cost, length
}

// kept compares what was refused with what was promised for the requests of the log.
func (t *tally) kept(p *Promise) *Kept {
	var asked fit.Traffic
	for i := range t.records {
		r := &t.records[i]
		_ = asked.Add(r.Key, r.At, r.Cost) // it was read with the same costs
	}
	of, k := asked.Arrivals(nil), &Kept{}
	for key, burst := range of.Bursts(p.Rate.Rate) {
		at, cost := of.Of(key)
		switch {
		case len(at) == 0:
		case burst <= p.Burst:
			k.Keys++
			if n := t.refusedOf[key]; n > 0 {
				k.Broken++
				k.Refused += n
			}
		default:
			promised := len(at) - fit.Refused(at, cost, p.Rate.Rate, p.Burst, len(at), nil)
			if t.admittedOf[key] < int64(promised) {
				k.Short++
			}
		}
	}
	return k
}

const minute = int64(time.Minute)

// busiestMinute returns the minute with most of the times, the first of several, in Unix seconds.
func busiestMinute(times []int64) (at, n int64) {
	minutes := make([]int64, len(times))
	for i, t := range times {
		minutes[i] = t / minute
		if t%minute < 0 {
			minutes[i]--
		}
	}
	slices.Sort(minutes)
	run := int64(0)
	for i, m := range minutes {
		if run++; i > 0 && m != minutes[i-1] {
			run = 1
		}
		if run > n {
			at, n = m*60, run
		}
	}
	return at, n
}

// ParsePromise reads RATE,burst=B, as in 2/s,burst=20.
func ParsePromise(text string) (*Promise, error) {
	before, after, _ := strings.Cut(text, ",burst=")
	rate, err := fit.ParseRate(before)
	if err != nil {
		return nil, promiseFault(text)
	}
	burst, err := spec.ParseCount(after)
	if err != nil || burst < 1 {
		return nil, promiseFault(text)
	}
	return &Promise{Rate: rate, Burst: burst}, nil
}

// Protected is what stands behind the limiter: so much work in any interval of a length.
type Protected struct {
	Text  string
	Most  int64
	Every time.Duration
}

// ParseProtected reads a rate: 100/s is 100 in any second, 6000/m is 6000 in any minute.
func ParseProtected(text string) (*Protected, error) {
	p, err := spec.ParsePeriodic(text)
	if err != nil {
		return nil, err
	}
	if p.Num < p.Den {
		return nil, tooLittle(text)
	}
	return &Protected{Text: text, Most: p.Num / p.Den, Every: p.Every}, nil
}
