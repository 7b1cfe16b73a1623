package experiments

import (
	"fmt"
	"math"
)

func backoffFindings(d *Data) ([]string, error) {
	const clients = 100
	r := &reading{d: d}
	best, least := "", math.Inf(1)
	for _, a := range backoffAlgorithms {
		if calls := r.mean("calls", backoffEach(a.name, clients, "0s")...); calls < least {
			best, least = a.name, calls
		}
	}
	at := func(metric, algorithm, service string) float64 {
		return r.mean(metric, backoffEach(algorithm, clients, service)...)
	}
	return r.say(
		fmt.Sprintf("With %s: %d clients that contend for one row then make %.0f calls until the last has succeeded, with exponential back-off without jitter %.0f.",
			backoffLabels[best], clients, least, at("calls", "exponential", "0s")),
		fmt.Sprintf("They take %.1f s with full jitter and %.1f s without jitter.", at("time", "full", "0s"), at("time", "exponential", "0s")),
		fmt.Sprintf("Not to back off at all takes %.1f s where the server takes no time; where a read or a write takes it 5 ms, %.0f s, against %.0f s with full jitter.",
			at("time", "none", "0s"), at("time", "none", "5ms"), at("time", "full", "5ms")),
	)
}
