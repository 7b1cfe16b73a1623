package des

import (
	"math/rand/v2"

	"ratelab/internal/random"
)

// Stream returns the random generator named by seed and path, at its beginning.
// Give every purpose of every entity a stream of its own: adding a stream, or
// drawing more often from one, shifts no other.
func Stream(seed uint64, path ...string) *rand.Rand {
	return random.Stream(seed, path...)
}
