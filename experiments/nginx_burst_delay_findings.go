package experiments

import (
	"fmt"

	"ratelab/experiments/theory"
)

func nginxFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	passed := func(burst, hold string) (most float64) {
		s, err := d.Series("passed", "passed", "moment", "part", "story", "burst", burst, "hold", hold)
		if err != nil {
			if r.err == nil {
				r.err = err
			}
			return 0
		}
		return s.Y[len(s.Y)-1]
	}
	refused := func(rate string) float64 {
		return r.percent("loss", "part", "poisson", "limiter", "nginx", "workload", "poisson", "rate", rate, "burst", "0", "load", "1")
	}
	with, nodelay, delay, without := passed("5", "0"), passed("5", "nodelay"), passed("5", "2"), passed("0", "0")
	exact := 100 * theory.TokenBucketLoss(1, 1)
	return r.say(
		fmt.Sprintf("burst=5 lets %.0f of %d requests in two bursts pass instead of %.0f; %s.", with, len(nginxStoryBursts)*nginxStorySize, without,
			either(with == nodelay && with == delay, "delay and nodelay decide only when they leave, not how many",
				fmt.Sprintf("with nodelay it is %.0f, with delay=2 %.0f", nodelay, delay))),
		fmt.Sprintf("Without a burst the queue it stands for refuses %.1f%% of Poisson traffic at its rate; nginx, on its clock of 1 ms, refuses %.1f%% at 10 requests a second and %.1f%% at 1000.",
			exact, refused("10r/s"), refused("1000r/s")),
	)
}
