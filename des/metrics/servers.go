package metrics

// ofServers are the metrics of servers that take their time.
func ofServers() []Info {
	infos := []Info{
		{"goodput", "requests/s", "Services that ended while the client still waited, per second of the span."},
		{"served", "requests", "Services that ended."},
		{"wasted_work_share", "1", "Time of services whose client had given up by their end / time of all services."},
		{"utilisation", "1", "Share of the workers' time in which they serve, or write refusals."},
		{"shed", "requests", "Requests that the limit admitted and a server turned away, whether their client heard of it or not."},
		{"dropped_abandoned", "requests", "Requests that workers passed over because their client had given up."},
		{"queue_length_mean", "requests", "Mean over time and servers of the requests that wait for a worker."},
		{"queue_length_max", "requests", "Most requests that waited at one server at once, when one more came."},
		{"queue_delay_mean", "s", "Mean wait for a worker, over the services that began."},
	}
	for _, q := range delayQuantiles {
		infos = append(infos, Info{"queue_delay_" + q.suffix, "s", "Wait for a worker that " + shareInWords[q.suffix] + " of the services that began do not exceed, within 1/128."})
	}
	return append(infos,
		Info{"queue_delay_max", "s", "Longest wait for a worker."},
		Info{"useful_share_tier_0", "1", "Of the first tier, services that ended while the client still waited / requests that came to the workers."},
		Info{"useful_share_tier_1", "1", "Of the second tier, services that ended while the client still waited / requests that came to the workers."},
		Info{"useful_share_tier_2", "1", "Of the third tier, services that ended while the client still waited / requests that came to the workers."},
		Info{"stuck", "1", "Whether, in the last tenth of the span, successes that a client waited for were fewer than half the requests that began (1), or not (0)."},
		Info{"recovered", "1", "Whether the last whole second was good (1), or not (0): successes that a client waited for were at least half the requests that began in it."},
		Info{"time_to_recover", "s", "From the end of the trouble to the beginning of the good seconds that last to the end; missing where it has not recovered."},
	)
}
