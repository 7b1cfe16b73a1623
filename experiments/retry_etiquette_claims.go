package experiments

import (
	"strconv"

	"ratelab/experiments/theory"
)

func etiquetteClaims() []Claim {
	return []Claim{
		etiquetteRefused(),
		etiquetteOnce(),
		etiquetteWait(),
		etiquetteLeft(),
		etiquetteNever(),
		etiquettePaidAgain(),
		etiquettePaidOnce(),
		etiquetteAttempts(),
		etiquetteRefusal(),
		etiquetteLoad(),
		etiquetteNoMore(),
	}
}

func etiquetteTold(limit, told, retries int) []string {
	return []string{"part", "story", "renewed", "window", "limit", strconv.Itoa(limit), "told", strconv.Itoa(told), "retries", strconv.Itoa(retries)}
}

// etiquetteBucket is where politeness does not pay: a token comes every 0.6 s, B
// is told 1 s, and A comes every 0.4 s.
func etiquetteBucket(expected float64) []Point {
	return []Point{{At: []string{"part", "story", "renewed", "bucket"}, Expected: expected}}
}

func etiquetteRefused() Claim {
	c := Claim{
		Text:   "A, which is told to wait and tries again n times, is refused each time: with its first refusal and B's the server counts 2 + n, for five retries 7",
		Domain: "a fixed window, retries every 400 ms that end before the window does",
		Wrong:  "retries that outlast the window, a limiter that frees tokens meanwhile",
		Source: "counting: 2 + n",
		Metric: "refused", Relation: Exact,
	}
	for _, n := range []int{1, 5, 20} {
		c.Points = append(c.Points, Point{At: etiquetteTold(100, 30, n), Expected: float64(2 + n)})
	}
	c.Outside = append(etiquetteBucket(7), Point{At: etiquetteTold(100, 30, 100), Expected: 102})
	return c
}

func etiquetteOnce() Claim {
	c := Claim{
		Text:   "B, which waits as it was told, is admitted at its first return",
		Domain: "the limit renews for B when it says, A has given up",
		Wrong:  "a bucket, whose tokens A takes one by one, and hints rounded up",
		Source: "counting: 1",
		Metric: "returns_of_b", Relation: Exact,
	}
	for _, at := range [][3]int{{100, 30, 5}, {10, 30, 5}, {1000, 30, 5}, {100, 15, 5}, {100, 45, 5}} {
		c.Points = append(c.Points, Point{At: etiquetteTold(at[0], at[1], at[2]), Expected: 1})
	}
	c.Outside = etiquetteBucket(1)
	return c
}

func etiquetteWait() Claim {
	c := Claim{
		Text:   "and it is served exactly when it was told to come",
		Domain: "as above",
		Wrong:  "hints rounded up to whole seconds, jitter",
		Source: "Retry-After, in seconds",
		Metric: "time_to_success_max", Relation: Exact,
	}
	for _, told := range []int{15, 30, 45} {
		c.Points = append(c.Points, Point{At: etiquetteTold(100, told, 5), Expected: float64(told)})
	}
	c.Outside = etiquetteBucket(1)
	return c
}

func etiquetteLeft() Claim {
	c := Claim{
		Text:   "and has all of the new window but the one it spends: 99 of 100",
		Domain: "as above; nobody came before it",
		Wrong:  "a bucket, whose tokens come one by one; others that come as the window turns",
		Source: "counting: the limit less one",
		Metric: "left_to_b", Relation: Exact,
	}
	for _, limit := range []int{10, 100, 1000} {
		c.Points = append(c.Points, Point{At: etiquetteTold(limit, 30, 5), Expected: float64(limit - 1)})
	}
	c.Outside = etiquetteBucket(99)
	return c
}

func etiquetteAlone(limiter, client string, clients int) []string {
	return []string{"part", "lone", "limiter", limiter, "client", client, "clients", strconv.Itoa(clients)}
}

func etiquetteNever() Claim {
	c := Claim{
		Text:   "a lone client that paces itself by exact hints is never refused",
		Domain: "every canonical limiter, three requests a second where one is allowed",
		Wrong:  "many clients of the same key, a client that asks first and waits after",
		Source: "counting: 0",
		Metric: "refused", Relation: Exact,
	}
	for _, limiter := range etiquetteLimiters() {
		c.Points = append(c.Points, Point{At: etiquetteAlone(limiter, "paced", 1)})
	}
	c.Outside = []Point{
		{At: etiquetteAlone("fixed-window:limit=10,window=10s", "paced", 20)},
		{At: etiquetteAlone("token-bucket:rate=1/s,burst=10", "paced", 20)},
		{At: etiquetteAlone("fixed-window:limit=10,window=10s", "retry-after", 1)},
	}
	return c
}

func etiquetteAstray(lost float64, key string) []string {
	return []string{"part", "lost", "lost", fleetNumber(lost), "key", key}
}

