package workloads

import (
	"math"
	"time"

	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "flash-crowd",
			Doc:  "a base rate, and then everybody comes: a peak with a rise and a decay",
			Params: []spec.Param{
				{Name: "rate", Unit: "rate", Doc: "before and after"},
				{Name: "peak", Unit: "rate", Doc: "while the crowd is there; it may be lower than rate"},
				{Name: "from", Unit: "duration or 0", Doc: "when the crowd begins to come"},
				{Name: "to", Unit: "duration", Doc: "when it begins to leave"},
				{Name: "rise", Unit: "duration or 0", Default: "0", Doc: "from rate to peak, in a straight line that begins at from"},
				{Name: "decay", Unit: "duration or 0", Default: "0", Doc: "from peak back to rate, in a straight line that begins at to"},
				{Name: "every", Unit: "duration", Default: "never", Doc: "the story begins anew so often"},
			},
			More: "Poisson at each moment. With rise=0 and decay=0 it is a spike: the rate is peak in [from, to) and rate elsewhere. It comes once, unless\n" +
				"every is given; only then there is a mean rate.",
		},
		MeanRate: func(v *spec.Values) float64 {
			if !v.Given("every") {
				return 0
			}
			return repeated(crowd(v)).rate * 1e9
		},
		Law: func(v *spec.Values) Law {
			return repeated(crowd(v)).law(1, 1, "a Poisson count of known mean at each phase, averaged over the phase exactly")
		},
		Span: func(v *spec.Values) time.Duration {
			return later(v.Duration("to")+v.DurationOrZero("decay"), v.DurationOrZero("from"))
		},
		Build: func(v *spec.Values, env Env) (Workload, error) {
			stretches := crowd(v)
			if err := v.Err(); err != nil {
				return nil, err
			}
			loop := 0
			if !v.Given("every") {
				loop = len(stretches) - 1
			}
			return newVarying(env.Stream("gaps"), stretches, loop), nil
		},
		Examples: []string{
			"flash-crowd:rate=50/s,peak=500/s,from=20s,to=40s,rise=2s,decay=10s",
			"flash-crowd:rate=10/s,peak=60/s,from=2s,to=3s,rise=500ms,decay=2s,every=10s",
			"flash-crowd:rate=100/s,peak=1/s,from=0,to=1s,every=2s", // a pause
		},
	})
}

// crowd reads the stretches of a spec. The last one is at the base rate.
func crowd(v *spec.Values) []stretch {
	rate, peak := perNS(v.Rate("rate")), perNS(v.Rate("peak"))
	from, to := v.DurationOrZero("from"), v.Duration("to")
	rise, decay := v.DurationOrZero("rise"), v.DurationOrZero("decay")
	var every time.Duration
	if v.Given("every") {
		every = v.Duration("every")
	}
	switch {
	case v.Err() != nil:
		return nil
	case from >= to:
		v.Fail("to", "must be > from, %s, got %s", v.Text("from"), v.Text("to"))
	case rise > to-from:
		v.Fail("rise", "must end by to, %s after from, got %s", spec.FormatDuration(to-from), v.Text("rise"))
	case decay > math.MaxInt64-time.Hour-to:
		v.Fail("decay", "must end before the clock does, got %s", v.Text("decay"))
	case v.Given("every") && every <= to+decay:
		v.Fail("every", "must be > to + decay, %s, got %s", spec.FormatDuration(to+decay), v.Text("every"))
	}
	if !v.Given("every") {
		every = to + decay + time.Hour // which is repeated for ever
	}
	var stretches []stretch
	for _, s := range []stretch{{from, rate, rate}, {rise, rate, peak}, {to - from - rise, peak, peak}, {decay, peak, rate}, {every - to - decay, rate, rate}} {
		if s.length > 0 {
			stretches = append(stretches, s)
		}
	}
	return stretches
}
