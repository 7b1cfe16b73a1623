package workloads

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"time"

	"ratelab/internal/spec"
)

// What the workloads share that are made of others: sum, scale, shift, thin,
// clip.

// nested reads the workloads of a parameter in parentheses; faults are left in v.
func nested(v *spec.Values, name string) []Spec {
	var list []Spec
	for _, text := range v.Nested(name) {
		s, err := Parse(text)
		if err != nil {
			v.Fail(name, "must be a workload: %v, got %s", err, v.Text(name))
			return nil
		}
		list = append(list, s)
	}
	return list
}

// sole reads the one workload that another is made of, and false if it is not
// one.
func sole(v *spec.Values) (Spec, bool) {
	list := nested(v, "of")
	if v.Err() == nil && len(list) != 1 {
		v.Fail("of", "must be one workload; join several by sum, got %s", v.Text("of"))
	}
	if v.Err() != nil {
		return Spec{}, false
	}
	return list[0], true
}

// solely is MaySetKeys for what is made of one.
func solely(v *spec.Values) bool {
	s, ok := sole(v)
	return ok && s.SetsKeys()
}

// soleRate returns the mean rate of the one.
func soleRate(v *spec.Values) float64 {
	s, ok := sole(v)
	if !ok {
		return 0
	}
	rate, _ := s.MeanRate()
	return rate
}

// soleLaw returns the law of the one, which has a mean rate.
func soleLaw(v *spec.Values) Law {
	s, _ := sole(v)
	l, ok := s.Law()
	if !ok {
		return unknown("measured")
	}
	return l
}

func unknown(source string) Law {
	return Law{Source: source, AtOnce: math.NaN(), Limit: math.NaN(), Correlation: math.NaN()}
}

// apart gives a part streams of its own: their purposes are told apart by
// place.
func apart(env Env, place string) Env {
	streams := env.Stream
	env.Stream = func(purpose string) *rand.Rand { return streams(place + " " + purpose) }
	return env
}

// besides lets a part draw from the streams that it has alone, so that it sends
// the same arrivals; only the purpose that its surrounding uses too is renamed.
func besides(env Env, own string) Env {
	streams := env.Stream
	env.Stream = func(purpose string) *rand.Rand {
		if strings.HasPrefix(purpose, own) {
			purpose += " inside"
		}
		return streams(purpose)
	}
	return env
}

// stretched returns ⌊t·num/den⌋ for t >= 0, or false if it does not fit.
func stretched(t time.Duration, num, den int64) (time.Duration, bool) {
	over, product := bits.Mul64(uint64(t), uint64(num))
	if over >= uint64(den) {
		return 0, false
	}
	whole, _ := bits.Div64(over, product, uint64(den))
	return time.Duration(whole), whole < math.MaxInt64
}

// nestedParam is the parameter of what is made of one workload.
func nestedParam(doc string) spec.Param {
	return spec.Param{Name: "of", Unit: "(workload)", Doc: doc}
}
