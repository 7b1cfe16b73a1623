package experiments

import "fmt"

func billFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	bytes := func(limiter, limit, held string) float64 {
		return r.mean("bytes_per_key", "part", "bytes", "limiter", limiter, "limit", limit, "held", held, "keys", "4096")
	}
	evicted := func(metric, capacity string) float64 {
		return r.percent(metric, "part", "eviction", "limiter", "leaky-meter", "eviction", "lru:capacity="+capacity)
	}
	steady := bytes("token-bucket", "256", "1") == bytes("token-bucket", "1", "1") && bytes("sliding-counter", "256", "1") == bytes("sliding-counter", "1", "1")
	return r.say(
		fmt.Sprintf("A token bucket takes %.0f bytes a key and a sliding counter %.0f, %s; a log takes %.0f for 16 requests and %.0f for 256.",
			bytes("token-bucket", "256", "1"), bytes("sliding-counter", "256", "1"), either(steady, "whatever they count to", "at a limit of 256"), bytes("sliding-log", "16", "16"), bytes("sliding-log", "256", "256")),
		fmt.Sprintf("To forget keys before they are at rest lets them begin anew: with room for a tenth of them %.0f%% of decisions change, and %.0f%% of requests are admitted instead of %.0f%%.",
			evicted("decisions_changed", "200"), evicted("admit_share", "200"), evicted("admit_share", "2000")),
	)
}
