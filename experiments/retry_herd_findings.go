package experiments

import "fmt"

func herdFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	peak := func(client string) float64 { return r.mean("peak", herdAt(50, client)...) }
	told := peak(herdTold)
	full := r.mean("in_second", herdIn(0, 50, herdFull)...)
	line := func(hints string) float64 { return r.mean("returns", herdKeyAt(50, "2/s", hints)...) }
	return r.say(
		fmt.Sprintf("%s: %.0f of the fifty come in the same second if they do as they are told; if each adds up to 30 s of its own, %.1f come in the busiest.",
			either(told == 50, "Together", "Not quite together"), told, peak(herdJittered(30))),
		fmt.Sprintf("Full jitter from 1 s, without the hint, begins with %.1f returns in the first second%s.", full, either(full > 50, ", more than there are clients", "")),
		fmt.Sprintf("Fifty waiters of one key that are told the exact wait until the next token return %.0f times in all; told their place in line, %.0f times.", line("exact"), line("line")),
	)
}
