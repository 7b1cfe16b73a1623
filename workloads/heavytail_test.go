package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The first arrival is the rest of a gap that a random instant meets: its mean
// is E gap²/(2·E gap), its law that of the integrated tail.
func TestHeavyTailStartsInItsStationaryState(t *testing.T) {
	const n = 20_000
	for text, law := range map[string]func(x float64) float64{
		"heavy-tail:rate=1/s,tail=1.5": func(x float64) float64 { // least 1/3
			if x < 1./3 {
				return x
			}
			return 1 - 2./3*math.Pow(3*x, -0.5)
		},
		"heavy-tail:rate=1/s,law=weibull,power=2": func(x float64) float64 { // tail exp(-√(2x))
			root := math.Sqrt(2 * x)
			return 1 - (root+1)*math.Exp(-root)
		},
	} {
		first := make([]float64, n)
		s := mustParse(t, text)
		for rep := range first {
			w, err := s.New(testEnv(1, rep, nil))
			require.NoError(t, err)
			a, ok := w.Next()
			require.True(t, ok)
			first[rep] = a.At.Seconds()
		}
		requireLaw(t, first, law)
	}
}

func TestHeavyTailRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"heavy-tail:rate=1/s,tail=1":                     `workload "heavy-tail": tail must lie in 1.05..100, got 1`,
		"heavy-tail:rate=1/s,power=2":                    `workload "heavy-tail": power is for law=weibull, got 2 with law=pareto`,
		"heavy-tail:rate=1/s,law=weibull,tail=2":         `workload "heavy-tail": tail is for law=pareto, got 2 with law=weibull`,
		"heavy-tail:rate=1/s,law=weibull,power=9":        `workload "heavy-tail": power must be a whole number from 1 to 8, got 9`,
		"self-similar:rate=1/s,sources=1,on=1ns,off=1s":  `workload "self-similar": on must be >= 1us, got 1ns`,
		"self-similar:rate=1/d,sources=1,on=1us,off=1us": `workload "self-similar": rate must bring a request for a million times that a source turns on, got 1/d`,
	} {
		_, err := Parse(text)
		require.EqualError(t, err, want)
	}
}

// Over long times the variance of counts of on-off sources with Pareto's times
// grows as t^(3-tail): the index of dispersion, less the 1 of Poisson, as
// t^(2-tail) once t is far above the times. That of exponential times does not
// grow.
func TestSelfSimilarBurstsDoNotSmoothOut(t *testing.T) {
	slope := func(text string) float64 {
		s := mustParse(t, text)
		all, err := s.Measure(func(rep int) (Workload, error) { return s.New(testEnv(1, rep, nil)) }, 1, 600, []time.Duration{5 * time.Second, 40 * time.Second})
		require.NoError(t, err)
		return math.Log((all[1].Dispersion-1)/(all[0].Dispersion-1)) / math.Log(8)
	}
	for _, c := range []struct {
		text        string
		least, most float64
	}{
		{"self-similar:rate=50/s,sources=10,on=50ms,off=150ms,tail=1.4", 0.45, 0.75},
		{"self-similar:rate=50/s,sources=10,on=50ms,off=150ms,tail=1.2", 0.65, 0.95},
		{"on-off:rate=200/s,on=50ms,off=150ms", -0.1, 0.1},
	} {
		got := slope(c.text)
		require.True(t, c.least <= got && got <= c.most, "%s: slope %.3f", c.text, got)
	}
}

// One source alone: its silences that are much longer than the gaps are its off
// times, which have Pareto's tail.
func TestASourceTurnsOnAndOffByItsLaw(t *testing.T) {
	const tail, off = 1.6, 8.0
	gaps := gapsOf(read(mustNew(t, "self-similar:rate=100/s,sources=1,on=2s,off=8s,tail=1.6", testEnv(1, 0, nil)), 1_000_000))
	least := off * (tail - 1) / tail
	var silences []float64
	for _, g := range gaps {
		if g > least { // 500 requests a second while on
			silences = append(silences, g)
		}
	}
	require.Greater(t, len(silences), 500)
	requireLaw(t, silences, func(x float64) float64 { return 1 - math.Pow(x/least, -tail) })
}
