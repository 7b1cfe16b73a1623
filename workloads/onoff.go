package workloads

import (
	"math"
	"math/rand/v2"
	"time"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

// maxSilent bounds how many on periods may pass, on average, between two
// arrivals: beyond it the process is a Poisson process to any eye, and slow.
const maxSilent = 1_000_000

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "on-off",
			Doc:  "bursts and silences: Poisson at rate while on, nothing while off, exponential times of each",
			Params: []spec.Param{
				{Name: "rate", Unit: "rate", Doc: "requests per time while on"},
				{Name: "on", Unit: "duration", Doc: "mean of the on times"},
				{Name: "off", Unit: "duration", Doc: "mean of the off times"},
			},
			More: "A Markov-modulated Poisson process with two states, started in its stationary state: on with probability p = on/(on+off).\n" +
				"The mean rate is rate·p. With g = 1/on + 1/off the variance of the count in a time t is\n" +
				"rate·p·t + 2·rate²·p·(1-p)·(t/g - (1-exp(-g·t))/g²), so the index of dispersion rises from 1 to 1 + 2·rate·(1-p)/g.",
		},
		MeanRate: func(v *spec.Values) float64 {
			on, off := float64(v.Duration("on")), float64(v.Duration("off"))
			return v.Rate("rate").PerSecond() * (on / (on + off))
		},
		Law: func(v *spec.Values) Law {
			rate, on, off := v.Rate("rate").PerSecond(), v.Duration("on").Seconds(), v.Duration("off").Seconds()
			g, silent := 1/on+1/off, off/(on+off)
			return Law{
				Source: "variance of a doubly stochastic Poisson process (Cox and Lewis 1966)",
				Dispersion: func(t time.Duration) float64 {
					return 1 + 2*rate*silent/g*(1+math.Expm1(-g*t.Seconds())/(g*t.Seconds()))
				},
				AtOnce:      1,
				Limit:       1 + 2*rate*silent/g,
				Correlation: 1 / g,
			}
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			r, on, off := v.Rate("rate"), v.Duration("on"), v.Duration("off")
			if err := v.Err(); err != nil {
				return nil, err
			}
			if least := r.P / time.Duration(r.N) / maxSilent; on < least {
				v.Fail("on", "must be >= %s, a millionth of 1/rate, got %s; write poisson if you mean so few a burst", spec.FormatDuration(least), v.Text("on"))
				return nil, v.Err()
			}
			return newOnOff(r, on, off, env.Stream), nil
		},
		Examples: []string{
			"on-off:rate=100/s,on=1s,off=3s",
			"on-off:rate=20/s,on=10ms,off=90ms", // often nothing at all in a burst
			"on-off:rate=1000/s,on=100ms,off=1ms",
		},
	})
}

// onOff runs two clocks: one that goes only while on, one only while off. On
// the on clock the arrivals are a Poisson process, and so are the ends of the
// on periods; on the off clock the ends of the off periods are one. An
// arrival's time is what both clocks show. Each of the three is rounded down
// by itself and without accumulating, so a time is less than 2 ns early.
type onOff struct {
	arrivals *random.ExpGaps // on the on clock
	onEnds   *random.ExpGaps // on the on clock
	offEnds  *random.ExpGaps // on the off clock
	onEnd    time.Duration   // when the present on period ends, on the on clock
	off      time.Duration   // what the off clock shows during the present on period
}

func newOnOff(r spec.Rate, on, off time.Duration, stream func(string) *rand.Rand) *onOff {
	w := &onOff{
		arrivals: random.NewExpGaps(stream("gaps"), r.N, int64(r.P)),
		onEnds:   random.NewExpGaps(stream("on"), 1, int64(on)),
		offEnds:  random.NewExpGaps(stream("off"), 1, int64(off)),
	}
	// The stationary state is on with probability on/(on+off), and what is
	// left of a period has the law of a whole one: it has no memory.
	if stream("state").Uint64N(uint64(on)+uint64(off)) >= uint64(on) {
		w.off = w.offEnds.Next()
	}
	w.onEnd = w.onEnds.Next()
	return w
}

func (w *onOff) Next() (Arrival, bool) {
	at := w.arrivals.Next()
	for at >= w.onEnd && w.onEnd < math.MaxInt64 {
		w.onEnd = w.onEnds.Next()
		w.off = w.offEnds.Next()
	}
	if at >= math.MaxInt64-w.off {
		return Arrival{}, false
	}
	return Arrival{At: at + w.off, Cost: 1}, true
}
