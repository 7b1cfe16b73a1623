package adversary_test

import (
	"context"
	"fmt"

	"ratelab/experiments/adversary"
	"ratelab/limiters"
)

// How many requests can a weighted counter of 5 a second let through within one
// second? The search is told nothing of how it counts.
func Example() {
	limiter, err := limiters.Parse("sliding-counter:limit=5,window=1s")
	if err != nil {
		panic(err)
	}
	search := adversary.Against(limiter, adversary.Window)
	found, err := adversary.Search(context.Background(), search)
	if err != nil {
		panic(err)
	}
	bound, _ := search.Bound()
	fmt.Printf("%v of %v requests within 1 s: %s, the last at %s\n", found.Value(), bound.Most, bound.Source, found.Arrivals[len(found.Arrivals)-1])
	// Output:
	// 9 of 9 requests within 1 s: L+⌊L(w-2ns)/T⌋, rule fits, the last at 1.8s
}
