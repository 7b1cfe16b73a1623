package random

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// MaxTable bounds the number of weights of a [Table].
const MaxTable = 1 << 20

// tableOne is the whole weight that stands for the largest: 2⁴⁰.
const tableOne = 1 << 40

// Table draws 0..n-1 with chances in fixed proportions, in constant time.
//
// The weights are held as whole numbers, the largest as 2⁴⁰, and the draw has
// exactly the chances of these: it compares integers, by the alias method of
// Walker (ACM TOMS 3, 1977) as Vose (IEEE TSE 17, 1991) builds it. So each
// chance is within 2⁻⁴¹ of the largest of what was asked for, and what is less
// than that never comes.
type Table struct {
	columns []column
	weights []int64
	total   uint64
}

// column i is i below the threshold, out of the total, and other above it.
type column struct {
	below uint64
	other uint32
}

// NewTable makes a table of weights > 0. It panics if there is none, if there
// are more than [MaxTable], or if one is not a positive finite number: weights
// are checked where they are read.
func NewTable(weights []float64) *Table {
	if len(weights) == 0 || len(weights) > MaxTable {
		panic(fmt.Sprintf("random: a table has 1..%d weights, got %d", MaxTable, len(weights)))
	}
	largest := 0.0
	for i, w := range weights {
		if !(w > 0) || math.IsInf(w, 1) {
			panic(fmt.Sprintf("random: weight %d must be > 0 and finite, got %v", i, w))
		}
		largest = max(largest, w)
	}
	t := &Table{columns: make([]column, len(weights)), weights: make([]int64, len(weights))}
	for i, w := range weights {
		t.weights[i] = int64(float64(w/largest*tableOne) + 0.5)
		t.total += uint64(t.weights[i])
	}
	t.fill()
	return t
}

// fill deals the weights, each n times, into n columns of the same height, the
// total: a column holds its own weight and the rest from one that has too much.
// No number exceeds 2⁶⁰.
func (t *Table) fill() {
	n := uint64(len(t.weights))
	have := make([]uint64, n)
	var small, large []uint32
	for i, w := range t.weights {
		have[i] = uint64(w) * n
		if have[i] < t.total {
			small = append(small, uint32(i))
		} else {
			large = append(large, uint32(i))
		}
	}
	for len(small) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		t.columns[s] = column{below: have[s], other: l}
		have[l] -= t.total - have[s]
		if have[l] < t.total {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, l := range large {
		t.columns[l] = column{below: t.total, other: l}
	}
}

// Draw returns a number in 0..n-1. It takes two words of r, seldom more.
func (t *Table) Draw(r *rand.Rand) int {
	i := r.Uint64N(uint64(len(t.columns)))
	if c := t.columns[i]; r.Uint64N(t.total) >= c.below {
		return int(c.other)
	}
	return int(i)
}

// Chance returns the chance of i.
func (t *Table) Chance(i int) float64 { return float64(t.weights[i]) / float64(t.total) }

// Mean returns the mean of a function of the number drawn.
func (t *Table) Mean(f func(i int) float64) float64 {
	sum := 0.0
	for i, w := range t.weights {
		sum += float64(float64(w) * f(i))
	}
	return sum / float64(t.total)
}
