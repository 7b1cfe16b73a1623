package metrics

import "time"

// Counts is how many requests were admitted and refused, and what they cost.
// The zero value is ready to use.
type Counts struct {
	Admitted, Refused         int64 // requests
	AdmittedCost, RefusedCost int64 // sums of costs
}

// Count adds one answered request.
func (c *Counts) Count(cost int64, admitted bool) {
	if admitted {
		c.Admitted++
		c.AdmittedCost += cost
	} else {
		c.Refused++
		c.RefusedCost += cost
	}
}

// Offered returns how many requests were counted.
func (c *Counts) Offered() int64 { return c.Admitted + c.Refused }

// OfferedCost returns what they would have cost had all been admitted.
func (c *Counts) OfferedCost() int64 { return c.AdmittedCost + c.RefusedCost }

// AdmitShare returns the share of requests that were admitted.
func (c *Counts) AdmitShare() float64 { return share(c.Admitted, c.Offered()) }

// AdmittedRate returns the cost admitted per second of length.
func (c *Counts) AdmittedRate(length time.Duration) float64 {
	return ratio(c.AdmittedCost, int64(time.Second), int64(length), 1)
}

// AdmittedOverRate returns the rate of cost admitted over length, divided by
// the limiter's long-run rate of units per per (a bucket's N/P, a window's L/T).
func (c *Counts) AdmittedOverRate(length time.Duration, units int64, per time.Duration) float64 {
	return ratio(c.AdmittedCost, int64(per), units, int64(length))
}
