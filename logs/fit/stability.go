package fit

import (
	"slices"

	"ratelab/internal/random"
)

// Stability says how a burst at one rate depends on when and on whom one looked.
type Stability struct {
	Share         Share
	Burst         int64
	First, Second int64 // the burst of the first half of the time, and of the second; 0 for a half without requests
	// Low and High hold the bursts of 95 % of resamples of the keys with replacement, as many as there are. HasInterval
	// is false where the burst is that of the neediest key, as it is for 99 % of a few: no resample has a larger one.
	Low, High   int64
	HasInterval bool
}

// resamples is how many times the keys are drawn. The outer 2.5 % on either side are ten resamples.
const resamples = 400

// Stabilities takes the bursts for shares of the keys at a rate apart. The halves are those of the time from the first
// request to the last; the resamples are drawn from the stream (seed, "fit", "keys").
func Stabilities(a *Arrivals, rate Rate, shares []Share, seed uint64) []Stability {
	bursts := a.Bursts(rate.Rate)
	whole := quantiles(bursts, a.keys, shares)
	var parts [2][]int64
	for i, half := range a.Halves() {
		parts[i] = quantiles(half.Bursts(rate.Rate), half.keys, shares)
	}
	low, high := resampled(bursts, shares, seed)
	var list []Stability
	for i, share := range shares {
		list = append(list, Stability{
			Share: share, Burst: whole[i], First: parts[0][i], Second: parts[1][i],
			Low: low[i], High: high[i], HasInterval: share.Of(a.keys) < a.keys,
		})
	}
	return list
}

// resampled returns the bounds of the middle 95 % of the quantiles of resamples.
func resampled(bursts []int64, shares []Share, seed uint64) (low, high []int64) {
	var sorted []int64
	for _, b := range bursts {
		if b > 0 {
			sorted = append(sorted, b)
		}
	}
	slices.Sort(sorted)
	low, high = make([]int64, len(shares)), make([]int64, len(shares))
	if len(sorted) == 0 {
		return low, high
	}
	// Equal bursts are one value: a resample counts how often each is drawn.
	var values []int64
	value := make([]uint32, len(sorted))
	for i, b := range sorted {
		if i == 0 || b != sorted[i-1] {
			values = append(values, b)
		}
		value[i] = uint32(len(values) - 1)
	}
	found := make([][]int64, len(shares))
	counts := make([]int, len(values))
	draws := random.Stream(seed, "fit", "keys")
	for range resamples {
		clear(counts)
		for range sorted {
			counts[value[draws.Uint64N(uint64(len(sorted)))]]++
		}
		for i, share := range shares {
			want, at := share.Of(len(sorted)), 0
			for at = range counts {
				if want -= counts[at]; want <= 0 {
					break
				}
			}
			found[i] = append(found[i], values[at])
		}
	}
	for i := range shares {
		slices.Sort(found[i])
		low[i], high[i] = found[i][resamples/40], found[i][resamples-1-resamples/40]
	}
	return low, high
}
