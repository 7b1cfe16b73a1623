package experiments

import "fmt"

func stampedeFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	peak := func(limiter, keys string) float64 { return r.mean("peak", stampedeAt(50, limiter, keys)...) }
	turn := peak(stampedeFixed, "own")
	return r.say(
		fmt.Sprintf("%s: of 50 blocked clients %.0f return in the second in which a fixed window turns.", either(turn == 50, "Everyone", fmt.Sprintf("%.0f%%", 2*turn)), turn),
		fmt.Sprintf("Edges of their own, jittered by 30 s, leave %.1f in the busiest second if each client has a key, and %.0f if all share one.", peak(stampedeJitter(30), "own"), peak(stampedeJitter(30), "one")),
	)
}
