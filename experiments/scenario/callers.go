package scenario

import (
	"fmt"
	"strings"
	"time"

	"ratelab/clients"
	"ratelab/des/metrics"
	"ratelab/limiters/contract"
)

// callers counts what the clients do and hear, in the span. What lies in it
// is settled by when it happens; only the times that requests take are of
// those that also began in it.
type callers struct {
	people   *clients.Population
	span     metrics.Span
	policies []policy
	attempts *metrics.Peak
	retries  *metrics.Peak
	heardAs  [contract.StoreDown + 1]int64 // attempts, by outcome
	refusal  metrics.Delay                 // from an attempt to its refusal
}

// policy is one spec of the mix.
type policy struct {
	name    string // as in the names of its metrics
	before  clients.Tally
	success metrics.Delay // from a request to its success
}

func newCallers(mix clients.Mix, span metrics.Span) *callers {
	c := &callers{span: span, attempts: metrics.NewPeak(), retries: metrics.NewPeak()}
	for _, name := range PolicyNames(mix) {
		c.policies = append(c.policies, policy{name: name})
	}
	return c
}

// PolicyNames returns what the metrics of each spec of a mix end in: its
// policy's name with _ for -, and a number from the second on of the same
// policy, as in backoff, rude, backoff_2. A mix of one has no such metrics.
func PolicyNames(mix clients.Mix) []string {
	var names []string
	seen := map[string]int{}
	for _, s := range mix.Specs() {
		name := strings.ReplaceAll(s.Name(), "-", "_")
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s_%d", name, seen[name])
		}
		names = append(names, name)
	}
	return names
}

// begin marks the beginning of the span.
func (c *callers) begin() {
	for i := range c.policies {
		c.policies[i].before = c.people.Tally(i)
	}
}

func (c *callers) sent(now time.Duration, attempt int64) {
	if !c.span.Contains(now) {
		return
	}
	c.attempts.Add(now)
	if attempt > 1 {
		c.retries.Add(now)
	}
}

func (c *callers) heard(now time.Duration, o contract.Outcome) {
	if c.span.Contains(now) {
		c.heardAs[o]++
	}
}

// refused counts how long the refusal of an attempt took to come.
func (c *callers) refused(sent, now time.Duration) {
	if c.span.Contains(sent) {
		c.refusal.Add(now - sent)
	}
}

func (c *callers) ended(now time.Duration, e clients.Ended) {
	if e.End == clients.Succeeded && c.span.Contains(e.Since) {
		c.policies[e.Policy].success.Add(now - e.Since)
	}
}

// emit reads out what was counted.
func (c *callers) emit(emit func(name string, value float64)) {
	var before clients.Tally
	var success metrics.Delay
	for i := range c.policies {
		before = before.Plus(c.policies[i].before)
		success.Merge(&c.policies[i].success)
	}
	all := c.people.Total()
	unfinished := all.Unfinished()
	all = all.Minus(before)
	emitTally("", all, unfinished, emit)
	success.Statistics("time_to_success", emit)
	emit("gave_up_exhausted", float64(all.Ended[clients.Exhausted]))
	emit("gave_up_hopeless", float64(all.Ended[clients.Hopeless]))
	emit("gave_up_over_budget", float64(all.Ended[clients.OverBudget]))
	emit("gave_up_withheld", float64(all.Ended[clients.Withheld]))
	emit("gave_up_crowded", float64(all.Ended[clients.Crowded]))
	emit("heard_throttled", float64(c.heardAs[contract.Throttled]))
	emit("heard_shed", float64(c.heardAs[contract.Shed]))
	emit("heard_timeout", float64(c.heardAs[contract.Timeout]))
	emit("heard_store_down", float64(c.heardAs[contract.StoreDown]))
	emit("lost_replies", float64(all.Lost))
	c.refusal.Statistics("refusal_latency", emit)
	emit("peak_attempts", float64(c.attempts.Any()))
	emit("peak_attempts_aligned", float64(c.attempts.Aligned()))
	emit("peak_retries", float64(c.retries.Any()))
	emit("peak_retries_aligned", float64(c.retries.Aligned()))
	emit("synchronisation", c.attempts.OverMean(c.span.Length()))
	if len(c.policies) == 1 {
		return
	}
	for i := range c.policies {
		k := &c.policies[i]
		t := c.people.Tally(i)
		unfinished := t.Unfinished()
		emitTally("_"+k.name, t.Minus(k.before), unfinished, emit)
		emit("time_to_success_mean_"+k.name, k.success.Mean())
	}
}

// emitTally reads out what is also told of each policy.
func emitTally(suffix string, t clients.Tally, unfinished int64, emit func(name string, value float64)) {
	ended := int64(0)
	for _, n := range t.Ended {
		ended += n
	}
	succeeded := t.Ended[clients.Succeeded]
	emit("requests"+suffix, float64(t.Requests))
	emit("attempts"+suffix, float64(t.Attempts))
	emit("succeeded"+suffix, float64(succeeded))
	emit("gave_up"+suffix, float64(ended-succeeded))
	emit("unfinished"+suffix, float64(unfinished))
	emit("success_share"+suffix, ratio(succeeded, ended))
	emit("amplification"+suffix, ratio(t.Attempts, t.Requests))
	emit("attempts_per_success"+suffix, ratio(t.Attempts, succeeded))
	emit("units_per_success"+suffix, ratio(t.Charged, succeeded))
	emit("hints_obeyed"+suffix, float64(t.Obeyed))
	emit("hint_honesty"+suffix, ratio(t.Honest, t.Obeyed))
}
