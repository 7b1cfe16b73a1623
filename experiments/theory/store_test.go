package theory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// storeOnce returns the mean time in a store of capacity 1 over requests that find it in its stationary state.
func storeOnce(rng *rand.Rand, rho float64, requests int, service func() float64) float64 {
	wait, total := 0.0, 0.0
	for i := range 2 * requests {
		s := service()
		if i >= requests {
			total += wait + s
		}
		wait = max(wait+s-rng.ExpFloat64()/rho, 0)
	}
	return total / float64(requests)
}

func TestStoreLatencyAgreesWithSimulation(t *testing.T) {
	const rho = 0.6
	var constant, exponential []float64
	for rep := range 200 {
		rng := rand.New(rand.NewPCG(41, uint64(rep)))
		constant = append(constant, storeOnce(rng, rho, 4000, func() float64 { return 1 }))
		exponential = append(exponential, storeOnce(rng, rho, 4000, rng.ExpFloat64))
	}
	const rtt, capacity = 0.002, 500
	assertMean(t, (StoreLatency(rtt, rho*capacity, capacity)-rtt)*capacity, constant)
	assertMean(t, (StoreLatencyExponential(rtt, rho*capacity, capacity)-rtt)*capacity, exponential)
	assert.InDelta(t, rtt+1.0/(capacity-300), StoreLatencyExponential(rtt, 300, capacity), 1e-15)
	assert.InDelta(t, 2*MD1Wait(0.9), MM1Wait(0.9), 1e-12)
}

func TestOutagesAgreeWithSimulation(t *testing.T) {
	const up, down, limit, servers = 12, 5, 10, 3
	limits := []int{2, 1, 2}
	var open, closed, local []float64
	for rep := range 20_000 {
		rng := rand.New(rand.NewPCG(42, uint64(rep)))
		seen := min(poissonDraw(rng, up), limit)
		got, admitted := make([]int, servers), 0
		unseen := poissonDraw(rng, down)
		for range unseen {
			if i := rng.IntN(servers); got[i] < limits[i] {
				got[i]++
				admitted++
			}
		}
		open = append(open, float64(seen+unseen))
		closed = append(closed, float64(seen))
		local = append(local, float64(seen+admitted))
	}
	assertMean(t, OutageOpen(up, down, limit), open)
	assertMean(t, OutageClosed(up, limit), closed)
	assertMean(t, OutageLocal(up, down, limit, Equal(servers), limits), local)
}
