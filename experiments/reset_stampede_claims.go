package experiments

import (
	"strconv"

	"ratelab/experiments/theory"
)

func stampedeClaims() []Claim {
	return []Claim{stampedeFlip(), stampedeBins(), stampedeOneKey(), stampedeRepeats(), stampedeAtOnce()}
}

func stampedeAt(n int, limiter, keys string) []string {
	part := "jitter"
	if limiter == stampedeFixed {
		part = "flip"
	}
	return []string{"part", part, "clients", strconv.Itoa(n), "limiter", limiter, "keys", keys}
}

func stampedeFlip() Claim {
	c := Claim{
		Text:   "everyone who is blocked comes back in the second in which the window turns",
		Domain: "a fixed window with the same edges for all keys; clients that obey",
		Wrong:  "edges jittered by key, jitter of the clients",
		Source: "counting: n",
		Metric: "peak", Relation: Exact,
	}
	for _, n := range []int{10, 50, 200, 1000} {
		c.Points = append(c.Points, Point{At: stampedeAt(n, stampedeFixed, "own"), Expected: float64(n)})
	}
	for _, n := range []int{10, 50, 200} {
		c.Points = append(c.Points, Point{At: stampedeAt(n, stampedeFixed, "one"), Expected: float64(n)})
	}
	c.Outside = []Point{{At: stampedeAt(50, stampedeJitter(30), "own"), Expected: 50}}
	return c
}

func stampedeBins() Claim {
	c := Claim{
		Text:   "edges jittered by key make them balls in bins: the mean of their busiest second",
		Domain: "a key for each client, jitter uniform over whole seconds, up to the window",
		Wrong:  "one key for all, phases that are not uniform or not of each key's own",
		Source: "theory.HerdPeakMean",
		Metric: "peak", Relation: Equal,
	}
	for _, at := range []struct{ n, seconds int }{{50, 10}, {50, 30}, {50, 60}, {100, 30}} {
		c.Points = append(c.Points, Point{At: stampedeAt(at.n, stampedeJitter(at.seconds), "own"), Expected: theory.HerdPeakMean(at.n, at.seconds)})
	}
	c.Outside = []Point{
		{At: stampedeAt(50, stampedeJitter(30), "one"), Expected: theory.HerdPeakMean(50, 30)},
		{At: stampedeAt(50, stampedeFixed, "own"), Expected: theory.HerdPeakMean(50, 30)},
	}
	return c
}

func stampedeOneKey() Claim {
	c := Claim{
		Text:   "and do nothing for clients of one key: all come back in one second still",
		Domain: "one key for all",
		Wrong:  "keys of their own",
		Source: "counting: n",
		Metric: "peak", Relation: Exact,
	}
	for _, at := range []struct{ n, seconds int }{{50, 10}, {50, 30}, {50, 60}, {100, 30}} {
		c.Points = append(c.Points, Point{At: stampedeAt(at.n, stampedeJitter(at.seconds), "one"), Expected: float64(at.n)})
	}
	c.Outside = []Point{{At: stampedeAt(50, stampedeJitter(30), "own"), Expected: 50}}
	return c
}

func stampedeRefilled(limiter, burst string) []string {
	return []string{"part", "refill", "limiter", limiter, "burst", burst}
}

func stampedeRepeats() Claim {
	c := Claim{
		Text:   "a sliding log repeats the shape of the burst that filled it, one window later, to the nanosecond",
		Domain: "one key, as many waiting as its limit at least, exact hints",
		Wrong:  "a window with edges, a counter that forgets the shape, too few that wait, hints rounded up",
		Source: "the log frees each place one window after it was taken",
		Metric: "shape_error", Relation: Exact,
	}
	for _, burst := range []string{"10/s", "20/s", "100/s", "1000/s"} {
		c.Points = append(c.Points, Point{At: stampedeRefilled(stampedeLog, burst), Expected: 0})
	}
	for _, burst := range []string{"10/s", "20/s", "100/s"} {
		c.Outside = append(c.Outside,
			Point{At: stampedeRefilled(stampedeSpent, burst), Expected: 0}, Point{At: stampedeRefilled(stampedeCounter, burst), Expected: 0})
	}
	return c
}

func stampedeAtOnce() Claim {
	c := Claim{
		Text:   "a fixed window is filled again at once",
		Domain: "one key, as many waiting as its limit at least, exact hints",
		Wrong:  "a window that slides",
		Source: "counting: the limit, 50",
		Metric: "admitted_peak", Relation: Exact,
	}
	for _, burst := range []string{"10/s", "20/s", "100/s"} {
		c.Points = append(c.Points, Point{At: stampedeRefilled(stampedeSpent, burst), Expected: 50})
	}
	c.Outside = []Point{
		{At: stampedeRefilled(stampedeLog, "10/s"), Expected: 50},
		{At: stampedeRefilled(stampedeCounter, "100/s"), Expected: 50},
	}
	return c
}
