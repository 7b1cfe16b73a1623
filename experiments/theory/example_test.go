package theory_test

import (
	"fmt"

	"ratelab/experiments/theory"
)

// What a token bucket refuses of Poisson arrivals at its own rate.
func ExampleTokenBucketLoss() {
	for _, burst := range []int{1, 5, 20} {
		fmt.Printf("%.4f\n", theory.TokenBucketLoss(1, burst))
	}
	// Output:
	// 0.5000
	// 0.1034
	// 0.0252
}
