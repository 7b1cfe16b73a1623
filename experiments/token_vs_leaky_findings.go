package experiments

import (
	"fmt"
	"math"
	"strconv"
)

// leakyFindings says what was found.
func leakyFindings(d *Data) ([]string, error) {
	var failed error
	mean := func(metric string, at ...string) float64 {
		v, _, _ := d.Mean(metric, at...)
		if math.IsNaN(v) && failed == nil {
			failed = nothingMeasured(metric, at)
		}
		return v
	}
	loss := func(limiter string, more ...string) float64 {
		return 100 * mean("loss", leakyAt("loss", limiter, append([]string{"workload", "poisson", "load", "1"}, more...)...)...)
	}
	flood := func(limiter, limit string) float64 {
		return mean("admitted_per_window", leakyAt("flood", limiter, "limit", limit, "load", "20")...)
	}
	fit := func(workload string, more ...string) (exactly, needed float64) {
		at := leakyAt("fit", "token-bucket", append([]string{"workload", workload}, more...)...)
		return mean("fits_exactly", at...), mean("burst_needed", at...)
	}
	full := []string{"burst", strconv.Itoa(leakyBurst)}
	steady, smooth := fit("steady")
	train, bursty := fit("burst-train", "size", "20")
	when := "not always when"
	if steady == 1 && train == 1 {
		when = "exactly when"
	}
	gap := 0.0 // the largest of the identity
	for _, workload := range [][]string{{"workload", "steady"}, {"workload", "poisson"}, {"workload", "on-off"}, {"workload", "burst-train"}} {
		for _, load := range []string{"0.5", "1", "2"} {
			gap = max(gap, math.Abs(mean("identity_gap", leakyAt("identity", "token-bucket", append(append(workload, full...), "load", load)...)...)))
		}
	}
	findings := []string{
		fmt.Sprintf("A token bucket forgives %s every burst fits into it: at its own rate it refuses nothing of steady traffic with a burst of %.0f, and nothing of bursts of 20 with %.0f; a leaky meter forgives none, a leaky queue makes them wait.",
			when, smooth, bursty),
		fmt.Sprintf("Of Poisson traffic at its rate a bucket of 20 refuses %.1f %%, a bucket of 1, which is a leaky meter, %.0f %%; a leaky queue refuses what a bucket of its size does (%.1f %%) and lets the rest wait %.1f s.",
			loss("token-bucket", full...), loss("leaky-meter"), loss("leaky-queue", full...),
			mean("delay_mean", leakyAt("loss", "leaky-queue", append([]string{"workload", "poisson", "load", "1"}, full...)...)...)),
		fmt.Sprintf("Of many at once with 20 tokens the first to be refused is number %.0f; who then keeps to the rate never finds more than %.0f token.",
			mean("first_refused", leakyAt("at-once", "token-bucket", full...)...), mean("highest_level", leakyAt("steady-after", "token-bucket", append(full, "load", "1")...)...)),
		fmt.Sprintf("Three tokens gained while idle, and one that was left, pass a burst of %.0f.", mean("burst_admitted", leakyAt("idle-then-burst", "token-bucket", full...)...)),
		fmt.Sprintf("Admitted rate / r is 1 - the share of time full, within %.4f, whatever arrives.", gap),
		fmt.Sprintf("In a flood with a limit of 20 a fixed window, a log and the counter (below) admit %.0f, %.0f and %.0f a window, the counter (fits) %.0f, who counts refused requests too %.0f, a bucket its rate, %.0f. With a limit of 1 the counter (fits) admits %.1f.",
			flood("fixed-window", "20"), flood("sliding-log", "20"), flood("sliding-counter-below", "20"), flood("sliding-counter-fits", "20"),
			flood("sliding-log-all", "20"), flood("token-bucket", "20"), flood("sliding-counter-fits", "1")),
	}
	return findings, failed
}
