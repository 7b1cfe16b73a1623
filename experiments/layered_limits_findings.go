package experiments

import "fmt"

func layeredFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	others := func(charge, order string) float64 {
		return r.mean("others_admitted", "part", "greedy", "charge", charge, "order", order, "greedy", "200", "others", "8")
	}
	bill := func(limit string) string {
		return layeredDollars(r.mean("bill", "part", "loop", "limit", limit, "pause", "100ms", "span", "1d"))
	}
	one, other := others("admitted", "user-first"), others("admitted", "shared-first")
	return r.say(
		fmt.Sprintf("Charged on admission, a greedy user of 200 requests pays for what it gets and leaves the others %.0f of their %d, %s; where every layer charges refusals too, it leaves them %.0f.",
			one, 8*layeredEach, either(one == other, "in whatever order the layers stand", fmt.Sprintf("or %.0f with the shared limit first", other)), others("always", "user-first")),
		fmt.Sprintf("Charged in order, the others get %.0f if the user's limit stands first, %.0f if the shared one does.", others("in-order", "user-first"), others("in-order", "shared-first")),
		fmt.Sprintf("A client stuck in a loop costs $%s a day without a limit, $%s behind a bucket, $%s with a stricter one behind that.", bill("none"), bill("bucket"), bill("layers")),
	)
}
