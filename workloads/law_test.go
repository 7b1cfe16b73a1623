package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/theory"
)

// Laws are held against formulas that share no code with them.
func TestLawsAgreeWithTheory(t *testing.T) {
	onOff := theory.OnOff{Rate: 100, On: 1, Off: 3}
	three := theory.MMPP{Rates: []float64{5, 20, 100}, Generator: [][]float64{{-0.25, 0.125, 0.125}, {0.25, -0.5, 0.25}, {1, 1, -2}}}
	ring := theory.MMPP{Rates: []float64{10, 0, 40, 10}, Generator: [][]float64{{-1 / 0.3, 1 / 0.3, 0, 0}, {0, -1, 1, 0}, {0, 0, -5, 5}, {2, 0, 0, -2}}}
	for text, formula := range map[string]func(t float64) float64{
		"on-off:rate=100/s,on=1s,off=3s":                              onOff.Dispersion,
		"mmpp:rates=0/100/s,stay=3s/1s":                               onOff.Dispersion,
		"mmpp:rates=5/20/100/s,stay=4s/2s/500ms":                      three.Dispersion,
		"mmpp:rates=10/0/40/10/s,stay=300ms/1s/200ms/500ms,jump=next": ring.Dispersion,
		"diurnal:low=20/s,high=100/s,period=10s":                      func(t float64) float64 { return theory.TriangleDispersion(20, 100, 10, t) },
		"scale:(on-off:rate=100/s,on=1s,off=3s),speed=2":              func(t float64) float64 { return onOff.Dispersion(2 * t) },
		"thin:(on-off:rate=100/s,on=1s,off=3s),keep=0.5":              theory.OnOff{Rate: 50, On: 1, Off: 3}.Dispersion,
		"page-load:users=7,size=1,think=2s":                           func(float64) float64 { return 1 },
		"page-load:users=7,size=5,gap=0,think=2s":                     func(float64) float64 { return 5 },
		"sum:(on-off:rate=100/s,on=1s,off=3s)+(poisson:rate=75/s)":    func(t float64) float64 { return (onOff.Dispersion(t) + 3) / 4 },
		"burst-train:size=4,period=10s":                               func(t float64) float64 { f := math.Mod(t/10, 1); return 4 * f * (1 - f) * 10 / t },
		"paced-herd:clients=4,every=10s":                              func(t float64) float64 { f := math.Mod(t/10, 1); return 4 * f * (1 - f) * 10 / t },
		"flash-crowd:rate=5/s,peak=5/s,from=0,to=1s,every=3s":         func(float64) float64 { return 1 },
	} {
		law, ok := mustParse(t, text).Law()
		require.True(t, ok, text)
		for _, length := range []time.Duration{time.Millisecond, 70 * time.Millisecond, 1300 * time.Millisecond, 17 * time.Second, 123 * time.Second} {
			require.InEpsilon(t, 1+formula(length.Seconds()), 1+law.Dispersion(length), 1e-7, "%s over %v", text, length)
		}
	}
}

func TestStoriesAndFilesHaveNoLaw(t *testing.T) {
	for _, text := range []string{
		"page-turn:size=200,window=1m,story=quiet-then-loud", "trace:file=f", "flash-crowd:rate=5/s,peak=9/s,from=1s,to=2s",
		"clip:(poisson:rate=1/s),to=3s", "sum:(poisson:rate=1/s)+(trace:file=f)", "thin:(trace:file=f),keep=0.5",
	} {
		_, ok := mustParse(t, text).Law()
		assert.False(t, ok, text)
		_, ok = mustParse(t, text).MeanRate()
		assert.False(t, ok, text)
	}
}

// A formula that is wrong by 5 % must not pass the suite's measure.
func TestMeasureTellsLawsApart(t *testing.T) {
	s := mustParse(t, "batch:rate=100/s,size=5")
	all, err := s.Measure(func(rep int) (Workload, error) { return s.New(testEnv(1, rep, nil)) }, 1, 20_000, []time.Duration{time.Second})
	require.NoError(t, err)
	assert.InDelta(t, 5, all[0].Dispersion, 4*all[0].Error)
	assert.Greater(t, math.Abs(5.25-all[0].Dispersion), 4*all[0].Error)
}
