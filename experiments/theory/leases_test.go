package theory

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// strandedOnce plays one window: how much the servers hold when one of them is refused.
func strandedOnce(rng *rand.Rand, servers, batch, limit int) int {
	held := make([]int, servers)
	left := limit
	for {
		i := rng.IntN(servers)
		if held[i] == 0 {
			if left == 0 {
				break
			}
			held[i] = min(batch, left)
			left -= held[i]
		}
		held[i]--
	}
	sum := 0
	for _, h := range held {
		sum += h
	}
	return sum
}

func TestLeasesStrandedAgreeWithSimulation(t *testing.T) {
	for seed, at := range [][3]int{
		{2, 2, 2}, {2, 5, 3}, {3, 4, 9}, {4, 10, 100}, {4, 10, 107}, {8, 20, 1000}, {8, 20, 990}, {16, 50, 5000}, {16, 50, 4992}, {16, 50, 60}, {3, 7, 7}, {5, 3, 200}, {4, 6, 301}, {3, 40, 130},
	} {
		rng := rand.New(rand.NewPCG(11, uint64(seed)))
		var got []float64
		for range min(1_000_000/at[2], 5_000) {
			got = append(got, float64(strandedOnce(rng, at[0], at[1], at[2])))
		}
		assertMean(t, LeaseStranded(at[0], at[1], at[2]), got, at)
	}
}

func TestLeasesStrandedApproachTheirLimit(t *testing.T) {
	assert.Equal(t, 367.5, LeaseStrandedLimit(16, 50))
	assert.InDelta(t, 341, LeaseStranded(16, 50, 5000), 0.5) // as published, L/N = k²/8
	assert.InEpsilon(t, LeaseStrandedLimit(8, 20), LeaseStranded(8, 20, 1000), 0.02)
	for _, at := range [][2]int{{2, 2}, {2, 9}, {3, 20}, {4, 10}, {16, 50}} {
		k2 := at[0] * at[1] * at[1]
		limit := LeaseStrandedLimit(at[0], at[1])
		assert.InEpsilon(t, limit, LeaseStranded(at[0], at[1], k2), math.Exp(-19*(1-1/float64(at[0]))), at)
		assert.InEpsilon(t, limit, LeaseStranded(at[0], at[1], 3*k2), 1e-12, at)
		assert.Equal(t, limit, LeaseStranded(at[0], at[1], 10*k2), at)
	}
	// Where the two ways meet they agree, for a short last lease too.
	for _, at := range [][2]int{{2, 2}, {2, 9}, {4, 10}, {5, 6}} {
		for last := 1; last <= at[1]; last++ {
			exact := LeaseStranded(at[0], at[1], 3*at[0]*at[1]*at[1]-at[1]+last)
			mixed := LeaseStrandedLimit(at[0], at[1]) + float64(last) - leaseRaceMixed(at[0], at[1], last)
			assert.InEpsilon(t, mixed, exact, 1e-11, "%v, last lease %d", at, last)
		}
	}
}

func TestLeasesOfOneServerOrOfOneTokenStrandNothing(t *testing.T) {
	assert.Zero(t, LeaseStranded(1, 50, 99))
	assert.Zero(t, LeaseStranded(9, 1, 99))
}

func TestLeaseCallsAndBounds(t *testing.T) {
	assert.Equal(t, 100.0, LeaseGrantCalls(1000, 10))
	assert.Equal(t, 34.0, LeaseGrantCalls(100, 3))
	assert.Equal(t, 0.0, LeaseGrantCalls(0, 3))
	assert.Equal(t, 63.0, LeaseStrandedMost(8, 10))
	assert.Equal(t, 72.0, LeaseOutliving(8, 10))
}

// strandedExactly returns the mean of strandedOnce by all branches of the game.
func strandedExactly(held []int, left, batch int, known map[string]float64) float64 {
	slices.Sort(held)
	state := fmt.Sprint(held, left)
	if mean, ok := known[state]; ok {
		return mean
	}
	mean := 0.0
	for i := range held {
		next, rest := slices.Clone(held), left
		if next[i] == 0 {
			next[i] = min(batch, rest)
			rest -= next[i]
		}
		if next[i] == 0 {
			for _, h := range held {
				mean += float64(h) / float64(len(held))
			}
			continue
		}
		next[i]--
		mean += strandedExactly(next, rest, batch, known) / float64(len(held))
	}
	known[state] = mean
	return mean
}

func TestLeasesStrandedEqualTheSumOverAllGames(t *testing.T) {
	for _, at := range [][3]int{
		{2, 2, 1}, {2, 2, 2}, {2, 5, 3}, {2, 5, 40}, {3, 4, 9}, {3, 4, 48}, {3, 7, 100}, {4, 3, 30}, {4, 3, 53}, {4, 6, 61}, {5, 5, 60}, {5, 5, 61}, {3, 12, 120}, {3, 40, 120},
		{3, 2, 24}, {3, 2, 23}, {2, 3, 200}, {2, 3, 199},
	} {
		want := strandedExactly(make([]int, at[0]), at[2], at[1], map[string]float64{})
		assert.InDelta(t, want, LeaseStranded(at[0], at[1], at[2]), 1e-12*(1+want), at)
	}
}
