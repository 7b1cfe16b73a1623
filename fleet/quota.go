package fleet

import (
	"fmt"
	"strings"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters"
)

// quota gives every server a fixed share of the limit, 1/N or its part of the
// given proportions: of a bucket the rate r/N exactly and the burst ⌊b/N⌋, of a
// window the limit ⌊L/N⌋. What the rounding leaves over goes, one each, to the
// first servers (spread) or to nobody (drop). A server whose share is 0 refuses
// everything.
//
// With over=serving only the servers that serve have a share. When one stops or
// begins to serve, the shares of the others change at that instant; what is in
// their buckets or counted in their windows stays, see
// [limiters.Adjustable].
type quota struct {
	perServer
	whole   limiters.Spec
	weights []int64
	spread  bool
	serving []bool    // nil: over the whole fleet
	rate    spec.Rate // of the whole, if serving and it has no window
	now     []int64   // capacities, if serving
}

// share returns the sum of the weights and the capacities of the shares among the
// servers that serve.
func (q *quota) share() (total int64, capacities []int64) {
	for i, w := range q.weights {
		if q.serving[i] {
			total += w
		}
	}
	capacities = make([]int64, len(q.weights))
	if total == 0 {
		return 0, capacities
	}
	left := q.whole.Capacity()
	for i, w := range q.weights {
		if q.serving[i] {
			capacities[i] = portion(q.whole.Capacity(), w, total)
			left -= capacities[i]
		}
	}
	for i := range capacities {
		if q.spread && q.serving[i] && left > 0 {
			capacities[i]++
			left--
		}
	}
	return total, capacities
}

// serve changes whether a server serves.
func (q *quota) serve(now time.Duration, server int, serves bool) {
	if q.serving == nil || q.serving[server] == serves {
		return
	}
	q.serving[server] = serves
	total, capacities := q.share()
	for i := range q.limiters {
		if q.serving[i] { // the others have nothing to decide
			q.adjust(now, i, total, capacities[i])
		}
	}
	q.now = capacities
}

// adjust gives a server its part of the total of the weights.
func (q *quota) adjust(now time.Duration, server int, total, capacity int64) {
	l, shows := behind(q.limiters[server], now)
	l.(limiters.Adjustable).Adjust(shows, times(q.rate, q.weights[server], total), capacity)
}

// restart gives the server a new limiter, of the share that it has now.
func (q *quota) restart(now time.Duration, server int) {
	q.perServer.restart(now, server)
	if q.serving != nil && q.serving[server] {
		total, _ := q.share()
		q.adjust(now, server, total, q.now[server])
	}
}

// limiterOf is nil where shares change: no level of one share tells anything.
func (q *quota) limiterOf(server int) limiters.Limiter {
	if q.serving != nil {
		return nil
	}
	return q.limiters[server]
}

func (q *quota) zeroShares() int {
	if q.serving == nil {
		return q.perServer.zeroShares()
	}
	n := 0
	for i, c := range q.now {
		if q.serving[i] && c == 0 {
			n++
		}
	}
	return n
}

// parseShares reads whole numbers > 0 with slashes between.
func parseShares(v *spec.Values, name string) (weights []int64) {
	var total int64
	for text := range strings.SplitSeq(v.Text(name), "/") {
		w, err := spec.ParseCount(text)
		if total += w; err != nil || w == 0 || total > spec.MaxCount {
			v.Fail(name, "must be whole numbers > 0 separated by /, as in 4/2/1, got %q", v.Text(name))
			return nil
		}
		weights = append(weights, w)
	}
	return weights
}

func init() {
	coordinations.Register(spec.Entry{
		Name: "quota",
		Doc:  "every server enforces limit/N: never above the promise, starves the busy server",
		Params: []spec.Param{
			{Name: "remainder", Unit: "spread|drop", Default: "spread", Doc: "what becomes of capacity mod N: one each to the first servers, or lost"},
			{Name: "over", Unit: "fleet|serving", Default: "fleet", Doc: "what N counts: all servers, or those that serve"},
			{Name: "shares", Unit: "proportions", Default: "equal", Doc: "shares in whole proportions, one a server: 4/2/1"},
		},
		More: suitsText("quota"),
	}, func(v *spec.Values) (newCoordination, error) {
		spread := v.Choice("remainder", "spread", "drop") == "spread"
		serving := v.Choice("over", "fleet", "serving") == "serving"
		var weights []int64
		if v.Given("shares") {
			weights = parseShares(v, "shares")
		}
		if err := v.Err(); err != nil {
			return nil, err
		}
		return func(f *Fleet, c Config) (Coordination, error) {
			q := &quota{perServer: perServer{fleet: f}, whole: c.Limiter, weights: weights, spread: spread}
			if c.pools() && !serving {
				q.pools = map[string]*pool{}
			}
			if q.weights == nil {
				q.weights = evenly(c.Servers)
			}
			if len(q.weights) != c.Servers {
				return nil, fmt.Errorf("shares names %d servers, the fleet has %d", len(q.weights), c.Servers)
			}
			shares, err := shared(c.Limiter, q.weights, spread, "server")
			if err != nil {
				return nil, err
			}
			for i, share := range shares {
				q.add(c, share)
				one, _ := behind(q.limiters[i], 0)
				if _, adjustable := one.(limiters.Adjustable); serving && !adjustable {
					return nil, fmt.Errorf("over=serving changes limits under way, which needs keys that are held for ever, not eviction %s", c.Eviction)
				}
			}
			if serving {
				if q.rate, err = adjustableRate(c.Limiter, sum(q.weights)); err != nil {
					return nil, err
				}
				q.serving = make([]bool, c.Servers)
				for i := range q.serving {
					q.serving[i] = true
				}
				_, q.now = q.share()
			}
			return q, nil
		}, nil
	})
}

// shared cuts a limit into n shares that add up to it, or to n·⌊capacity/n⌋ of
// it: capacity mod n is spread over the first, one each, or dropped. what names
// a share in errors.
func shared(l limiters.Spec, weights []int64, spread bool, what string) ([]limiters.Spec, error) {
	total := sum(weights)
	left := l.Capacity()
	for _, w := range weights {
		share, err := l.Scale(w, total, 0)
		if err != nil {
			return nil, fmt.Errorf("share of %s 0 of %d: %w", what, len(weights), err)
		}
		left -= share.Capacity()
	}
	shares := make([]limiters.Spec, len(weights))
	for i, w := range weights {
		extra := int64(0)
		if spread && int64(i) < left {
			extra = 1
		}
		var err error
		if shares[i], err = l.Scale(w, total, extra); err != nil {
			return nil, fmt.Errorf("share of %s %d of %d: %w", what, i, len(weights), err)
		}
	}
	return shares, nil
}

func sum(weights []int64) (total int64) {
	for _, w := range weights {
		total += w
	}
	return total
}

// evenly is n equal weights.
func evenly(n int) []int64 {
	weights := make([]int64, n)
	for i := range weights {
		weights[i] = 1
	}
	return weights
}
