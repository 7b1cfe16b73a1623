package notebook

import (
	"maps"
	"slices"
)

// chapters is the order of the tour: from one limiter to many, from what is decided to what callers make of it.
var chapters = []struct {
	id, title, lead string
	names           []string
}{
	{
		"one-limiter", "One limiter", "One server, one rule, one caller. What does it let through, and whom does it refuse?",
		[]string{"boundary-burst", "sliding-counter-error", "token-vs-leaky", "window-phase", "nginx-burst-delay", "memory-bill"},
	},
	{
		"a-fleet", "A fleet", "The same limit on many servers behind a balancer. Somebody has to count, and counting together costs something.",
		[]string{"fleet-overshoot", "fleet-quota", "fleet-sync", "fleet-lease", "fleet-central"},
	},
	{
		"callers", "Callers that come back", "A refusal is a message. What callers do with it decides what arrives next.",
		[]string{"retry-etiquette", "retry-herd", "reset-stampede", "backoff-contention", "retry-budget", "overload-collapse"},
	},
	{
		"who-pays", "Who pays", "Many callers, several limits, one capacity. Whose requests are refused, and whose are not?",
		[]string{"layered-limits", "shed-vs-throttle", "fairness"},
	},
	{
		"which-one", "Which limiter?", "Every rule under the same traffic, at equal terms.",
		[]string{"trace-replay", "choose"},
	},
	{"more", "More questions", "", nil}, // those without a place above
}

// arrange puts entries into chapters, in the order of the tour, and leaves out chapters that have none.
func arrange(entries map[string]entry) (arranged []chapter) {
	left := maps.Clone(entries)
	for _, c := range chapters {
		names := c.names
		if names == nil {
			names = slices.Sorted(maps.Keys(left))
		}
		made := chapter{ID: c.id, Title: c.title, Lead: c.lead}
		for _, name := range names {
			if e, there := left[name]; there {
				made.Entries = append(made.Entries, e)
				delete(left, name)
			}
		}
		if len(made.Entries) > 0 {
			arranged = append(arranged, made)
		}
	}
	return arranged
}
