package random

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kolmogorovSmirnov returns √n times the largest distance between the empirical
// distribution of sample, which it sorts, and the exponential law with mean 1.
func kolmogorovSmirnov(sample []float64) float64 {
	slices.Sort(sample)
	n := float64(len(sample))
	distance := 0.0
	for i, x := range sample {
		p := -math.Expm1(-x)
		distance = max(distance, p-float64(i)/n, float64(i+1)/n-p)
	}
	return distance * math.Sqrt(n)
}

// ksLimit is exceeded with probability 0.001 under the law.
const ksLimit = 1.9495

// TestExponentialGolden fixes the bits of the draws. The first 64 are listed;
// the digest of 200 000 of them passes every branch several times.
func TestExponentialGolden(t *testing.T) {
	var out strings.Builder
	r := Stream(1, "exponential")
	hash := sha256.New()
	var buf [8]byte
	for i := range 200_000 {
		bits := math.Float64bits(Exponential(r))
		if i < 64 {
			fmt.Fprintf(&out, "%016x\n", bits)
		}
		binary.LittleEndian.PutUint64(buf[:], bits)
		hash.Write(buf[:])
	}
	fmt.Fprintf(&out, "sha256 of 200000: %x\n", hash.Sum(nil))
	golden(t, "exponential.golden", out.String())
}

func TestExponentialFollowsItsLaw(t *testing.T) {
	const n = 500_000
	r := Stream(2, "law")
	sample := make([]float64, n)
	var sum, squares float64
	for i := range sample {
		x := Exponential(r)
		sample[i] = x
		sum += x
		squares += (x - 1) * (x - 1)
	}
	// Standard deviations of the mean and of the variance: 1/√n and √(8/n).
	assert.InDelta(t, 1, sum/n, 4/math.Sqrt(n), "mean")
	assert.InDelta(t, 1, squares/n, 4*math.Sqrt(8.0/n), "variance")
	assert.Less(t, kolmogorovSmirnov(sample), ksLimit)
	beyond := 0
	for _, x := range sample {
		if x > tailStart {
			beyond++
		}
	}
	expected := n * math.Exp(-tailStart)
	assert.InDelta(t, expected, beyond, 4*math.Sqrt(expected), "draws beyond the last layer")
}

// TestExponentialEdges draws only words that leave the fast path, layer by
// layer, and compares with the conditional law on that side of the edge.
func TestExponentialEdges(t *testing.T) {
	r := Stream(3, "edges")
	for _, i := range []uint64{1, 2, 17, 128, 254, 255} {
		layer := layers[i]
		lo := float64(layer.inside) * layer.unit
		hi := layer.unit * (1 << 53)
		// In the wedge of layer i the accepted x have density e^-x - heights[i].
		mass := func(x float64) float64 { return -math.Exp(-x) - heights[i]*x }
		const n = 10_000
		sample := make([]float64, 0, n)
		for len(sample) < n {
			j := layer.inside + r.Int64N(1<<53-layer.inside)
			// A rejected word is followed by a fresh draw, which may also land in
			// this range: keep only draws that took no more than the two words of
			// the wedge, by comparing the stream with a copy.
			pcg := rand.NewPCG(r.Uint64(), r.Uint64())
			own, copied := rand.New(pcg), *pcg
			x := exponentialEdge(own, uint64(j)<<11|i)
			rand.New(&copied).Uint64()
			if *pcg == copied {
				require.InDelta(t, float64(j)*layer.unit, x, 1e-15)
				p := (mass(x) - mass(lo)) / (mass(hi) - mass(lo))
				sample = append(sample, -math.Log1p(-p))
			}
		}
		assert.Lessf(t, kolmogorovSmirnov(sample), ksLimit, "wedge of layer %d", i)
	}
}

func TestExponentialTailBeyondLastLayer(t *testing.T) {
	r := Stream(4, "tail")
	sample := make([]float64, 50_000)
	far := 0
	for i := range sample {
		x := exponentialEdge(r, (1<<53-1)<<11) // layer 0, rightmost abscissa
		require.GreaterOrEqual(t, x, tailStart)
		if x > 2*tailStart {
			far++
		}
		sample[i] = x - tailStart
	}
	assert.Less(t, kolmogorovSmirnov(sample), ksLimit)
	assert.Positive(t, far, "a tail of a tail")
}

func TestExpMinusIsWithinOneUnitInTheLastPlace(t *testing.T) {
	r := Stream(5, "exp")
	check := func(x float64) {
		got := expMinus(x)
		want, _ := bigExp(blank().Neg(bigFloat(x))).Float64()
		ulp := math.Nextafter(want, 2) - want
		require.InDeltaf(t, want, got, ulp, "e^-%v", x)
	}
	for _, x := range []float64{0, 0x1p-53, math.Ln2 / 2, math.Ln2, 1, tailStart} {
		check(x)
	}
	for range 1000 {
		check(8 * r.Float64())
	}
	assert.Equal(t, 1.0, expMinus(0))
}

func TestExponentialDoesNotAllocate(t *testing.T) {
	r := Stream(1)
	assert.Zero(t, testing.AllocsPerRun(1000, func() { Exponential(r) }))
}

func BenchmarkExponential(b *testing.B) {
	b.Run("method=ratelab", func(b *testing.B) {
		r := Stream(1)
		sum := 0.0
		for b.Loop() {
			sum += Exponential(r)
		}
	})
	b.Run("method=math-rand", func(b *testing.B) {
		r := Stream(1)
		sum := 0.0
		for b.Loop() {
			sum += r.ExpFloat64()
		}
	})
	b.Run("method=gaps", func(b *testing.B) {
		g := NewExpGaps(Stream(1), 100, 1e9)
		for b.Loop() {
			g.Next()
		}
	})
}
