package fleet

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/internal/random"
)

func streams(seed uint64) func(string) *rand.Rand {
	return func(purpose string) *rand.Rand { return random.Stream(seed, purpose) }
}

func build(t *testing.T, text string, servers int) Balancer {
	t.Helper()
	b, err := ParseBalancer(text)
	require.NoError(t, err)
	assert.Equal(t, text, b.String())
	built, err := b.build(servers, streams(1))
	require.NoError(t, err)
	return built
}

func picks(b Balancer, n int, key func(i int) uint32) []int {
	counts := []int{}
	for i := range n {
		s := b.Pick(key(i))
		for len(counts) <= s {
			counts = append(counts, 0)
		}
		counts[s]++
	}
	return counts
}

func TestRoundRobinDealsInTurn(t *testing.T) {
	b := build(t, "round-robin", 3)
	var got []int
	for range 7 {
		got = append(got, b.Pick(0))
	}
	assert.Equal(t, []int{0, 1, 2, 0, 1, 2, 0}, got)
}

// withinFiveSigma checks counts against chances: five standard deviations
// of the binomial law, at a fixed seed.
func withinFiveSigma(t *testing.T, counts []int, n int, chance func(i int) float64) {
	t.Helper()
	for i, c := range counts {
		mean := float64(n) * chance(i)
		assert.InDelta(t, 0, (float64(c)-mean)*(float64(c)-mean)/(mean*(1-chance(i))), 25, "server %d got %d of %d", i, c, n)
	}
}

func TestRandomPicksEvenly(t *testing.T) {
	counts := picks(build(t, "random", 8), 80_000, func(int) uint32 { return 0 })
	require.Len(t, counts, 8)
	withinFiveSigma(t, counts, 80_000, func(int) float64 { return 1.0 / 8 })
}

func TestWeightedFollowsItsWeights(t *testing.T) {
	t.Run("zipf", func(t *testing.T) {
		counts := picks(build(t, "weighted:zipf=1", 4), 100_000, func(int) uint32 { return 0 })
		withinFiveSigma(t, counts, 100_000, func(i int) float64 { return 12.0 / 25 / float64(i+1) })
	})
	t.Run("shares", func(t *testing.T) {
		counts := picks(build(t, "weighted:shares=4/2/1", 3), 70_000, func(int) uint32 { return 0 })
		withinFiveSigma(t, counts, 70_000, func(i int) float64 { return float64(int(4)>>i) / 7 })
	})
}

func TestHashKeepsAKeyOnOneServerAndSpreadsKeys(t *testing.T) {
	b := build(t, "hash", 8)
	for key := range uint32(1000) {
		assert.Equal(t, b.Pick(key), b.Pick(key))
	}
	withinFiveSigma(t, picks(b, 80_000, func(i int) uint32 { return uint32(i) }), 80_000, func(int) float64 { return 1.0 / 8 })
}

func TestBalancersRefuseWithAReason(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"round-robbin", `did you mean "round-robin"?`},
		{"random:seed=1", `takes no parameters, got "seed"`},
		{"weighted", "needs either zipf or shares"},
		{"weighted:zipf=1,shares=1/2", "needs either zipf or shares"},
		{"weighted:zipf=0.3", "zipf must be a multiple of 0.5 from 0 to 8, got 0.3"},
		{"weighted:zipf=9", "zipf must be a multiple of 0.5 from 0 to 8, got 9"},
		{"weighted:shares=1/0", `shares must be numbers > 0 separated by /, as in 4/2/1, got "1/0"`},
		{"weighted:shares=a", "shares must be numbers > 0"},
	} {
		_, err := ParseBalancer(c.text)
		if assert.Error(t, err, c.text) {
			assert.Contains(t, err.Error(), c.want)
			assert.False(t, strings.Contains(err.Error(), "\n"))
		}
	}
	b, err := ParseBalancer("weighted:shares=1/2")
	require.NoError(t, err)
	_, err = b.build(3, streams(1))
	assert.EqualError(t, err, `balancer "weighted:shares=1/2": shares names 2 servers, the fleet has 3`)
}
