package theory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestRetriesBehindALimiterAsPublished(t *testing.T) {
	assert.InDelta(t, 3.143, LimiterAttempts(0.5, 3), 1e-3)
	assert.InDelta(t, 8.19, LimiterAttempts(0.5, 10), 1e-2)
	assert.Equal(t, 1.0, LimiterAttempts(1.5, 3))
	assert.Zero(t, LimiterRefusal(1, 3))
}

func TestRetriesBehindALimiterAreTheirOwnCause(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.Float64Range(0.001, 0.999).Draw(t, "c/λ")
		retries := rapid.IntRange(0, 20).Draw(t, "m")
		p := LimiterRefusal(share, retries)
		if got := RetrySuccess(p, retries); got < share-1e-12 || got > share+1e-12 {
			t.Fatalf("success %v, want %v", got, share)
		}
		if got, want := LimiterAttempts(share, retries), RetryAttempts(p, retries); got < want*(1-1e-10) || got > want*(1+1e-10) {
			t.Fatalf("attempts %v, from the refusals %v", got, want)
		}
	})
}

// Slots in which a limiter admits a fixed number drawn from all who ask; who is refused comes back in a slot far away.
func TestRetriesBehindALimiterAgreeWithSimulation(t *testing.T) {
	for _, retries := range []int{0, 3, 10} {
		const perSlot, capacity, slots, away = 400, 200, 1500, 50
		rng := rand.New(rand.NewPCG(51, uint64(retries)))
		waiting := make([][]int, slots+away+1) // attempts made
		asked, offered := 0, 0
		for s := range slots {
			here := append(waiting[s], make([]int, perSlot)...)
			rng.Shuffle(len(here), func(i, j int) { here[i], here[j] = here[j], here[i] })
			for _, made := range here[min(capacity, len(here)):] {
				if made < retries {
					back := s + 1 + rng.IntN(away)
					waiting[back] = append(waiting[back], made+1)
				}
			}
			if s >= slots/2 {
				asked += len(here)
				offered += perSlot
			}
		}
		assert.InEpsilon(t, LimiterAttempts(0.5, retries), float64(asked)/float64(offered), 0.01, retries)
	}
}

func TestLostRepliesAndOutsideFailuresAgreeWithSimulation(t *testing.T) {
	const p, retries = 0.4, 2
	var attempts, success, tokens []float64
	rng := rand.New(rand.NewPCG(52, 0))
	for range 50_000 {
		made, ok := 1, rng.Float64() >= p
		for !ok && made <= retries {
			made, ok = made+1, rng.Float64() >= p
		}
		attempts, success = append(attempts, float64(made)), append(success, float64(b2i(ok)))
		spent := 1
		for rng.Float64() < p {
			spent++
		}
		tokens = append(tokens, float64(spent))
	}
	assertMean(t, RetryAttempts(p, retries), attempts)
	assertMean(t, RetrySuccess(p, retries), success)
	assertMean(t, TokensPerSuccess(p), tokens)
	assert.Equal(t, 4.0, RetryAttempts(1, 3))
	assert.Zero(t, RetrySuccess(1, 3))
}
