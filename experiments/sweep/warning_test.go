package sweep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

func TestWarningsOfAnEstimate(t *testing.T) {
	nan := math.NaN()
	ramp := make([]float64, 30)
	for i := range ramp {
		ramp[i] = 100 + float64(i)/10
	}
	rare := append(make([]float64, 11), 1)
	for name, c := range map[string]struct {
		values []float64
		want   []Doubt
		says   string
	}{
		"nothing measured":       {[]float64{nan, nan}, nil, "[]"},
		"one replication":        {[]float64{nan, 3}, []Doubt{Single}, "[1 replication]"},
		"all equal":              {[]float64{3, 3, 3}, nil, "[]"},
		"two replications":       {[]float64{100, 100.5}, []Doubt{Few}, "[2 replications]"},
		"few and wide":           {[]float64{9, 10, 11}, []Doubt{Few, Wide}, "[3 replications ± 24.8 % of the mean]"},
		"enough":                 {[]float64{99, 100, 101, 100, 99, 101}, nil, "[]"},
		"around 0":               {[]float64{-1, 1, -1, 1, 1, -1, -1, 1}, []Doubt{Wide}, "[the mean is 0]"},
		"a ramp is no sample":    {ramp, []Doubt{Dependent}, "[lag-1 autocorrelation 0.90]"},
		"one replication saw it": {rare, []Doubt{Outlier, Skewed, Wide}, "[one replication has 92 % of the variance skewness 3.02 wants 228 replications ± 220 % of the mean]"},
		"beyond all range":       {[]float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64}, nil, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			var d Doubter
			list := d.Warnings(c.values)
			var got []Doubt
			for _, w := range list {
				got = append(got, w.Doubt)
				assert.GreaterOrEqual(t, w.Excess(), 1.0)
				assert.NotEmpty(t, w.Doubt.Meaning())
				assert.Contains(t, Doubts(), w.Doubt)
			}
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.says, fmt.Sprint(list))
		})
	}
}

// How often each doubt is raised, in 2000 samples: what is normal is left alone, what has a heavy tail is not.
func TestWarningsAreRaisedWhereTheyShould(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pareto := func() float64 { return math.Pow(random.Float64(), -1/1.5) } // no variance
	const trials = 2000
	for name, c := range map[string]struct {
		n    int
		draw func() float64
		want map[Doubt][2]int
	}{
		"normal, 10":       {10, random.NormFloat64, map[Doubt][2]int{Outlier: {0, 2}, Skewed: {0, 2}, Dependent: {0, 2}}},
		"normal, 40":       {40, random.NormFloat64, map[Doubt][2]int{Outlier: {0, 4}, Skewed: {0, 8}, Dependent: {0, 2}}},
		"normal, 400":      {400, random.NormFloat64, map[Doubt][2]int{Outlier: {0, 0}, Skewed: {0, 0}, Dependent: {0, 4}}},
		"exponential, 40":  {40, random.ExpFloat64, map[Doubt][2]int{Skewed: {800, 1300}, Dependent: {0, 2}}},
		"exponential, 400": {400, random.ExpFloat64, map[Doubt][2]int{Skewed: {0, 10}, Outlier: {0, 20}}}, // enough: 25·2² = 100
		"no variance, 40":  {40, pareto, map[Doubt][2]int{Skewed: {1850, trials}, Outlier: {1200, trials}}},
		"no variance, 400": {400, pareto, map[Doubt][2]int{Skewed: {1900, trials}, Outlier: {1500, trials}}},
	} {
		t.Run(name, func(t *testing.T) {
			var d Doubter
			count := make(map[Doubt]int)
			values := make([]float64, c.n)
			for range trials {
				for i := range values {
					values[i] = 1000 + c.draw()
				}
				for _, w := range d.Warnings(values) {
					count[w.Doubt]++
				}
			}
			for doubt, between := range c.want {
				assert.GreaterOrEqual(t, count[doubt], between[0], doubt)
				assert.LessOrEqual(t, count[doubt], between[1], doubt)
			}
		})
	}
}

func TestShapeAgreesWithGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 3, 50).Draw(t, "values")
		e := NewEstimate(values)
		if e.SD < 1e-3 {
			t.Skip("hardly any spread")
		}
		skewness, largest := shape(values, e)
		n := float64(e.N)
		// gonum's is adjusted for the sample size: G = g · √(n(n−1))/(n−2).
		assert.InDelta(t, stat.Skew(values, nil), skewness*math.Sqrt(n*(n-1))/(n-2), 1e-6)
		most := max(e.Max-e.Mean, e.Mean-e.Min)
		assert.InDelta(t, most*most/(e.SD*e.SD*(n-1)), largest, 1e-9)
	})
}

func TestLargestShareIsPassedAsOftenAsItSays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const trials, probability = 20000, 0.05
	for _, n := range []int{3, 10, 40} {
		limit := largestShare(n, probability)
		passed := 0
		values := make([]float64, n)
		for range trials {
			for i := range values {
				values[i] = random.NormFloat64()
			}
			if _, largest := shape(values, NewEstimate(values)); largest > limit {
				passed++
			}
		}
		assert.InDelta(t, probability, float64(passed)/trials, 4*math.Sqrt(probability*(1-probability)/trials), n)
	}
}

func TestAutocorrelation(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{1, 2, 3, 4, 5}, 0.4},                         // (2 + 0 + 0 + 2)/10
		{[]float64{1, -1, 1, -1}, -0.75},                        // −3/4
		{[]float64{2, 4}, -0.5},                                 // −1/n for any two
		{[]float64{0, 0, 1, 0, 0}, (-0.16 - 0.16 + 0.08) / 0.8}, // mean 0.2
	} {
		assert.InDelta(t, c.want, Autocorrelation(c.values), 1e-15)
	}
	assert.True(t, math.IsNaN(Autocorrelation([]float64{3, 3})))
	assert.True(t, math.IsNaN(Autocorrelation([]float64{3})))
	assert.True(t, math.IsNaN(Autocorrelation(nil)))
}

// AR(1) with coefficient 0.8 has lag-1 autocorrelation 0.8.
func TestAutocorrelationOfAnAutoregression(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	values := make([]float64, 20000)
	x := 0.0
	for i := range values {
		x = 0.8*x + random.NormFloat64()
		values[i] = x
	}
	assert.InDelta(t, 0.8, Autocorrelation(values), 4*math.Sqrt((1-0.64)/20000))
	require.Contains(t, doubts(values[:100]), Dependent)
}

func doubts(values []float64) (list []Doubt) {
	var d Doubter
	for _, w := range d.Warnings(values) {
		list = append(list, w.Doubt)
	}
	return list
}
