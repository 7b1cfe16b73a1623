package experiments

import "fmt"

func etiquetteFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	story := func(metric string) float64 {
		return r.mean(metric, "part", "story", "renewed", "window", "limit", "100", "told", "30", "retries", "5")
	}
	limited := func(metric string, retries int) float64 {
		return r.percent(metric, etiquetteLimited(0.5, retries, "4s")...)
	}
	lost := func(key string) float64 { return r.mean("units_per_success", etiquetteAstray(0.5, key)...) }
	return r.say(
		fmt.Sprintf("%s to wait 30 s, A retries five times at once and the server counts %.0f refusals; B waits, is served at return number %.0f, and has %.0f of its 100 left.",
			either(story("refused") == 7, "It costs refusals and brings nothing: told", "Told"), story("refused"), story("returns_of_b"), story("left_to_b")),
		fmt.Sprintf("Behind a limiter with room for half of the calls, ten retries raise the refusals from %.0f%% to %.0f%% of attempts, and the calls that succeed from %.0f%% to %.0f%%.",
			limited("refused_share", 0), limited("refused_share", 10), limited("success_share", 0), limited("success_share", 10)),
		fmt.Sprintf("A lost reply is paid for again: with half of them lost a success costs %.2f tokens, with an idempotency key %.2f.", lost("none"), lost("idempotency")),
	)
}
