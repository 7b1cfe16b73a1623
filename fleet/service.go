package fleet

import (
	"math/rand/v2"
	"time"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

// MaxService bounds how long one service can take, slowed down or not.
const MaxService = MaxRTT

// maxMeanService bounds the mean of exponential services: no draw of 64 bits is
// 64 times the mean.
const maxMeanService = MaxService / 64

// ServiceSpec is how long a worker needs for a request, drawn anew for each, as
// in exp:mean=10ms. The zero value is no service: what is admitted is done.
type ServiceSpec struct {
	text string
	draw func(r *rand.Rand) time.Duration // in 0..MaxService
}

var services = spec.Registry[func(v *spec.Values) func(r *rand.Rand) time.Duration]{Kind: "service"}

// Services lists the laws of service times, sorted by name.
func Services() []spec.Entry { return services.Entries() }

// ParseService reads a spec such as exp:mean=10ms.
func ParseService(text string) (ServiceSpec, error) {
	v, read, err := services.Parse(text)
	if err != nil {
		return ServiceSpec{}, err
	}
	draw := read(v)
	if err := v.Err(); err != nil {
		return ServiceSpec{}, err
	}
	return ServiceSpec{text: v.String(), draw: draw}, nil
}

// String writes the spec as ParseService reads it, or none.
func (s ServiceSpec) String() string {
	if s.IsZero() {
		return "none"
	}
	return s.text
}

// IsZero reports whether there is no service.
func (s ServiceSpec) IsZero() bool { return s.draw == nil }

// within reads a duration that is at most a bound.
func within(v *spec.Values, name string, most time.Duration) time.Duration {
	d := v.Duration(name)
	if d > most {
		v.Fail(name, "must be at most %s, got %s", spec.FormatDuration(most), v.Text(name))
	}
	return d
}

func init() {
	services.Register(spec.Entry{
		Name:   "const",
		Doc:    "every request takes as long",
		Params: []spec.Param{{Name: "mean", Unit: "duration", Doc: "service time"}},
	}, func(v *spec.Values) func(*rand.Rand) time.Duration {
		d := within(v, "mean", MaxService)
		return func(*rand.Rand) time.Duration { return d }
	})
	services.Register(spec.Entry{
		Name:   "exp",
		Doc:    "exponential service times",
		Params: []spec.Param{{Name: "mean", Unit: "duration", Doc: "mean service time"}},
	}, func(v *spec.Values) func(*rand.Rand) time.Duration {
		mean := float64(within(v, "mean", maxMeanService))
		return func(r *rand.Rand) time.Duration { return time.Duration(float64(random.Exponential(r) * mean)) }
	})
	services.Register(spec.Entry{
		Name: "uniform",
		Doc:  "service times between two bounds, each as likely",
		Params: []spec.Param{
			{Name: "min", Unit: "duration", Default: "0s", Doc: "shortest service"},
			{Name: "max", Unit: "duration", Doc: "longest service"},
		},
	}, func(v *spec.Values) func(*rand.Rand) time.Duration {
		shortest, longest := v.DurationOrZero("min"), within(v, "max", MaxService)
		if longest < shortest {
			v.Fail("max", "must be at least min, %s, got %s", v.Text("min"), v.Text("max"))
		}
		return func(r *rand.Rand) time.Duration { return shortest + time.Duration(r.Int64N(int64(longest-shortest)+1)) }
	})
}
