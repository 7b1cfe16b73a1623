package random

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNormalGolden fixes the bits of the draws, as TestExponentialGolden does.
func TestNormalGolden(t *testing.T) {
	var out strings.Builder
	r := Stream(1, "normal")
	hash := sha256.New()
	var buf [8]byte
	for i := range 100_000 {
		bits := math.Float64bits(Normal(r))
		if i < 32 {
			fmt.Fprintf(&out, "%016x\n", bits)
		}
		binary.LittleEndian.PutUint64(buf[:], bits)
		hash.Write(buf[:])
	}
	fmt.Fprintf(&out, "sha256 of 100000: %x\n", hash.Sum(nil))
	golden(t, "normal.golden", out.String())
}

func TestNormalFollowsItsLaw(t *testing.T) {
	const n = 500_000
	r := Stream(2, "normal law")
	sample := make([]float64, n)
	var sum, squares, fourths float64
	for i := range sample {
		x := Normal(r)
		sample[i] = x
		sum += x
		squares += x * x
		fourths += x * x * x * x
	}
	// Standard deviations of the moments: 1, √2 and √96, each over √n.
	assert.InDelta(t, 0, sum/n, 4/math.Sqrt(n), "mean")
	assert.InDelta(t, 1, squares/n, 4*math.Sqrt(2.0/n), "variance")
	assert.InDelta(t, 3, fourths/n, 4*math.Sqrt(96.0/n), "fourth moment")
	slices.Sort(sample)
	distance := 0.0
	for i, x := range sample {
		p := math.Erfc(-x/math.Sqrt2) / 2
		distance = max(distance, p-float64(i)/n, float64(i+1)/n-p)
	}
	assert.Less(t, distance*math.Sqrt(n), ksLimit)
}

func TestNormalDoesNotAllocate(t *testing.T) {
	r := Stream(3, "normal")
	assert.Zero(t, testing.AllocsPerRun(1000, func() { Normal(r) }))
}
