package fleet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

// MaxRTT bounds what a round trip may be made of, so that no answer comes
// after the end of all time.
const MaxRTT = time.Duration(math.MaxInt64 / 4)

// maxMeanRTT bounds the mean of exponential round trips: no draw of 64 bits is
// 64 times the mean.
const maxMeanRTT = MaxRTT / 64

// RTT is how long a round trip from a server to the store takes: always as
// long, or drawn anew each time. The zero RTT is no time at all.
type RTT struct {
	text  string
	fixed time.Duration
	draw  func(r *rand.Rand) time.Duration
}

var trips = spec.Registry[func(v *spec.Values) func(r *rand.Rand) time.Duration]{Kind: "rtt"}

func init() {
	trips.Register(spec.Entry{
		Name:   "exp",
		Doc:    "exponential round trips",
		Params: []spec.Param{{Name: "mean", Unit: "duration", Doc: "mean round trip"}},
	}, func(v *spec.Values) func(r *rand.Rand) time.Duration {
		mean := v.Duration("mean")
		if mean > maxMeanRTT {
			v.Fail("mean", "must be at most %s, got %s", spec.FormatDuration(maxMeanRTT), v.Text("mean"))
		}
		return func(r *rand.Rand) time.Duration {
			return time.Duration(float64(random.Exponential(r) * float64(mean)))
		}
	})
	trips.Register(spec.Entry{
		Name: "uniform",
		Doc:  "round trips between two bounds, each as likely",
		Params: []spec.Param{
			{Name: "min", Unit: "duration", Default: "0s", Doc: "shortest round trip"},
			{Name: "max", Unit: "duration", Doc: "longest round trip"},
		},
	}, func(v *spec.Values) func(r *rand.Rand) time.Duration {
		shortest, longest := v.DurationOrZero("min"), v.Duration("max")
		switch {
		case longest < shortest:
			v.Fail("max", "must be at least min, %s, got %s", v.Text("min"), v.Text("max"))
		case longest > MaxRTT:
			v.Fail("max", "must be at most %s, got %s", spec.FormatDuration(MaxRTT), v.Text("max"))
		}
		return func(r *rand.Rand) time.Duration { return shortest + time.Duration(r.Int64N(int64(longest-shortest)+1)) }
	})
}

// FixedRTT is a round trip that always takes as long.
func FixedRTT(d time.Duration) RTT { return RTT{fixed: d} }

// ParseRTT reads a round trip: a duration such as 2ms, exp:mean=1ms, or
// uniform:min=1ms,max=3ms.
func ParseRTT(text string) (RTT, error) {
	if name, _, isSpec := strings.Cut(text, ":"); !isSpec {
		if _, known := trips.Lookup(name); !known {
			d, err := spec.ParseDuration(text)
			if err != nil {
				return RTT{}, fmt.Errorf("rtt %w, or a spec like exp:mean=1ms or uniform:min=1ms,max=3ms", err)
			}
			return FixedRTT(d), FixedRTT(d).Check()
		}
	}
	v, read, err := trips.Parse(text)
	if err != nil {
		return RTT{}, err
	}
	draw := read(v)
	if err := v.Err(); err != nil {
		return RTT{}, err
	}
	return RTT{text: v.String(), draw: draw}, nil
}

// String returns the text that ParseRTT reads.
func (t RTT) String() string {
	if t.draw != nil {
		return t.text
	}
	return spec.FormatDuration(t.fixed)
}

// Fixed returns how long a round trip takes; false if that differs.
func (t RTT) Fixed() (time.Duration, bool) { return t.fixed, t.draw == nil }

// IsZero reports whether a round trip takes no time.
func (t RTT) IsZero() bool { return t.draw == nil && t.fixed == 0 }

// Check refuses a round trip that is negative, or longer than MaxRTT.
func (t RTT) Check() error {
	switch {
	case t.fixed < 0:
		return fmt.Errorf("rtt must be >= 0, got %s", t.fixed)
	case t.fixed > MaxRTT:
		return fmt.Errorf("rtt must be at most %s, got %s", MaxRTT, t.fixed)
	}
	return nil
}

// next returns how long the next round trip takes.
func (t *RTT) next(r *rand.Rand) time.Duration {
	if t.draw == nil {
		return t.fixed
	}
	return t.draw(r)
}
