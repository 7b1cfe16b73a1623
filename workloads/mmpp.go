package workloads

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

const maxStates = 8

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "mmpp",
			Doc:  "moods: Poisson at a rate that jumps between states (a Markov-modulated Poisson process)",
			Params: []spec.Param{
				{Name: "rates", Unit: "rates", Doc: "requests per time in each of 2 to 8 states, as in 5/20/100/s; 0 may be among them"},
				{Name: "stay", Unit: "durations", Doc: "mean time in each state, as in 10s/3s/500ms; exponential"},
				{Name: "jump", Unit: "any|next", Default: "any", Doc: "where a state leads to: any of the others alike, or the next in the list, the first after the last"},
			},
			More: "Started in its stationary state: in each with a chance in proportion to stay. The mean rate is the mean of rates, weighted by stay.\n" +
				"Two states, one of rate 0, are on-off. With π the chances, Q the generator, Λ the rates and u = Λ - πΛ, the variance of the count in\n" +
				"a time t is πΛ·t + 2·∫ (t-s)·Σ πᵢΛᵢ(exp(Q·s)·u)ᵢ ds over s from 0 to t.",
		},
		MeanRate: func(v *spec.Values) float64 { return moods(v).mean() * 1e9 },
		Law:      func(v *spec.Values) Law { return moods(v).law() },
		Build: func(v *spec.Values, env Env) (Workload, error) {
			m := moods(v)
			if v.Err() == nil && m.mean()*m.cycle()*maxSilent < float64(len(m.rates)) {
				v.Fail("stay", "must be long enough that one in a million visits to a state brings a request, got %s", v.Text("stay"))
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			return newMMPP(m, env.Stream("gaps"), env.Stream("states")), nil
		},
		Examples: []string{
			"mmpp:rates=5/20/100/s,stay=4s/2s/500ms",
			"mmpp:rates=0/30/m,stay=10s/20s",
			"mmpp:rates=10/0/40/10/s,stay=300ms/1s/200ms/500ms,jump=next",
		},
	})
}

// mood is a chain of states.
type mood struct {
	rates []float64 // requests per ns
	stay  []float64 // ns
	next  bool      // jump=next
}

// moods reads a chain; faults are left in v.
func moods(v *spec.Values) (m mood) {
	text := v.Text("rates")
	slash := strings.LastIndexByte(text, '/')
	numbers := strings.Split(text[:max(0, slash)], "/")
	for _, number := range numbers {
		zero := strings.Trim(number, "0.") == "" && strings.Contains(number, "0")
		rate, err := spec.ParseRate(number + "/" + text[slash+1:])
		if zero {
			rate, err = spec.ParseRate("1/" + text[slash+1:])
		}
		if err != nil || len(numbers) < 2 || len(numbers) > maxStates {
			v.Fail("rates", "must be 2 to %d numbers and a time, as in 5/20/100/s, got %q", maxStates, text)
			return m
		}
		if zero {
			rate.N = 0
		}
		m.rates = append(m.rates, perNS(rate))
	}
	if slices.Max(m.rates) == 0 {
		v.Fail("rates", "must not all be 0, got %s", text)
	}
	for part := range strings.SplitSeq(v.Text("stay"), "/") {
		d, err := spec.ParseDuration(part)
		if err != nil || d <= 0 {
			v.Fail("stay", "must be durations > 0 as in 10s/3s/500ms, got %q", v.Text("stay"))
			return m
		}
		m.stay = append(m.stay, float64(d))
	}
	if len(m.stay) != len(m.rates) {
		v.Fail("stay", "must be one duration for each of %d rates, got %q", len(m.rates), v.Text("stay"))
		m.stay = make([]float64, len(m.rates))
	}
	m.next = v.Choice("jump", "any", "next") == "next"
	return m
}

// cycle returns the sum of the mean stays.
func (m mood) cycle() (sum float64) {
	for _, s := range m.stay {
		sum += s
	}
	return sum
}

