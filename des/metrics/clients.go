package metrics

import "strings"

// ofClients are the metrics of what clients do and hear. A request of theirs
// is one or several attempts, each of them a request to the servers; counts
// are of what happens in the span.
func ofClients() []Info {
	infos := byPolicy()
	for _, q := range delayQuantiles {
		infos = append(infos, Info{"time_to_success_" + q.suffix, "s", "Time to success that " + shareInWords[q.suffix] + " of the successful requests do not exceed, within 1/128."})
	}
	infos = append(infos,
		Info{"time_to_success_max", "s", "Longest time from a request's beginning to its success."},
		Info{"gave_up_exhausted", "requests", "Requests that ended when their last attempt had failed."},
		Info{"gave_up_hopeless", "requests", "Requests that ended because the client was told that no wait helps, or never tries again."},
		Info{"gave_up_over_budget", "requests", "Requests that ended because a budget refused them a retry."},
		Info{"gave_up_withheld", "requests", "Requests that ended because a budget did not let an attempt be sent."},
		Info{"gave_up_crowded", "requests", "Requests that ended at once because too many of their client's were held back already."},
		Info{"heard_throttled", "requests", "Attempts whose client heard that they were over a limit."},
		Info{"heard_shed", "requests", "Attempts whose client heard that the server was under pressure."},
		Info{"heard_timeout", "requests", "Attempts that were given up because no reply came in time."},
		Info{"heard_store_down", "requests", "Attempts whose client heard that the store could not be asked."},
		Info{"lost_replies", "requests", "Replies to attempts that went astray."},
		Info{"refusal_latency_mean", "s", "Mean time from an attempt to its refusal, where the client still waited for it."},
	)
	for _, q := range delayQuantiles {
		infos = append(infos, Info{"refusal_latency_" + q.suffix, "s", "Time to a refusal that " + shareInWords[q.suffix] + " of them do not exceed, within 1/128."})
	}
	return append(infos,
		Info{"refusal_latency_max", "s", "Longest time from an attempt to its refusal."},
		Info{"peak_attempts", "requests", "Most attempts sent in any half-open second."},
		Info{"peak_attempts_aligned", "requests", "Most attempts sent in a second of the clock, from one whole second to the next."},
		Info{"peak_retries", "requests", "Most attempts sent in any half-open second that were not a request's first."},
		Info{"peak_retries_aligned", "requests", "Most attempts sent in a second of the clock that were not a request's first."},
		Info{"synchronisation", "1", "peak_attempts_aligned / mean attempts a second of the span: 1 if they are spread evenly."},
	)
}

// byPolicy are the metrics that there are of all clients together, and of each
// policy of a mix.
func byPolicy() []Info {
	return []Info{
		{"requests", "requests", "Requests that clients began, whatever the number of attempts."},
		{"attempts", "requests", "Attempts that clients sent."},
		{"succeeded", "requests", "Requests of clients that ended with a success."},
		{"gave_up", "requests", "Requests of clients that ended without a success."},
		{"unfinished", "requests", "Requests of clients under way at the horizon, whenever they began."},
		{"success_share", "1", "Requests that succeeded / requests that ended."},
		{"amplification", "1", "Attempts / requests that began: the load that retries make of the load that users bring."},
		{"attempts_per_success", "1", "Attempts / requests that succeeded."},
		{"units_per_success", "1", "Cost charged by the limit / requests that succeeded."},
		{"hints_obeyed", "requests", "Requests that were told a time to come back, came back no earlier, and were answered."},
		{"hint_honesty", "1", "Share of the requests that obeyed a hint which were not refused again."},
		{"time_to_success_mean", "s", "Mean time from a request's beginning to its success, over those that began in the span and succeeded."},
	}
}

// OfPolicy returns the metrics of one policy of a mix of clients: those of all
// together under a name that ends in the policy's, as in success_share_rude.
func OfPolicy(policy string) []Info {
	infos := byPolicy()
	for i := range infos {
		infos[i].Name += "_" + policy
		infos[i].Description = "(Of clients " + policy + ".) " + infos[i].Description
	}
	return infos
}

// describePolicy returns the entry of a policy's metric.
func describePolicy(name string) (Info, bool) {
	for i, all := range byPolicy() {
		if policy, ok := strings.CutPrefix(name, all.Name+"_"); ok && policy != "" {
			return OfPolicy(policy)[i], true
		}
	}
	return Info{}, false
}
