package metrics

import "time"

// Compare holds a limiter's decisions against two things: the decisions of an
// exact log of the same limit, run separately on the same arrivals; and, for
// each decision, the true trailing count of what the limiter itself had
// admitted to the key. Beyond [MostKeys] keys the second covers the requests of
// the keys that are followed; see there.
type Compare struct {
	limit  int64
	window time.Duration
	span   Span
	keys   slab[trail]

	offered          int64 // requests
	differ           int64
	ownCost, logCost int64 // admitted
	judged           int64 // requests of keys that are followed
	falseRefusals    int64
	falseAdmissions  int64
}

// NewCompare returns a comparison against a limit in a window > 0.
func NewCompare(limit int64, window time.Duration, span Span) *Compare {
	mustBePositive("window", window)
	return &Compare{limit: limit, window: window, span: span}
}

// Decide adds one request, decided by the limiter itself (own) and by the log.
// Times never decrease for one key.
func (c *Compare) Decide(t time.Duration, key uint32, cost int64, own, log bool) {
	counts := c.span.Contains(t)
	if counts {
		c.offered++
		if own != log {
			c.differ++
		}
		if own {
			c.ownCost += cost
		}
		if log {
			c.logCost += cost
		}
	}
	k := c.keys.at(key)
	if k == nil {
		return
	}
	k.expire(t, c.window)
	fits := k.sum <= c.limit-cost
	if own {
		k.push(t, cost)
	}
	if counts {
		c.judged++
		if fits && !own {
			c.falseRefusals++
		} else if own && !fits {
			c.falseAdmissions++
		}
	}
}

// ThroughputDeficit returns (log − own)/log, where each is the cost admitted:
// below 0 if the limiter admits more than the log. It is NaN if the log admits
// nothing.
func (c *Compare) ThroughputDeficit() float64 { return share(c.logCost-c.ownCost, c.logCost) }

// DecisionsDiffer returns the share of requests decided otherwise than by the log.
func (c *Compare) DecisionsDiffer() float64 { return share(c.differ, c.offered) }

// FalseRefusals returns the share of requests that were refused though the true
// trailing count in (t−T, t] of what the limiter admitted, plus the cost, is
// within the limit.
func (c *Compare) FalseRefusals() float64 { return share(c.falseRefusals, c.judged) }

// FalseAdmissions returns the share of requests that were admitted though that
// sum is above the limit.
func (c *Compare) FalseAdmissions() float64 { return share(c.falseAdmissions, c.judged) }

// Sampled reports whether a key was left out because there were too many.
func (c *Compare) Sampled() bool { return c.keys.sampled }
