package metrics

// Info says what a metric is.
type Info struct {
	Name        string
	Unit        string // "requests", "requests/s", "tokens", "s", or "1" for a pure number
	Description string
}

// Dictionary returns every metric, in the order in which they are shown.
// Where requests have costs, "requests" counts each by its cost, except in
// offered, admitted, refused and refused_by.
func Dictionary() []Info {
	infos := []Info{
		{"offered", "requests", "Requests that were decided."},
		{"admitted", "requests", "Requests that were admitted."},
		{"refused", "requests", "Requests that were refused."},
		{"refused_by_user", "requests", "Requests that a layer keyed by user was the first to refuse."},
		{"refused_by_ip", "requests", "Requests that a layer keyed by address was the first to refuse."},
		{"refused_by_endpoint", "requests", "Requests that a layer keyed by endpoint was the first to refuse."},
		{"refused_by_global", "requests", "Requests that a layer shared by all was the first to refuse."},
		{"admit_share", "1", "Admitted requests / offered requests."},
		{"admitted_rate", "requests/s", "Admitted of what arrived in the span that is counted / its length, by cost; also if decided or released after the span, as what waits for a store or in a queue at its end."},
		{"max_window_admitted", "requests", "Most admitted in any half-open interval of length w, by cost; per key, the largest over keys. It grows with the horizon."},
		{"overshoot", "1", "max_window_admitted / promise: L for window limiters, B + floor(r*w) for buckets."},
		{"excess_mean", "requests", "Mean over whole aligned windows of max(0, admitted - promise), by cost; per key, the largest over keys."},
		{"excess_share", "1", "Share of whole aligned windows in which more than the promise was admitted; per key, the largest over keys."},
		{"admitted_over_rate", "1", "admitted_rate / the limiter's long-run rate (r, or L/T), by cost. Like it, it holds what was decided or released after the span."},
	}
	infos = append(infos, Info{"delay_mean", "s", "Mean time of admitted requests from arrival to release: round trip, delay in the limiter, queue and service."})
	for _, q := range delayQuantiles {
		infos = append(infos, Info{"delay_" + q.suffix, "s", "Delay that " + shareInWords[q.suffix] + " of admitted requests do not exceed, within 1/128."})
	}
	infos = append(infos,
		Info{"delay_max", "s", "Longest delay of an admitted request, from arrival to release."},
		Info{"level_min", "tokens", "Lowest level of the bucket, just after a decision."},
		Info{"level_max", "tokens", "Highest level of the bucket."},
		Info{"level_mean", "tokens", "Mean over time of the level of the bucket."},
		Info{"level_full_share", "1", "Share of time in which the bucket is full."},
	)
	for _, kind := range errorKinds {
		add := func(suffix, what string) {
			infos = append(infos, Info{kind.prefix + "_" + suffix, "requests", what + " of a two-window counter's estimate - true trailing count, " + kind.seen + "."})
		}
		add("mean", "Mean")
		add("mean_abs", "Mean absolute value")
		add("rms", "Root mean square")
		add("min", "Smallest value")
		add("max", "Largest value")
		for _, q := range errorQuantiles {
			add(q.suffix, "Value that "+shareInWords[q.suffix]+" do not exceed (within 1/128 of itself + 2^-16)")
		}
	}
	infos = append(infos,
		Info{"throughput_deficit", "1", "(log - own) / log, where each is the cost admitted, by an exact log of the same limit on the same arrivals and by the limiter itself."},
		Info{"false_refusals", "1", "Share of requests refused though the true trailing count of what the limiter itself admitted, plus the cost, is within the limit."},
		Info{"false_admissions", "1", "Share of requests admitted though the true trailing count of what the limiter itself admitted, plus the cost, is above the limit."},
		Info{"decisions_differ", "1", "Share of requests decided otherwise than by an exact log of the same limit run separately on the same arrivals."},
		Info{"keys_live_max", "keys", "Most keys held at once by one copy of the limit."},
		Info{"keys_forgotten", "keys", "Keys forgotten by all copies of the limit, for want of room or for idleness; one that came back and went again counts twice."},
		Info{"keys_forgotten_early", "keys", "Of the keys forgotten, those not at rest: a later request may be decided otherwise than if they had been kept."},
		Info{"store_ops_per_request", "1", "Operations that the central store served / offered requests."},
		Info{"store_ops_rate", "operations/s", "Operations that the central store served within the span that is counted, per second."},
		Info{"store_hot_shard_share", "1", "Share of the store's operations that its busiest shard served."},
		Info{"store_wait_mean", "s", "Mean time that an operation waited for its turn in the store, before it was served."},
	)
	for _, q := range delayQuantiles {
		infos = append(infos, Info{"store_wait_" + q.suffix, "s", "Wait in the store that " + shareInWords[q.suffix] + " of its operations do not exceed, within 1/128."})
	}
	infos = append(infos,
		Info{"store_wait_max", "s", "Longest wait of an operation for its turn in the store."},
		Info{"messages_per_request", "1", "Messages between servers and the store, there and back, or among servers / offered requests."},
		Info{"wasted_charges", "requests", "Requests that were charged for by a check whose answer came too late: after the server's timeout, or after the caller had given up. So were those whose answer was lost, and questions that came twice."},
		Info{"late_answers", "requests", "Requests that their server decided without the store, whose answer had not come by the timeout."},
		Info{"failed_open", "requests", "Of the requests decided without the store, those that were admitted without a check."},
		Info{"failed_closed", "requests", "Of the requests decided without the store, those that were refused without a check."},
		Info{"failed_local", "requests", "Of the requests decided without the store, those that a limiter of the server's own decided."},
		Info{"lease_grants", "operations", "Operations in which the store granted a lease."},
		Info{"stranded_tokens", "tokens", "Mean of the tokens that other servers held of a key when a request of it was refused for the first time since its latest grant."},
		Info{"expired_tokens", "tokens", "Tokens on lease that expired unspent, with their window or their time to live, or were lost with a message or in a restart."},
		Info{"unused_share", "1", "(issued - spent) / issued, of the tokens that the store granted to servers."},
		Info{"idle_sibling_refusals", "requests", "Requests that a server refused while another would have admitted them; under leases, while the others held as many tokens as were missing. Where each server decides by itself, of canonical limiters on 2 to 64 servers."},
		Info{"zero_share_servers", "servers", "Servers whose share of the limit had capacity 0 at the end, so that they refused everything."},
		Info{"offered_store_down", "requests", "Requests that arrived while the store was down."},
		Info{"admitted_store_down", "requests", "Of the requests that arrived while the store was down, those that were admitted."},
		Info{"restarts", "servers", "Servers that restarted and forgot what they held of the limit, each time."},
		Info{"lost_messages", "messages", "Messages between servers and the store, or among servers, that were lost on the way, by chance or in a partition."},
		Info{"doubled_messages", "messages", "Messages from servers to the store, or among servers, that arrived twice."},
		Info{"clock_spread", "s", "What the latest of the servers' clocks shows less what the earliest does, at the horizon."},
	)
	return append(append(infos, ofClients()...), ofServers()...)
}

// Describe returns the entry of a metric, and whether there is one. It knows
// those of one policy as well, see [OfPolicy].
func Describe(name string) (Info, bool) {
	for _, info := range Dictionary() {
		if info.Name == name {
			return info, true
		}
	}
	return describePolicy(name)
}

var errorKinds = []struct{ prefix, seen string }{
	{"error_open_time", "for a counter that refuses nothing, seen at random instants"},
	{"error_open_arrivals", "for a counter that refuses nothing, seen at arrivals"},
	{"error_closed", "for the counter's own admitted requests, seen at arrivals"},
}

var shareInWords = map[string]string{
	"p01": "1 %", "p05": "5 %", "p50": "50 %", "p90": "90 %", "p95": "95 %", "p99": "99 %", "p999": "99.9 %",
}
