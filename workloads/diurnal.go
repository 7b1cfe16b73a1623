package workloads

import (
	"math/bits"
	"time"

	"ratelab/internal/spec"
)

// shapes are rates at equal parts of the period, straight lines between them,
// from 0 (low) to 100 (high). The day is made up: dead at five, lunch at twelve,
// the evening its peak. A table, not a sine, whose bits differ between machines.
var shapes = map[string][]int64{
	"triangle": {0, 100},
	"day":      {24, 14, 7, 2, 1, 0, 8, 21, 41, 58, 68, 74, 76, 75, 74, 75, 77, 81, 88, 96, 100, 91, 70, 45},
}

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "diurnal",
			Doc:  "a rate that rises and falls with the hours: Poisson at each moment",
			Params: []spec.Param{
				{Name: "low", Unit: "rate", Doc: "the lowest rate"},
				{Name: "high", Unit: "rate", Doc: "the highest rate, >= low"},
				{Name: "period", Unit: "duration", Default: "1d", Doc: "until all begins anew"},
				{Name: "shape", Unit: "triangle|day", Default: "triangle", Doc: "triangle: low at 0, high half a period later; day: 24 hours, low at 5, high at 20"},
			},
			More: "The rate goes in straight lines, so that every count has a Poisson law whose mean is known exactly: (low+high)/2 for triangle,\n" +
				"low + 0.566·(high-low) for day. Seen from a random place the index of dispersion grows from 1 with the length, up to about a third of\n" +
				"the period, and returns to 1: over whole periods nothing varies but by chance.",
		},
		MeanRate: func(v *spec.Values) float64 { return repeated(diurnal(v)).rate * 1e9 },
		Law: func(v *spec.Values) Law {
			return repeated(diurnal(v)).law(1, 1, "a Poisson count of known mean at each phase, averaged over the phase exactly")
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			stretches := diurnal(v)
			if err := v.Err(); err != nil {
				return nil, err
			}
			return newVarying(env.Stream("gaps"), stretches, 0), nil
		},
		Examples: []string{"diurnal:low=20/s,high=100/s,period=10s", "diurnal:low=5/s,high=50/s,period=24s,shape=day", "diurnal:low=1/d,high=1/d,period=1s"},
	})
}

// diurnal reads the stretches of a spec.
func diurnal(v *spec.Values) []stretch {
	low, high, period := v.Rate("low"), v.Rate("high"), v.Duration("period")
	shape := shapes[v.Choice("shape", "triangle", "day")]
	if v.Err() != nil {
		return nil
	}
	if perNS(low) > perNS(high) {
		v.Fail("high", "must be >= low, %s, got %s", v.Text("low"), v.Text("high"))
	}
	at := func(k int) time.Duration {
		over, product := bits.Mul64(uint64(period), uint64(k))
		whole, _ := bits.Div64(over, product, uint64(len(shape)))
		return time.Duration(whole)
	}
	rate := func(k int) float64 {
		return perNS(low) + float64((perNS(high)-perNS(low))*(float64(shape[k%len(shape)])/100))
	}
	var stretches []stretch
	for k := range shape {
		if length := at(k+1) - at(k); length > 0 {
			stretches = append(stretches, stretch{length, rate(k), rate(k + 1)})
		}
	}
	return stretches
}

// perNS returns a rate in requests per ns.
func perNS(r spec.Rate) float64 { return float64(r.N) / float64(r.P) }
