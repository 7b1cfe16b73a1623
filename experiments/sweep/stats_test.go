package sweep

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

func TestEstimateAgreesWithGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 2, 200).Draw(t, "values")
		e := NewEstimate(values)
		mean, sd := stat.MeanStdDev(values, nil)
		assert.Equal(t, len(values), e.N)
		assert.InDelta(t, mean, e.Mean, 1e-9*(1+math.Abs(mean)))
		assert.InDelta(t, sd, e.SD, 1e-9*(1+sd))
		assert.Equal(t, floats.Min(values), e.Min)
		assert.Equal(t, floats.Max(values), e.Max)
	})
}

func TestEstimateSurvivesALargeOffset(t *testing.T) {
	e := NewEstimate([]float64{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}) // sums of squares would lose all digits
	assert.Equal(t, 1e9+10, e.Mean)
	assert.InDelta(t, math.Sqrt(30), e.SD, 1e-12)
}

func TestEqualValuesHaveNoSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e300, 1e300).Draw(t, "v")
		values := make([]float64, rapid.IntRange(2, 100).Draw(t, "n"))
		for i := range values {
			values[i] = v
		}
		e := NewEstimate(values)
		assert.Equal(t, Estimate{N: len(values), Mean: v, SD: 0, Min: v, Max: v}, e)
		lo, hi := e.Interval(0.99)
		assert.Equal(t, [2]float64{v, v}, [2]float64{lo, hi})
	})
}

func TestMissingValuesAreSkipped(t *testing.T) {
	nan := math.NaN()
	assert.Equal(t, NewEstimate([]float64{1, 2, 6}), NewEstimate([]float64{nan, 1, nan, 2, 6, nan}))
	none := NewEstimate([]float64{nan, nan})
	assert.Equal(t, 0, none.N)
	for _, v := range []float64{none.Mean, none.SD, none.Min, none.Max} {
		assert.True(t, math.IsNaN(v))
	}
	one := NewEstimate([]float64{nan, 3})
	assert.Equal(t, 1, one.N)
	assert.Equal(t, []float64{3, 3, 3}, []float64{one.Mean, one.Min, one.Max})
	assert.True(t, math.IsNaN(one.SD))
}

func TestIntervalOfTooFewValuesSaysNothing(t *testing.T) {
	lo, hi := NewEstimate([]float64{3}).Interval(0.95)
	assert.True(t, math.IsInf(lo, -1) && math.IsInf(hi, 1))
	lo, hi = NewEstimate(nil).Interval(0.95)
	assert.True(t, math.IsNaN(lo) && math.IsNaN(hi))
	for _, level := range []float64{0, 1, -1, 2, math.NaN()} {
		lo, hi = NewEstimate([]float64{3, 4}).Interval(level)
		assert.True(t, math.IsNaN(lo) && math.IsNaN(hi), level)
	}
}

func TestIntervalCoversTheMeanAsOftenAsItSays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 20000
	covered := 0
	values := make([]float64, 5)
	for range trials {
		for i := range values {
			values[i] = 7 + 3*random.NormFloat64()
		}
		if lo, hi := NewEstimate(values).interval(StudentT(4, 0.9)); lo <= 7 && 7 <= hi {
			covered++
		}
	}
	// 0.9 within five standard errors
	assert.InDelta(t, 0.9, float64(covered)/trials, 5*math.Sqrt(0.9*0.1/trials))
}

var levels = []float64{1e-6, 0.01, 0.3, 0.5, 0.75, 0.9, 0.917, 0.95, 0.99, 0.999, 1 - 0.01/7, 1 - 1e-4, 1 - 0.01/300, 1 - 1e-6}

func TestStudentTAgreesWithGonum(t *testing.T) {
	degrees := []int{999, 1000, 4999, 5000, 99999, 100000}
	for n := 1; n < 1000; n += 1 + n/10 {
		degrees = append(degrees, n)
	}
	for _, n := range degrees {
		law := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n)}
		for _, level := range levels {
			got := StudentT(n, level)
			// gonum's inverse keeps too few digits at both ends: where it is flat, near the mean, and in the far tail
			// (1.1e-9 off at 274 degrees; exactQuantiles tells). There its distribution function is the judge.
			if level >= 0.3 && level < 1-2e-6 {
				assert.InEpsilon(t, law.Quantile(0.5+level/2), got, 1e-9, "%d degrees, level %v", n, level)
			}
			if level >= 0.5 {
				assert.InEpsilon(t, (1-level)/2, law.CDF(-got), 1e-9, "%d degrees, level %v", n, level)
			}
		}
	}
}