// mean returns the mean rate: either jump brings the chain to every state
// equally often.
func (m mood) mean() float64 {
	sum := 0.0
	for i, s := range m.stay {
		sum += float64(m.rates[i] * s)
	}
	return sum / m.cycle()
}

// law solves for the variance. The integral is the corner of one exponential:
// of Q·t bordered by u and by the integration over s, in units of t and of the
// mean rate.
func (m mood) law() Law {
	n, mean, cycle := len(m.rates), m.mean(), m.cycle()
	q, chance, u := mat.NewDense(n+2, n+2, nil), make([]float64, n), make([]float64, n)
	atZero := 0.0 // c(0) of the rate
	for i := range n {
		chance[i], u[i] = m.stay[i]/cycle, m.rates[i]-mean
		atZero += chance[i] * u[i] * u[i]
		q.Set(i, i, -1/m.stay[i])
		for j := range n {
			switch {
			case i == j:
			case m.next && j == (i+1)%n:
				q.Set(i, j, q.At(i, j)+1/m.stay[i])
			case !m.next:
				q.Set(i, j, 1/m.stay[i]/float64(n-1))
			}
		}
		q.Set(i, n, u[i]/mean)
	}
	weigh := func(at func(i int) float64) (sum float64) {
		for i := range n {
			sum += chance[i] * m.rates[i] * at(i)
		}
		return sum
	}
	// Solve (1π - Q)x = u and (1π - Q)y = x: ∫c = πΛx, ∫s·c = πΛy.
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, chance[j]/cycle*float64(n)-q.At(i, j)) // scaled like Q
		}
	}
	var x, y mat.VecDense
	if x.SolveVec(a, mat.NewVecDense(n, u)) != nil || y.SolveVec(a, &x) != nil {
		return Law{Limit: math.NaN(), Correlation: math.NaN()}
	}
	covariance := weigh(x.AtVec)
	correlation := 0.0
	if atZero > 0 {
		correlation = weigh(y.AtVec) / covariance / 1e9
	}
	return Law{
		Source: "variance of a doubly stochastic Poisson process (Fischer and Meier-Hellstern 1993)",
		Dispersion: func(t time.Duration) float64 {
			var scaled, e mat.Dense
			scaled.CloneFrom(q)
			for i := range n {
				for j := range n {
					scaled.Set(i, j, q.At(i, j)*float64(t))
				}
			}
			scaled.Set(n, n+1, 1)
			e.Exp(&scaled)
			return 1 + 2*float64(t)*weigh(func(i int) float64 { return e.At(i, n+1) })
		},
		AtOnce:      1,
		Limit:       1 + 2*covariance/mean,
		Correlation: correlation,
	}
}

// mmpp runs the chain and draws arrivals of the present state. What is left of
// a state has the law of a whole stay, so it starts like any other.
type mmpp struct {
	mood
	gaps, states *rand.Rand
	clock        clock
	state        int
	left         float64 // ns of the present state
}

func newMMPP(m mood, gaps, states *rand.Rand) *mmpp {
	w := &mmpp{mood: m, gaps: gaps, states: states}
	for at := states.Float64() * m.cycle(); w.state < len(m.stay)-1 && at >= m.stay[w.state]; w.state++ {
		at -= m.stay[w.state]
	}
	w.left = random.Exponential(states) * m.stay[w.state]
	return w
}

func (w *mmpp) Next() (Arrival, bool) {
	need, wait := random.Exponential(w.gaps), 0.0
	for need >= float64(w.rates[w.state]*w.left) {
		need = max(0, need-float64(w.rates[w.state]*w.left))
		wait += w.left
		if wait >= math.MaxInt64 {
			break
		}
		n := len(w.rates)
		if w.next {
			w.state = (w.state + 1) % n
		} else {
			w.state = (w.state + 1 + w.states.IntN(n-1)) % n
		}
		w.left = float64(random.Exponential(w.states) * w.stay[w.state])
	}
	if w.rates[w.state] > 0 {
		x := min(need/w.rates[w.state], w.left)
		w.left -= x
		wait += x
	}
	at, ok := w.clock.advance(wait)
	return Arrival{At: at, Cost: 1}, ok
}
