package fleet

import (
	"fmt"
	"math/big"
	"time"

	"ratelab/des"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

const (
	// parts is what a limit is cut into: a server's share is a whole number of
	// them, and their sum is this.
	parts = 1 << 16
	// maxAdaptive bounds the fleet, so that all have parts to share.
	maxAdaptive = parts / 16
	// mostDemand bounds what a server counts of one period, so that nothing
	// overflows.
	mostDemand = 1 << 40
	// grain is the fixed point of smoothed demands: 1/1024 of a request.
	grain = 1 << 10
)

// adaptive gives every server a share of the limit that follows its demand. At
// every multiple of the period the cost that a server was asked for, refused
// or not, enters its estimate e ← (1−A)·e + A·demand; then the part even of the
// limit is shared evenly, and the rest in proportion to e. All servers change
// at that instant.
//
// Shares are whole 65536ths, one at least, and add up to the limit exactly; so
// do their capacities, cut at the sums. What is in a bucket stays, up to the
// new capacity: buckets together never admit more than the limit's envelope.
// What a window has counted stays on its server, so that windows in which
// shares move admit more than the limit, unless the period is a multiple of
// the window.
//
// Demand is counted over all keys: where each key has a server of its own, all
// get what their servers' load deserves, and not theirs.
type adaptive struct {
	perServer
	period  time.Duration
	smooth  int64 // A, in thousandths
	even    int64 // in thousandths
	rate    spec.Rate
	whole   int64 // capacity
	next    time.Duration
	demand  []int64 // of this period
	level   []int64 // smoothed demands, in grains
	weights []int64 // parts of each server
	caps    []int64
	idle    bool // nothing was asked for, and all estimates are 0
}

// Check decides by the server's share.
func (a *adaptive) Check(s *des.Sim, server int, call Call) {
	c := a.fleet.calls.at(call)
	a.fleet.declare(s, call, a.decide(s.Now(), server, c.req.Key, c.req.Cost))
	a.fleet.Answer(s, call)
}

// elapse makes the estimates up to now.
func (a *adaptive) elapse(now time.Duration) {
	for a.next <= now {
		if a.idle {
			skipped := (now - a.next) / a.period
			a.fleet.account.Messages += 2 * int64(len(a.limiters)) * int64(skipped)
			a.next += skipped * a.period
		}
		a.estimate(a.next)
		a.next = later(a.next, a.period)
	}
}

func (a *adaptive) decide(now time.Duration, server int, key uint32, cost int64) limiters.Decision {
	a.elapse(now)
	a.idle = false
	a.demand[server] = min(mostDemand, a.demand[server]+min(cost, mostDemand))
	return a.limiters[server].Take(now, key, cost)
}

// estimate makes the shares anew at t.
func (a *adaptive) estimate(t time.Duration) {
	a.fleet.account.Messages += 2 * int64(len(a.limiters))
	a.idle = true
	for i, d := range a.demand {
		a.level[i] = (a.level[i]*(1000-a.smooth) + d*grain*a.smooth) / 1000
		a.demand[i] = 0
		a.idle = a.idle && a.level[i] == 0
	}
	a.share(t)
}

// share cuts the limit by the estimates.
func (a *adaptive) share(t time.Duration) {
	n := int64(len(a.limiters))
	var total int64
	for _, e := range a.level {
		total += e
	}
	spare := parts - n // each has one
	even := spare * a.even / 1000
	if total == 0 {
		even = spare
	}
	var seen, dealt, cut int64
	for i := range a.limiters {
		seen += a.level[i]
		upTo := int64(i+1) + even*int64(i+1)/n
		if total > 0 {
			upTo += portion(spare-even, seen, total)
		}
		weight := upTo - dealt
		dealt = upTo
		capacity := portion(a.whole, dealt, parts) - cut
		cut += capacity
		if weight != a.weights[i] || capacity != a.caps[i] {
			a.weights[i], a.caps[i] = weight, capacity
			a.adjust(t, i)
		}
	}
}

// adjustableRate returns the rate of a bucket of which shares in whole den-ths
// are to be taken, and of a window, which has no use for one, 1/ns.
func adjustableRate(l limiters.Spec, den int64) (spec.Rate, error) {
	if _, windowed := l.Window(); windowed {
		return spec.Rate{N: 1, P: 1}, nil
	}
	r, _ := l.Rate()
	if r.N > spec.MaxCount/den || int64(r.P) > spec.MaxCount/den {
		return r, fmt.Errorf("shares of 1/%d of the rate %s need numbers above 2^53; use a coarser rate", den, r)
	}
	return r, nil
}

// adjust gives a server its share.
func (a *adaptive) adjust(t time.Duration, server int) {
	l, shows := behind(a.limiters[server], t)
	l.(limiters.Adjustable).Adjust(shows, times(a.rate, a.weights[server], parts), a.caps[server])
}

// restart gives the server a new limiter, of the share that it has now. What it
// was asked for in this period, and its estimate, are forgotten.
func (a *adaptive) restart(now time.Duration, server int) {
	a.elapse(now)
	a.perServer.restart(now, server)
	a.adjust(now, server)
	a.demand[server], a.level[server] = 0, 0
}

// times returns r·num/den in lowest terms, which must fit.
func times(r spec.Rate, num, den int64) spec.Rate {
	g, h := gcd(num, int64(r.P)), gcd(den, r.N)
	num, den = num/g, den/h
	g2 := gcd(num, den)
	return spec.Rate{N: r.N / h * (num / g2), P: r.P / time.Duration(g) * time.Duration(den/g2)}
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (a *adaptive) limiterOf(int) limiters.Limiter { return nil }
func (a *adaptive) direct() []limiters.Limiter     { return nil }

func (a *adaptive) zeroShares() (n int) {
	for _, c := range a.caps {
		if c == 0 {
			n++
		}
	}
	return n
}

// thousandths reads a share of 1 in whole thousandths.
func thousandths(v *spec.Values, name string) int64 {
	x, ok := new(big.Rat).SetString(v.Text(name))
	if _, err := spec.ParseNumber(v.Text(name)); err == nil && ok {
		x.Mul(x, big.NewRat(1000, 1))
		if x.IsInt() && x.Sign() >= 0 && x.Cmp(big.NewRat(1000, 1)) <= 0 {
			return x.Num().Int64()
		}
	}
	v.Fail(name, "must lie in 0..1 with at most three decimals, got %q", v.Text(name))
	return 0
}

func init() {
	coordinations.Register(spec.Entry{
		Name: "adaptive",
		Doc:  "shares of the limit that follow each server's demand: never above the promise, late where demand moves",
		Params: []spec.Param{
			{Name: "period", Unit: "duration", Doc: "between two estimates; they are at its multiples"},
			{Name: "smooth", Unit: "share", Default: "0.5", Doc: "weight of the latest period in the estimate; 1 forgets all before it"},
			{Name: "even", Unit: "share", Default: "0.1", Doc: "part of the limit that is shared evenly, whatever the demand"},
		},
		More: suitsText("adaptive"),
	}, func(v *spec.Values) (newCoordination, error) {
		period := v.Duration("period")
		smooth, even := thousandths(v, "smooth"), thousandths(v, "even")
		if smooth == 0 {
			v.Fail("smooth", "must be > 0, got %s", v.Text("smooth"))
		}
		if err := v.Err(); err != nil {
			return nil, err
		}
		return func(f *Fleet, c Config) (Coordination, error) {
			n := c.Servers
			if n > maxAdaptive {
				return nil, fmt.Errorf("servers must lie in 1..%d, got %d", maxAdaptive, n)
			}
			a := &adaptive{
				perServer: perServer{fleet: f},
				period:    period, smooth: smooth, even: even, next: period,
				whole:  c.Limiter.Capacity(),
				demand: make([]int64, n), level: make([]int64, n), weights: make([]int64, n), caps: make([]int64, n),
				idle: true,
			}
			var err error
			if a.rate, err = adjustableRate(c.Limiter, parts); err != nil {
				return nil, err
			}
			for range n {
				if _, ok := a.add(c, c.Limiter).(limiters.Adjustable); !ok {
					return nil, fmt.Errorf("shares change limits under way, which needs keys that are held for ever, not eviction %s", c.Eviction)
				}
			}
			a.share(0)
			for i, w := range a.weights {
				share, err := c.Limiter.Scale(w, parts, a.caps[i]-portion(a.whole, w, parts))
				if err != nil {
					return nil, err
				}
				a.specs[i] = share
			}
			return a, nil
		}, nil
	})
}
