package workloads

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mathext"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "page-load",
			Doc:  "users who load a page, a burst of related requests, and then read it",
			Params: []spec.Param{
				{Name: "users", Unit: "keys", Doc: "number of users, at most 1048576: keys 0 to users-1"},
				{Name: "size", Unit: "requests", Default: "20", Doc: "requests of a page"},
				{Name: "gap", Unit: "duration or 0", Default: "50ms", Doc: "between the requests of a page"},
				{Name: "think", Unit: "duration", Default: "30s", Doc: "mean of the time from a page's last request to the next page; exponential, >= 1us"},
			},
			More: "Each user starts somewhere in the long run: reading with chance think/(think + (size-1)·gap), else within a page. The mean rate is\n" +
				"users·size/(think + (size-1)·gap). However many users there are, the index of dispersion is that of one; it rises to\n" +
				"size·(think/(think + (size-1)·gap))².",
		},
		SetsKeys: true,
		MeanRate: func(v *spec.Values) float64 {
			size, gap, think := v.Count("size"), v.DurationOrZero("gap").Seconds(), v.Duration("think").Seconds()
			return float64(v.Count("users")) * float64(size) / (think + float64(size-1)*gap)
		},
		Law: func(v *spec.Values) Law {
			return pageLaw(int(v.Count("size")), v.DurationOrZero("gap").Seconds(), v.Duration("think").Seconds())
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			users, size, gap, think := v.Count("users"), v.Count("size"), v.DurationOrZero("gap"), v.Duration("think")
			if users < 1 || users > random.MaxTable {
				v.Fail("users", "must lie in 1..%d, got %s", random.MaxTable, v.Text("users"))
			}
			if size < 1 || size > 1<<20 {
				v.Fail("size", "must lie in 1..%d, got %s", 1<<20, v.Text("size"))
			}
			if v.Err() == nil && think < time.Microsecond {
				v.Fail("think", "must be >= 1us, got %s", v.Text("think"))
			}
			if v.Err() == nil {
				over, page := bits.Mul64(uint64(size-1), uint64(gap))
				if over > 0 || page > math.MaxInt64-uint64(think) {
					v.Fail("gap", "must be such that a page and the think time fit into the clock, got %s", v.Text("gap"))
				}
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			return newPageLoad(int(users), size, gap, think, env), nil
		},
		Examples: []string{
			"page-load:users=5,size=6,gap=50ms,think=1s",
			"page-load:users=100",
			"page-load:users=3,size=4,gap=0,think=2s",
			"page-load:users=10,size=1,think=500ms",
		},
	})
}

// pageLoad keeps when each user sends the next request.
type pageLoad struct {
	r      *rand.Rand
	agenda agenda
	left   []int64 // requests of the page still to come, the next one included
	size   int64
	gap    time.Duration
	think  float64 // ns
}

func newPageLoad(users int, size int64, gap, think time.Duration, env Env) *pageLoad {
	w := &pageLoad{
		r: env.Stream("think"), agenda: make(agenda, users), left: make([]int64, users), size: size, gap: gap, think: float64(think),
	}
	state := env.Stream("state")
	page := time.Duration(size-1) * gap
	for i := range w.agenda {
		w.left[i] = size
		at := time.Duration(state.Int64N(int64(page + think)))
		if at < page { // so long ago the page began
			sent := at / gap // and the first, which came then
			w.left[i] = size - int64(sent) - 1
			at = gap - at%gap
		} else {
			at = w.thinks()
		}
		w.agenda[i] = due{at, uint32(i)}
	}
	w.agenda.arrange()
	return w
}

func (w *pageLoad) thinks() time.Duration {
	return nearest(float64(random.Exponential(w.r) * w.think))
}

func (w *pageLoad) Next() (Arrival, bool) {
	next := w.agenda[0]
	if next.at == math.MaxInt64 {
		return Arrival{}, false
	}
	wait := w.gap
	if w.left[next.index]--; w.left[next.index] == 0 {
		w.left[next.index] = w.size
		wait = w.thinks()
	}
	w.agenda.postpone(later(next.at, wait))
	return Arrival{At: next.at, Key: next.index, Cost: 1}, true
}

// pageLaw is that of one user. With U(s) the mean number of arrivals within s
// after one, Var N(t) = λt + 2λ∫U - (λt)² (Cox and Lewis 1966). After an
// arrival come the rest of its page, and the pages after k = 1, 2, … think
// times, whose sum has a gamma law.
func pageLaw(size int, gap, think float64) Law {
	n, page := float64(size), float64(size-1)*gap
	rate := n / (think + page)
	atOnce := 1.0
	if gap == 0 {
		atOnce = n
	}
	law := Law{Source: "the rest of a page, and gamma laws for the pages after it, summed", AtOnce: atOnce, Limit: n * math.Pow(think/(think+page), 2)}
	if size > 64 {
		law.Source = "measured; a limit theorem for long times"
		law.Correlation = math.NaN()
		return law
	}
	law.Dispersion = func(d time.Duration) float64 {
		t, sum := d.Seconds(), 0.0
		// Both the arrival and those counted lie anywhere in their pages; what
		// matters is how far apart, m gaps, which occurs size-|m| times.
		for m := 1; m < size; m++ {
			sum += (n - float64(m)) * max(0, t-float64(m)*gap)
		}
		for k := 1.0; (k-1)*page-page < t && k <= 60+3*t/think+10*math.Sqrt(t/think); k++ {
			for m := 1 - size; m < size; m++ {
				// From the arrival to the one counted: k think times, k pages, m gaps.
				x := t - k*page - float64(m)*gap
				if x <= 0 {
					continue
				}
				sum += (n - math.Abs(float64(m))) * (x*mathext.GammaIncReg(k, x/think) - k*think*mathext.GammaIncReg(k+1, x/think))
			}
		}
		return 1 + 2*sum/n/t - rate*t
	}
	// The expansion of I for long t: cycles of mean c renew, as in Cox (1962),
	// and pages blur by their own lags.
	c := think + page
	cv2, third := think*think/(c*c), 2*math.Pow(think/c, 3)
	constant := n * n * (1./6 + cv2*cv2/2 - third/3)
	constant += blur(size, gap, c)
	if law.Limit != law.AtOnce {
		law.Correlation = -constant / rate / (law.Limit - law.AtOnce)
	} else if constant != 0 {
		law.Correlation = math.NaN()
	}
	return law
}

// blur returns what the spread of a page's requests adds to the variance of
// counts over long times, pages a mean c apart: for each pair of requests m gaps
// apart, minus the variance of the number of pages that begin in m gaps.
func blur(size int, gap, c float64) float64 {
	sum := 0.0
	for m := 1; m < size; m++ {
		x := float64(m) * gap / c
		sum += float64(size-m) * x * (1 - x)
	}
	return -2 * sum
}
