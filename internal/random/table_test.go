package random

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestZipfWeightsAreInversePowers(t *testing.T) {
	assert.Equal(t, []float64{1, 1, 1}, Zipf(3, 0))
	assert.Equal(t, []float64{1, 0.125, 1.0 / 27}, Zipf(3, 6))
	assert.InDelta(t, 0.5, Zipf(4, 1)[3], 1e-15)
	assert.InDelta(t, 1.0/27, Zipf(9, 3)[8], 1e-15)
}

// What the columns give to each number, added up, is its weight exactly.
func TestTableColumnsHoldTheWeightsExactly(t *testing.T) {
	check := func(t require.TestingT, weights []float64) {
		table := NewTable(weights)
		n, total := big.NewInt(int64(len(weights))), new(big.Int).SetUint64(table.total)
		got := make([]*big.Int, len(weights))
		for i := range got {
			got[i] = new(big.Int)
		}
		for i, c := range table.columns {
			require.LessOrEqual(t, c.below, table.total)
			below := new(big.Int).SetUint64(c.below)
			got[i].Add(got[i], below)
			got[c.other].Add(got[c.other], new(big.Int).Sub(total, below))
		}
		largest, sum := 0.0, 0.0
		for _, w := range weights {
			largest = max(largest, w)
			sum += w
		}
		for i, w := range weights {
			require.Equal(t, new(big.Int).Mul(big.NewInt(table.weights[i]), n), got[i], "number %d", i)
			require.InDelta(t, w/largest, float64(table.weights[i])/tableOne, 0x1p-41*1.001)
			require.InDelta(t, w/sum, table.Chance(i), float64(len(weights))*0x1p-40)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.SliceOfN(rapid.Float64Range(1e-12, 1e12), 1, 40).Draw(t, "weights"))
	})
	check(t, Zipf(10_000, 2))
	check(t, Zipf(MaxTable, 0)[:5000])
}

func TestTableDrawsFollowTheWeights(t *testing.T) {
	for halves := range int64(5) {
		t.Run(fmt.Sprint(halves), func(t *testing.T) {
			const n, draws = 30, 300_000
			table, r := NewTable(Zipf(n, halves)), Stream(1, "table", fmt.Sprint(halves))
			var seen [n]float64
			for range draws {
				seen[table.Draw(r)]++
			}
			chi := 0.0
			for i, s := range seen {
				want := draws * Zipf(n, halves)[i] / sum(Zipf(n, halves))
				chi += (s - want) * (s - want) / want
			}
			assert.Less(t, chi, 58.3, "chi-square with 29 degrees of freedom exceeds this once in a thousand")
		})
	}
}

func sum(list []float64) (s float64) {
	for _, x := range list {
		s += x
	}
	return s
}

func TestTableMean(t *testing.T) {
	table := NewTable([]float64{2, 1, 1})
	assert.Equal(t, 1.75, table.Mean(func(i int) float64 { return float64(i + 1) }))
	assert.Equal(t, 0.5, table.Chance(0))
}

func TestTheLargestTableDoesNotOverflow(t *testing.T) {
	table := NewTable(Zipf(MaxTable, 0))
	assert.Equal(t, uint64(1)<<60, table.total)
	r := Stream(1)
	mean := 0.0
	for range 10_000 {
		mean += float64(table.Draw(r)) / 10_000
	}
	assert.InDelta(t, 0.5, mean/MaxTable, 4*math.Sqrt(1.0/12/10_000))
}

func TestTablesRefuseNonsense(t *testing.T) {
	for _, weights := range [][]float64{nil, {0}, {1, -1}, {math.NaN()}, {math.Inf(1)}, make([]float64, MaxTable+1)} {
		assert.Panics(t, func() { NewTable(weights) })
	}
}

func TestTableDrawsDoNotAllocate(t *testing.T) {
	table, r := NewTable(Zipf(100, 2)), Stream(1)
	assert.Zero(t, testing.AllocsPerRun(1000, func() { table.Draw(r) }))
}
