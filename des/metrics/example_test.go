package metrics_test

import (
	"fmt"
	"time"

	"ratelab/des/metrics"
)

// The most admitted in any second, wherever it begins, of a limiter that
// promised ten.
func ExampleWindow() {
	w := metrics.NewWindow(time.Second, 10)
	for _, at := range []time.Duration{0, 900 * time.Millisecond, time.Second} {
		w.Admit(at, 8)
	}
	fmt.Println(w.Max(), w.Overshoot())
	// Output: 16 1.6
}
