package metrics

import "math/bits"

// histogram counts non-negative integers exactly in log-linear buckets: one for
// each value below 256, then 128 of equal width in each octave. The value that
// stands for a bucket differs from any value in it by at most 1/256 of the
// latter. The zero value is empty; it grows to the largest value it meets.
type histogram struct{ counts []int64 }

const (
	octaveBits = 7 // buckets in an octave: 1 << octaveBits
	octave     = 1 << octaveBits
)

func (h *histogram) add(v uint64) {
	i := bucketOf(v)
	if i >= len(h.counts) {
		h.grow(i + 1)
	}
	h.counts[i]++
}

// grow makes room for n buckets, in whole octaves.
func (h *histogram) grow(n int) {
	n = (n + octave - 1) / octave * octave
	if n > len(h.counts) {
		h.counts = append(h.counts, make([]int64, n-len(h.counts))...)
	}
}

func (h *histogram) merge(other *histogram) {
	h.grow(len(other.counts))
	for i, n := range other.counts {
		h.counts[i] += n
	}
}

func bucketOf(v uint64) int {
	shift := bits.Len64(v|octave) - (octaveBits + 1)
	return shift<<octaveBits + int(v>>shift)
}

// valueOf returns the middle of bucket i, rounded down.
func valueOf(i int) uint64 {
	if i < 2*octave {
		return uint64(i)
	}
	shift := i>>octaveBits - 1
	low := uint64(i&(octave-1)|octave) << shift
	return low + (uint64(1)<<shift-1)/2
}

// rankOf returns the rank, from 1, of the quantile permille/1000 among n values:
// the smallest k with k/n >= permille/1000, at least 1. n is below 2⁵³.
func rankOf(permille, n int64) int64 {
	return max(1, (permille*n+999)/1000)
}
