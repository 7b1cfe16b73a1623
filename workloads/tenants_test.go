package workloads

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// harmonic is the sum of k^-s over k = 1..n.
func harmonic(n int, s float64) (sum float64) {
	for k := 1; k <= n; k++ {
		sum += math.Pow(float64(k), -s)
	}
	return sum
}

func TestTenantsShareTheRateByZipf(t *testing.T) {
	for _, c := range []struct {
		spec string
		s    float64
	}{
		{"tenants:rate=100/s,keys=10", 1},
		{"tenants:rate=100/s,keys=10,zipf=0", 0},
		{"tenants:rate=100/s,keys=10,zipf=1.5", 1.5},
	} {
		t.Run(c.spec, func(t *testing.T) {
			const draws = 100_000
			var seen [10]float64
			for _, a := range read(mustNew(t, c.spec, testEnv(1, 0, nil)), draws) {
				seen[a.Key]++
			}
			chi := 0.0
			for k, n := range seen {
				want := draws * math.Pow(float64(k+1), -c.s) / harmonic(10, c.s)
				chi += (n - want) * (n - want) / want
			}
			assert.Less(t, chi, 27.9, "chi-square with 9 degrees of freedom exceeds this once in a thousand: %v", seen)
		})
	}
}

// Each tenant is a Poisson process of its own: by key the gaps are exponential,
// and the counts of two tenants do not depend on each other.
func TestEveryTenantIsPoisson(t *testing.T) {
	const text = "tenants:rate=100/s,keys=3,zipf=1,greedy=6"
	rates := []float64{100 / harmonic(3, 1), 50 / harmonic(3, 1), 100 / 3. / harmonic(3, 1), 200}
	byKey := make([][]Arrival, len(rates))
	list := read(mustNew(t, text, testEnv(1, 0, nil)), 60_000)
	for _, a := range list {
		byKey[a.Key] = append(byKey[a.Key], a)
	}
	for k, rate := range rates {
		requireLaw(t, gapsOf(byKey[k]), func(x float64) float64 { return -math.Expm1(-rate * x) })
	}
	requireLaw(t, gapsOf(list), func(x float64) float64 { return -math.Expm1(-300 * x) })

	var products []float64
	for rep := range 2000 {
		w, counts := mustNew(t, text, testEnv(1, rep, nil)), [4]float64{}
		for a, _ := w.Next(); a.At < time.Second/10; a, _ = w.Next() {
			counts[a.Key]++
		}
		products = append(products, (counts[0]-rates[0]/10)*(counts[3]-rates[3]/10))
	}
	requireMean(t, 0, products, "covariance of the counts of two tenants")
}

func TestAGreedyTenantMovesNoOther(t *testing.T) {
	without := read(mustNew(t, "tenants:rate=100/s,keys=5", testEnv(1, 0, nil)), 1000)
	for _, greedy := range []string{"1", "3", "200"} {
		w, others := mustNew(t, "tenants:rate=100/s,keys=5,greedy="+greedy, testEnv(1, 0, nil)), []Arrival{}
		for len(others) < len(without) {
			if a, _ := w.Next(); a.Key != 5 {
				others = append(others, a)
			}
		}
		require.Equal(t, without, others, "greedy=%s", greedy)
	}
}

func TestTheExponentMovesNoArrivalInTime(t *testing.T) {
	a := read(mustNew(t, "tenants:rate=100/s,keys=5", testEnv(1, 0, nil)), 1000)
	b := read(mustNew(t, "tenants:rate=100/s,keys=500,zipf=0", testEnv(1, 0, nil)), 1000)
	for i := range a {
		require.Equal(t, a[i].At, b[i].At)
	}
}

func TestTenantsEndWithTheClock(t *testing.T) {
	w := mustNew(t, "tenants:rate=1/104d,keys=1,greedy=1", testEnv(1, 0, nil))
	list := read(w, 5000)
	require.InDelta(t, 2052, len(list), 4*math.Sqrt(2052))
	for range 10 {
		_, ok := w.Next()
		require.False(t, ok)
	}
}
