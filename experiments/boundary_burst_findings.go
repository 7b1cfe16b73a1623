package experiments

import (
	"fmt"
	"strings"
)

// boundaryFindings says what was found.
func boundaryFindings(d *Data) ([]string, error) {
	var failed error
	mean := func(metric string, at ...string) float64 {
		v, err := boundaryMean(d, metric, at...)
		if err != nil && failed == nil {
			failed = err
		}
		return v
	}
	blink := func(limiter, window string) float64 {
		return mean("admitted_in_blink", "part", "straddle", "limiter", limiter, "limit", "100", "window", window)
	}
	after := func(limiter string) float64 {
		return mean("admitted_after_edge", "part", "story", "limiter", limiter, "limit", "100", "window", "1m")
	}
	told := func(limiter, moment string) float64 {
		return mean("admitted", "part", "timeline", "limiter", limiter, "limit", "100", "window", "1m", "sixtieth", moment)
	}
	most := func(limiter, delta string) float64 {
		return mean("most_admitted", "part", "envelope", "limiter", limiter, "limit", "10", "window", "10s", "delta", delta)
	}
	second, day := blink("fixed-window", "1s"), blink("fixed-window", "1d")
	passed := fmt.Sprintf("%.0f requests with a limit of 100, whether the window is a second or a day", second)
	if second != day {
		passed = fmt.Sprintf("%.0f requests with a limit of 100 and a window of a second, %.0f if it is a day", second, day)
	}
	counter, bucket := most("sliding-counter-fits", "2"), most("token-bucket", "2")
	beyond := fmt.Sprintf("In two windows it is %.0f from the counter and %.0f from the bucket.", counter, bucket)
	if counter < bucket {
		beyond = strings.Replace(beyond, ".", ": beyond a window the counter falls behind.", 1)
	}
	findings := []string{
		fmt.Sprintf("Around the edge of a fixed window pass %s; a sliding log admits %.0f, the weighted counter %.0f (fits) or %.0f (below), a token bucket of that burst %.0f.",
			passed, blink("sliding-log", "1d"), blink("sliding-counter-fits", "1d"), blink("sliding-counter-below", "1d"), blink("token-bucket", "1d")),
		fmt.Sprintf("Three quiet requests, 97 at 0:59 and 100 at 1:01 under 100 a minute: a fixed window passes %.0f within two seconds.",
			told("fixed-window", "61")-told("fixed-window", "40")),
		fmt.Sprintf("Of the 100 at 1:01 a sliding log admits %.0f, the counter %.0f (fits) or %.0f (below), a token bucket %.0f.",
			after("sliding-log"), after("sliding-counter-fits"), after("sliding-counter-below"), after("token-bucket")),
		fmt.Sprintf("Whoever knows the limiter gets in one window, of a limit of 10: %.0f from a fixed window, %.0f from one that opens with a request, %.0f from a log, %.0f from the counter (fits) and from a bucket %.0f.",
			most("fixed-window", "1"), most("fixed-window-first", "1"), most("sliding-log", "1"), most("sliding-counter-fits", "1"), most("token-bucket", "1")),
		beyond,
		fmt.Sprintf("Edges that differ by key move the loophole and do not close it: who reads Retry-After gets %.0f in one window.", most("fixed-window-jitter", "1")),
	}
	return findings, failed
}
