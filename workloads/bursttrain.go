package workloads

import (
	"time"

	"ratelab/internal/spec"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "burst-train",
			Doc:  "size requests at one instant, every period",
			Params: []spec.Param{
				{Name: "size", Unit: "requests", Doc: "requests in a burst"},
				{Name: "period", Unit: "duration", Doc: "from burst to burst"},
				{Name: "phase", Unit: "duration", Default: "0", Doc: "time of the first burst"},
			},
			More: "Burst k, counted from 0, comes at phase + k·period: clients whose timers were set by one clock.",
		},
		MeanRate: func(v *spec.Values) float64 { return float64(v.Count("size")) / v.Duration("period").Seconds() },
		Law: func(v *spec.Values) Law {
			size := v.Count("size")
			law := train(v.Duration("period"), []time.Duration{0}, []int64{size}).law(float64(size), 0, "the average over the phase, exactly")
			law.From = v.DurationOrZero("phase")
			return law
		},
		Build: func(v *spec.Values, _ Env) (Workload, error) {
			size, period, phase := v.Count("size"), v.Duration("period"), v.DurationOrZero("phase")
			if size < 1 {
				v.Fail("size", "must be > 0, got %s", v.Text("size"))
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			return &burstTrain{at: phase, left: size, size: size, period: period}, nil
		},
		Examples: []string{"burst-train:size=20,period=10s", "burst-train:size=1,period=1s,phase=999ms", "burst-train:size=3,period=7ns,phase=1d"},
	})
}

type burstTrain struct {
	at     time.Duration // the present burst, < 0 after the last
	left   int64         // arrivals of it still to come, >= 1
	size   int64
	period time.Duration
}

func (b *burstTrain) Next() (Arrival, bool) {
	at := b.at
	if at < 0 {
		return Arrival{}, false
	}
	if b.left--; b.left == 0 {
		b.at += b.period // beyond the clock it wraps below 0, and stays there
		b.left = b.size
	}
	return Arrival{At: at, Cost: 1}, true
}
