package scenario

import (
	"math"
	"time"

	"ratelab/des/metrics"
	"ratelab/fleet"
)

// costs counts what the coordination of a fleet costs: what its store does and
// is asked, and what becomes of the tokens that are out on lease.
type costs struct {
	fleet   *fleet.Fleet
	span    metrics.Span
	begun   bool
	start   fleet.Account // at the beginning of the span
	trouble fleet.Trouble // then
	wait    metrics.Delay // in the store, for an operation's turn
	ended   bool          // requests were under way at the end of the span
	end     fleet.Account // then
}

// arrived marks the beginning of the span before its first request.
func (c *costs) arrived(t time.Duration) {
	if !c.begun && t >= c.span.Start {
		c.begun, c.start, c.trouble = true, c.fleet.Account(c.span.Start), c.fleet.Trouble(c.span.Start)
	}
}

// ends marks the end of the span, where requests are still under way.
func (c *costs) ends() { c.ended, c.end = true, c.fleet.Account(c.span.End) }

// waited counts how long an operation of the store waited.
func (c *costs) waited(t, wait time.Duration) {
	if t >= c.span.Start {
		c.wait.Add(wait)
	}
}

// emit reads out what was counted by now, for so many requests.
func (c *costs) emit(now time.Duration, offered int64, emit func(name string, value float64)) {
	a := c.fleet.Account(now)
	zeros := a.ZeroShares
	if !c.begun { // nothing came in the span
		c.start = a
	}
	ops := a.StoreOps // in the span
	if c.ended {
		ops = c.end.StoreOps
	}
	ops -= c.start.StoreOps
	a = a.Minus(c.start)
	if c.fleet.HasStore() {
		emit("store_ops_per_request", ratio(a.StoreOps, offered))
		emit("store_ops_rate", float64(ops)/c.span.Length().Seconds())
		if c.fleet.Shards() > 1 {
			emit("store_hot_shard_share", ratio(a.HotShard, a.StoreOps))
		}
		if c.fleet.Queues() {
			c.wait.Statistics("store_wait", emit)
		}
	}
	if c.fleet.Communicates() {
		emit("messages_per_request", ratio(a.Messages, offered))
	}
	if c.fleet.HasStore() {
		emit("wasted_charges", float64(a.Wasted))
	}
	if c.fleet.HasTimeout() {
		emit("late_answers", float64(a.Late))
		emit("failed_open", float64(a.FailedOpen))
		emit("failed_closed", float64(a.FailedClosed))
		emit("failed_local", float64(a.FailedLocal))
	}
	if c.fleet.Leases() {
		emit("lease_grants", float64(a.Grants))
		emit("stranded_tokens", ratio(a.Stranded, a.Exhaustions))
		emit("expired_tokens", float64(a.Expired))
		emit("unused_share", ratio(a.Issued-a.Spent, a.Issued))
		emit("idle_sibling_refusals", float64(a.IdleSibling))
	}
	if c.fleet.SharesOut() {
		emit("zero_share_servers", float64(zeros))
	}
}

// ratio returns a/b, NaN if b is 0.
func ratio(a, b int64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}