// Near the mean, the density is its value there times a short series.
func TestStudentTAgreesWithTheSeriesNearTheMean(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 101, 1000, 100000} {
		nu := float64(n)
		for _, level := range []float64{1e-6, 1e-4, 0.01} {
			x := StudentT(n, level)
			series := x - (nu+1)/(6*nu)*x*x*x + (nu+1)*(nu+3)/(40*nu*nu)*math.Pow(x, 5)
			assert.InEpsilon(t, level, 2*distuv.StudentsT{Sigma: 1, Nu: nu}.Prob(0)*series, 1e-9, "%d degrees, level %v", n, level)
		}
	}
}

// Quantiles at these levels, computed with mpmath 1.3 at 40 digits by bisecting its incomplete beta function.
var exactLevels = []float64{1e-6, 0.01, 0.5, 0.95, 1 - 0.01/7, 1 - 1e-6}

var exactQuantiles = []struct {
	degrees   int
	quantiles []float64
}{
	{1, []float64{1.5707963267961885e-6, 0.015709255323664917, 1.0, 12.706204736174693, 445.63309265879964, 636619.77234875132}},
	{2, []float64{1.4142135623738021e-6, 0.014142842783549566, 0.81649658092772603, 4.3026527297494618, 26.429157334242292, 999.99924998546591}},
	{3, []float64{1.3603495231762227e-6, 0.013604054691036679, 0.76489232840434528, 3.1824463052837084, 11.453164801899296, 130.15458955711021}},
	{4, []float64{1.3333333333338271e-6, 0.013333827192320643, 0.74069708411268263, 2.7764451051977935, 7.8413787792233548, 49.458636756578596}},
	{7, []float64{1.2987301378232424e-6, 0.012987718654428905, 0.71114177808178631, 2.3646242515927847, 5.0815447620666931, 15.767009437416195}},
	{10, []float64{1.2849890174656351e-6, 0.012850279188571376, 0.69981206131243163, 2.2281388519862742, 4.356672896604435, 10.516489956882173}},
	{29, []float64{1.2641631178223655e-6, 0.012641979520159621, 0.68304386082161315, 2.0452296421327039, 3.5246879239392036, 6.1700561014083008}},
	{99, []float64{1.2564830175521509e-6, 0.012565164145518816, 0.67697598554615263, 1.9842169515864171, 3.2811102071369347, 5.2171642066426682}},
	{274, []float64{1.2544581914160406e-6, 0.012544912149377096, 0.67538619167162327, 1.9686596284854446, 3.2216143606925883, 5.005134687919485}},
	{999, []float64{1.2536278186877333e-6, 0.012536606896949993, 0.67473541034671903, 1.9623414611334496, 3.197750542372289, 4.9223203723607863}},
	{5000, []float64{1.2533768045889452e-6, 0.012534096295663508, 0.674538820360874, 1.9604385517065075, 3.1905968870423593, 4.8977420715795133}},
	{100000, []float64{1.2533172706050882e-6, 0.012533500846704373, 0.67449220355329221, 1.9599877075346093, 3.1889042969550615, 4.8919433407094516}},
}

func TestStudentTAgreesWithExactQuantiles(t *testing.T) {
	for _, row := range exactQuantiles {
		tolerance := 1e-12 + float64(row.degrees)*1e-16 // rounding in the power x^(n/2) grows with n
		for i, level := range exactLevels {
			assert.InEpsilon(t, row.quantiles[i], StudentT(row.degrees, level), tolerance, "%d degrees, level %v", row.degrees, level)
		}
	}
}

// The quantile in closed form for 1, 2 and 4 degrees of freedom.
func TestStudentTAgreesWithClosedForms(t *testing.T) {
	for _, level := range levels {
		assert.InEpsilon(t, 1/math.Tan(math.Pi/2*(1-level)), StudentT(1, level), 1e-13*(1+1/min(level, 1)), "1 degree, level %v", level)
		p := (1 + level) / 2
		q := (1 - level) / 2
		assert.InEpsilon(t, level/math.Sqrt(2*p*q), StudentT(2, level), 1e-13, "2 degrees, level %v", level)
		if level > 0.5 { // the closed form cancels near the mean
			alpha := 4 * p * q
			assert.InEpsilon(t, 2*math.Sqrt(math.Cos(math.Acos(math.Sqrt(alpha))/3)/math.Sqrt(alpha)-1), StudentT(4, level), 1e-12, "4 degrees, level %v", level)
		}
	}
}

func TestStudentTIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 2000).Draw(t, "n")
		level := rapid.Float64Range(0.01, 0.999).Draw(t, "level")
		assert.Greater(t, StudentT(n, level+1e-4), StudentT(n, level))
		assert.Less(t, StudentT(n+1, level), StudentT(n, level))
	})
}

func TestQuantilesAnswerAtTheEndsOfTheRangeOfLevels(t *testing.T) {
	smallest, largest := math.SmallestNonzeroFloat64, math.Nextafter(1, 0)
	for _, n := range []int{1, 2, 7, 100000} {
		assert.GreaterOrEqual(t, StudentT(n, smallest), 0.0)
		assert.False(t, math.IsInf(StudentT(n, largest), 0))
	}
	assert.InEpsilon(t, 2/math.Pi/(1-largest), StudentT(1, largest), 1e-9)
	for _, k := range []int64{0, 1, 1000} {
		lo, hi := PoissonInterval(k, largest)
		assert.True(t, 0 <= lo && lo < float64(k)+1 && float64(k) < hi && hi < 2000, "%d: %v to %v", k, lo, hi)
	}
}

func TestStudentTRefusesWhatHasNoQuantile(t *testing.T) {
	for _, level := range []float64{0, 1, -0.5, 1.5, math.NaN(), math.Inf(1)} {
		assert.True(t, math.IsNaN(StudentT(3, level)), level)
	}
	assert.True(t, math.IsNaN(StudentT(0, 0.95)))
	assert.True(t, math.IsNaN(StudentT(-1, 0.95)))
}

func TestPoissonIntervalAgreesWithGonum(t *testing.T) {
	for _, k := range []int64{0, 1, 2, 3, 10, 37, 99, 250, 1000} {
		for _, level := range levels {
			lo, hi := PoissonInterval(k, level)
			side := (1 - level) / 2
			if k > 0 {
				// gonum's Quantile of a chi-squared law is not precise enough in the tails; its distribution function is.
				assert.InEpsilon(t, side, distuv.ChiSquared{K: float64(2 * k)}.CDF(2*lo), 1e-9, "low end of %d at %v", k, level)
			} else {
				assert.Equal(t, 0.0, lo)
			}
			assert.InEpsilon(t, side, distuv.ChiSquared{K: float64(2*k + 2)}.Survival(2*hi), 1e-9, "high end of %d at %v", k, level)
		}
	}
}

func TestPoissonIntervalMatchesPublishedValues(t *testing.T) {
	// Garwood (1936), as reprinted in standard tables of exact 95 % limits.
	for _, row := range []struct {
		count  int64
		lo, hi float64
	}{{0, 0, 3.689}, {1, 0.0253, 5.572}, {5, 1.623, 11.668}, {10, 4.795, 18.390}, {100, 81.364, 121.627}} {
		lo, hi := PoissonInterval(row.count, 0.95)
		assert.InDelta(t, row.lo, lo, 6e-4)
		assert.InDelta(t, row.hi, hi, 6e-4)
	}
}

func TestPoissonIntervalRefusesWhatItCannotAnswer(t *testing.T) {
	for _, c := range []struct {
		count int64
		level float64
	}{{-1, 0.95}, {1001, 0.95}, {3, 0}, {3, 1}, {3, math.NaN()}} {
		lo, hi := PoissonInterval(c.count, c.level)
		assert.True(t, math.IsNaN(lo) && math.IsNaN(hi), c)
	}
}

// The bits must not depend on the processor: this test runs wherever the project is tested.
func TestQuantilesHaveGoldenBits(t *testing.T) {
	got := map[string][]uint64{}
	for _, n := range []int{1, 2, 3, 9, 10, 29, 199, 999, 100000} {
		for _, level := range []float64{0.5, 0.95, 1 - 0.01/17, 1 - 1e-6} {
			got["t"] = append(got["t"], math.Float64bits(StudentT(n, level)))
		}
	}
	for _, k := range []int64{0, 1, 12, 99, 1000} {
		lo, hi := PoissonInterval(k, 0.999)
		got["poisson"] = append(got["poisson"], math.Float64bits(lo), math.Float64bits(hi))
	}
	e := NewEstimate([]float64{0.1, 0.7, 1.0 / 3, 2.0 / 7, 1e-3})
	lo, hi := e.Interval(0.95)
	for _, v := range []float64{e.Mean, e.SD, lo, hi} {
		got["estimate"] = append(got["estimate"], math.Float64bits(v))
	}
	require.Equal(t, goldenBits, got)
}
