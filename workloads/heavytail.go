package workloads

import (
	"math"
	"math/rand/v2"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "heavy-tail",
			Doc:  "independent gaps of which most are short and a few very long",
			Params: []spec.Param{
				{Name: "rate", Unit: "rate", Doc: "requests per time, on average"},
				{Name: "law", Unit: "pareto|weibull", Default: "pareto", Doc: "law of the gaps"},
				{Name: "tail", Unit: "tail", Default: "1.5", Doc: "with law=pareto a gap exceeds x times the shortest with chance x^-tail; from 1.05 to 100"},
				{Name: "power", Unit: "power", Default: "2", Doc: "with law=weibull a gap is a power of an exponential, so that it exceeds x with chance exp(-(x/c)^(1/power)); 1 to 8"},
			},
			More: "Started in its stationary state: what is left of the first gap is the rest of one that is met in proportion to its length.\n" +
				"With tail <= 2 the gaps have no variance, and counts are the more dispersed the longer one counts, without bound; with tail > 2\n" +
				"the index of dispersion tends to 1/(tail·(tail-2)), for weibull to (2·power)!/power!² - 1.\n" +
				"A Pareto draw is e^(E/tail) of an exponential E, within two units in the last place of a float64, by operations that round alike on every machine.",
		},
		MeanRate: func(v *spec.Values) float64 { return v.Rate("rate").PerSecond() },
		Law:      heavyLaw,
		Build: func(v *spec.Values, env Env) (Workload, error) {
			r, law, tail, power := v.Rate("rate"), v.Choice("law", "pareto", "weibull"), v.Number("tail"), v.Count("power")
			checkTail(v, tail)
			if power < 1 || power > 8 {
				v.Fail("power", "must be a whole number from 1 to 8, got %s", v.Text("power"))
			}
			if law == "pareto" && v.Given("power") {
				v.Fail("power", "is for law=weibull, got %s with law=pareto", v.Text("power"))
			}
			if law == "weibull" && v.Given("tail") {
				v.Fail("tail", "is for law=pareto, got %s with law=weibull", v.Text("tail"))
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			mean := float64(r.P) / float64(r.N)
			if law == "pareto" {
				return &renewal{r: env.Stream("gaps"), gaps: newPareto(mean, tail)}, nil
			}
			return &renewal{r: env.Stream("gaps"), gaps: weibull{mean / factorial(power), int(power)}}, nil
		},
		Examples: []string{
			"heavy-tail:rate=100/s",
			"heavy-tail:rate=20/s,tail=3.5",
			"heavy-tail:rate=100/s,law=weibull",
			"heavy-tail:rate=1/m,law=weibull,power=3",
			"heavy-tail:rate=100/s,law=weibull,power=1",
		},
	})
}

// checkTail refuses an index whose mean is infinite, or nearly.
func checkTail(v *spec.Values, tail float64) {
	if !(tail >= 1.05 && tail <= 100) {
		v.Fail("tail", "must lie in 1.05..100, got %s", v.Text("tail"))
	}
}

// lengths is a law of lengths of time, in ns.
type lengths interface {
	draw(r *rand.Rand) float64
	rest(r *rand.Rand) float64 // what is left of one that is met at a random instant
}

// pareto has the density tail·least^tail / x^(tail+1) from least on.
type pareto struct{ least, tail float64 }

func newPareto(mean, tail float64) pareto { return pareto{mean / tail * (tail - 1), tail} }

func (p pareto) draw(r *rand.Rand) float64 { return float64(p.least * random.Pareto(r, p.tail)) }

// rest has a density in proportion to the chance of a longer one: flat up to
// least, which has (tail-1)/tail of it, and from there on Pareto's with an
// index one less.
func (p pareto) rest(r *rand.Rand) float64 {
	if u := r.Float64() * p.tail; u >= 1 {
		return float64(p.least * r.Float64())
	}
	return longest(p.least * paretoAbove(r, p.tail-1))
}

// paretoAbove draws Pareto's law of an index that may be below what
// random.Pareto takes, down to 0.05, by powers of a draw that it does take.
func paretoAbove(r *rand.Rand, tail float64) float64 {
	if tail >= 0.1 {
		return random.Pareto(r, tail)
	}
	x := random.Pareto(r, 4*tail)
	return float64(x*x) * float64(x*x)
}

// longest keeps a length finite.
func longest(ns float64) float64 { return min(ns, 1<<62) }

// weibull is scale·E^power of an exponential E.
type weibull struct {
	scale float64
	power int
}

func (l weibull) draw(r *rand.Rand) float64 { return l.of(random.Exponential(r)) }

func (l weibull) of(e float64) float64 {
	x := l.scale
	for range l.power {
		x = float64(x * e)
	}
	return longest(x)
}

// rest is a uniform part of one drawn in proportion to its length, whose E has
// the gamma law of 1+power exponentials.
func (l weibull) rest(r *rand.Rand) float64 {
	e := 0.0
	for range 1 + l.power {
		e += random.Exponential(r)
	}
	return float64(r.Float64() * l.of(e))
}

// renewal has independent gaps of one law.
type renewal struct {
	r     *rand.Rand
	gaps  lengths
	clock clock
	begun bool
}

func (w *renewal) Next() (Arrival, bool) {
	var gap float64
	if w.begun {
		gap = w.gaps.draw(w.r)
	} else {
		w.begun = true
		gap = w.gaps.rest(w.r)
	}
	at, ok := w.clock.advance(gap)
	return Arrival{At: at, Cost: 1}, ok
}

// heavyLaw gives what is known of renewal processes: with squared coefficient
// of variation c² and third central moment m of the gaps, of mean 1, the
// variance of the count in n mean gaps tends to c²·n + 1/6 + c⁴/2 - m/3
// (D. R. Cox, Renewal Theory, 1962, section 4.5).
func heavyLaw(v *spec.Values) Law {
	mean := v.Rate("rate").P.Seconds() / float64(v.Rate("rate").N)
	law := Law{Source: "measured; Cox, Renewal Theory (1962), for long times", AtOnce: 1, Limit: math.Inf(1), Correlation: math.Inf(1)}
	third := math.NaN() // E gap³ over mean³
	if v.Text("law") == "weibull" {
		p := v.Count("power")
		f := factorial(p)
		law.Limit = factorial(2*p)/(f*f) - 1
		third = factorial(3*p) / (f * f * f)
		law.Gap = func(q float64) float64 { return mean / f * math.Pow(-math.Log1p(-q), float64(p)) }
		if p == 1 {
			return memoryless(1, "a Poisson process")
		}
	} else {
		a := v.Number("tail")
		least := (a - 1) / a
		if a > 2 {
			law.Limit = 1 / (a * (a - 2))
		}
		if a > 3 {
			third = a / (a - 3) * least * least * least
		}
		law.Gap = func(q float64) float64 { return mean * least * math.Pow(1-q, -1/a) }
	}
	if c2 := law.Limit; !math.IsInf(c2, 1) && !math.IsNaN(third) {
		m := third - float64(3*c2) - 1
		law.Correlation = -mean * (1./6 + float64(c2*c2)/2 - m/3) / (c2 - 1)
	}
	return law
}

func factorial(n int64) float64 {
	f := 1.0
	for ; n > 1; n-- {
		f *= float64(n)
	}
	return f
}
