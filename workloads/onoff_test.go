package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// onOffCase is an on-off process with what theory says of it: rate while on
// and means in seconds.
type onOffCase struct {
	spec          string
	rate, on, off float64
}

var onOffCases = []onOffCase{
	{"on-off:rate=100/s,on=1s,off=3s", 100, 1, 3},
	{"on-off:rate=20/s,on=100ms,off=100ms", 20, 0.1, 0.1},
	{"on-off:rate=50/s,on=900ms,off=100ms", 50, 0.9, 0.1},
}

// variance is that of the count in [0, t), for the process in its stationary
// state: λ₁pt + 2λ₁²p(1−p)[t/γ − (1−e^(−γt))/γ²] (Fischer and Meier-Hellstern,
// The MMPP cookbook, Performance Evaluation 18, 1993, for two states).
func (c onOffCase) variance(t float64) float64 {
	p, g := c.on/(c.on+c.off), 1/c.on+1/c.off
	return c.rate*p*t + 2*c.rate*c.rate*p*(1-p)*(t/g+math.Expm1(-g*t)/(g*g))
}

func TestOnOffCountsHaveTheClosedVariance(t *testing.T) {
	const reps = 2000
	cycles := []float64{0.1, 1, 5, 20}
	for _, c := range onOffCases {
		t.Run(c.spec, func(t *testing.T) {
			s := mustParse(t, c.spec)
			horizons, counts := make([]time.Duration, len(cycles)), make([][]float64, len(cycles))
			for i := range cycles {
				horizons[i] = time.Duration(cycles[i] / (1/c.on + 1/c.off) * 1e9)
			}
			for rep := range reps {
				w, err := s.New(testEnv(1, rep, nil))
				require.NoError(t, err)
				a, _ := w.Next()
				n := 0.0
				for i, horizon := range horizons {
					for ; a.At < horizon; n++ {
						a, _ = w.Next()
					}
					counts[i] = append(counts[i], n)
				}
			}
			for i, horizon := range horizons {
				mean := c.rate * c.on / (c.on + c.off) * horizon.Seconds()
				requireMean(t, mean, counts[i], "counts in %v", horizon)
				requireVariance(t, mean, c.variance(horizon.Seconds()), counts[i], "variance of counts in %v", horizon)
			}
		})
	}
}

// A process that started on, or off, would bring too many or too few at first.
func TestOnOffStartsInItsStationaryState(t *testing.T) {
	const reps, bins = 3000, 8
	for _, c := range onOffCases {
		t.Run(c.spec, func(t *testing.T) {
			s := mustParse(t, c.spec)
			bin := time.Duration(0.25 / (1/c.on + 1/c.off) * 1e9)
			var counts [bins][]float64
			for rep := range reps {
				w, err := s.New(testEnv(2, rep, nil))
				require.NoError(t, err)
				var in [bins]float64
				for a, ok := w.Next(); ok && a.At < bins*bin; a, ok = w.Next() {
					in[a.At/bin]++
				}
				for i := range bins {
					counts[i] = append(counts[i], in[i])
				}
			}
			for i := range bins {
				requireMean(t, c.rate*c.on/(c.on+c.off)*bin.Seconds(), counts[i], "counts in [%v, %v)", time.Duration(i)*bin, time.Duration(i+1)*bin)
			}
		})
	}
}

// With two states of which one is silent, an arrival forgets all but that the
// process is on: the gaps are independent, and their law is a mixture of two
// exponentials (Kuczura, The interrupted Poisson process as an overflow
// process, Bell System Technical Journal 52, 1973).
func TestOnOffGapsAreHyperexponential(t *testing.T) {
	for _, c := range onOffCases {
		t.Run(c.spec, func(t *testing.T) {
			gaps := gapsOf(read(mustNew(t, c.spec, testEnv(3, 0, nil)), 30_000))[1:]
			sum := c.rate + 1/c.on + 1/c.off
			root := math.Sqrt(sum*sum - 4*c.rate/c.off)
			fast, slow := (sum+root)/2, (sum-root)/2
			k := (c.rate - slow) / (fast - slow)

			mean := (c.on + c.off) / c.on / c.rate
			products := make([]float64, 0, len(gaps))
			for i, g := range gaps[1:] {
				products = append(products, (g-mean)*(gaps[i]-mean))
			}
			requireMean(t, 0, products, "neighbouring gaps are independent")
			requireLaw(t, gaps, func(x float64) float64 { return -k*math.Expm1(-fast*x) - (1-k)*math.Expm1(-slow*x) })
		})
	}
}

func TestOnOffEndsWithTheClock(t *testing.T) {
	for _, text := range []string{
		"on-off:rate=1/30d,on=100d,off=100d",
		"on-off:rate=1/s,on=1s,off=2562047h47m16.854775807s",
		"on-off:rate=1/30d,on=2562047h47m16.854775807s,off=1ns",
	} {
		for rep := range 20 {
			w := mustNew(t, text, testEnv(1, rep, nil))
			list := read(w, 10_000)
			require.Less(t, len(list), 10_000, "%s, replication %d", text, rep)
			for i := range list {
				if list[i].At < 0 || i > 0 && list[i].At < list[i-1].At {
					t.Fatalf("%s, replication %d, arrival %d:%s", text, rep, i, around(list, i))
				}
			}
			_, ok := w.Next()
			require.False(t, ok)
		}
	}
}

func TestOnOffRefusesWhatItCanNotBe(t *testing.T) {
	for text, want := range map[string]string{
		"on-off:rate=1/s,on=-1s,off=1s": `workload "on-off": on must be > 0, got -1s`,
		"on-off:rate=1/s,on=1s,off=0":   `workload "on-off": off must be > 0, got 0`,
		"on-off:rate=1/d,on=1ms,off=1s": `workload "on-off": on must be >= 86.4ms, a millionth of 1/rate, got 1ms; write poisson`,
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want)
	}
}