func etiquettePaidAgain() Claim {
	c := Claim{
		Text:   "where replies are lost with probability q, a success costs 1/(1 − q) tokens without an idempotency key",
		Domain: "replies lost independently after the charge, clients that ask until they hear",
		Wrong:  "idempotency keys, requests that are lost before the charge, clients that give up",
		Source: "theory.TokensPerSuccess",
		Metric: "units_per_success", Relation: Equal,
	}
	for _, q := range []float64{0.05, 0.1, 0.25, 0.5, 0.75} {
		c.Points = append(c.Points, Point{At: etiquetteAstray(q, "none"), Expected: theory.TokensPerSuccess(q)})
	}
	c.Outside = []Point{{At: etiquetteAstray(0.25, "idempotency"), Expected: theory.TokensPerSuccess(0.25)}}
	return c
}

func etiquettePaidOnce() Claim {
	c := Claim{
		Text:   "and one with it, whatever is lost",
		Domain: "the server remembers a key as long as its request is under way",
		Wrong:  "no key",
		Source: "counting: 1",
		Metric: "units_per_success", Relation: Exact,
	}
	for _, q := range []float64{0.05, 0.1, 0.25, 0.5, 0.75} {
		c.Points = append(c.Points, Point{At: etiquetteAstray(q, "idempotency"), Expected: 1})
	}
	c.Outside = []Point{{At: etiquetteAstray(0.25, "none"), Expected: 1}}
	return c
}

func etiquetteOutside(p float64, retries int) []string {
	return []string{"part", "outside", "failure", fleetNumber(p), "retries", strconv.Itoa(retries)}
}

func etiquetteLimited(served float64, retries int, spread string) []string {
	return []string{"part", "limiter", "served", fleetNumber(served), "retries", strconv.Itoa(retries), "spread", spread}
}

func etiquetteAttempts() Claim {
	c := Claim{
		Text:   "where attempts fail from outside with probability p, m retries send (1 − p^(m+1))/(1 − p) attempts a call",
		Domain: "failures independent of each other and of the load",
		Wrong:  "a limiter that refuses: it is the retries that it refuses",
		Source: "theory.RetryAttempts",
		Metric: "amplification", Relation: Equal,
	}
	for _, at := range []struct {
		p       float64
		retries int
	}{{0.1, 1}, {0.1, 3}, {0.3, 1}, {0.3, 3}, {0.3, 10}, {0.5, 1}, {0.5, 3}, {0.5, 10}, {0.7, 3}, {0.7, 10}} {
		c.Points = append(c.Points, Point{At: etiquetteOutside(at.p, at.retries), Expected: theory.RetryAttempts(at.p, at.retries)})
	}
	c.Outside = []Point{{At: etiquetteLimited(0.5, 3, "4s"), Expected: theory.RetryAttempts(0.5, 3)}}
	return c
}

// etiquettePlaces are where the claims on limiters are checked.
var etiquettePlaces = []struct {
	served  float64
	retries int
}{{0.1, 3}, {0.25, 1}, {0.25, 3}, {0.25, 10}, {0.5, 1}, {0.5, 3}, {0.5, 10}}

func etiquetteRefusal() Claim {
	c := Claim{
		Text:   "behind a limiter of capacity c < λ, m spread-out retries make it refuse a share p = (1 − c/λ)^(1/(m+1)) of all attempts",
		Domain: "retries spread out over 4 s, so that attempts are independent; a saturated limiter",
		Wrong:  "retries at once, which the same empty bucket refuses",
		Source: "theory.LimiterRefusal",
		Metric: "refused_share", Relation: Equal,
	}
	for _, at := range etiquettePlaces {
		v := theory.LimiterRefusal(at.served, at.retries)
		c.Points = append(c.Points, Point{At: etiquetteLimited(at.served, at.retries, "4s"), Expected: v, Scale: shareScale(v)})
	}
	v := theory.LimiterRefusal(0.5, 3)
	c.Outside = []Point{{At: etiquetteLimited(0.5, 3, "0s"), Expected: v, Scale: shareScale(v)}}
	return c
}

func etiquetteLoad() Claim {
	c := Claim{
		Text:   "which is (c/λ)/(1 − p) attempts a call",
		Domain: "as above",
		Wrong:  "as above",
		Source: "theory.LimiterAttempts",
		Metric: "amplification", Relation: Equal,
	}
	for _, at := range etiquettePlaces {
		c.Points = append(c.Points, Point{At: etiquetteLimited(at.served, at.retries, "4s"), Expected: theory.LimiterAttempts(at.served, at.retries)})
	}
	c.Outside = []Point{{At: etiquetteLimited(0.5, 3, "0s"), Expected: theory.LimiterAttempts(0.5, 3)}}
	return c
}

func etiquetteNoMore() Claim {
	c := Claim{
		Text:   "and no more calls succeed: c/λ, with any number of retries",
		Domain: "a saturated limiter that does not pay for what it refuses",
		Wrong:  "failures from outside, against which retries help",
		Source: "what the limiter admits: c/λ",
		Metric: "success_share", Relation: Equal,
	}
	for _, served := range []float64{0.25, 0.5} {
		for _, retries := range []int{0, 1, 3, 10} {
			c.Points = append(c.Points, Point{At: etiquetteLimited(served, retries, "4s"), Expected: served})
		}
	}
	c.Outside = []Point{{At: etiquetteOutside(0.5, 3), Expected: 0.5}}
	return c
}
