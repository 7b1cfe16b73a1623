package fit

import "ratelab/internal/spec"

// Refused returns how many requests of a key a token bucket of this rate and burst refuses, full at first; it stops
// counting above enough. refuse, unless nil, is told the number of each.
func Refused(at, cost []int64, rate spec.Rate, burst int64, enough int, refuse func(i int)) int {
	n, p := uint64(rate.N), uint64(rate.P)
	if cost == nil && refuse == nil && uint64(burst) < small/p {
		return refusedSmall(at, n, p, uint64(burst)*p, enough)
	}
	full := deficit{}.plus(uint64(burst), p)
	refused := 0
	var now deficit
	for i, t := range at {
		if i > 0 {
			now = now.drained(uint64(t)-uint64(at[i-1]), n)
		}
		c := uint64(1)
		if cost != nil {
			c = uint64(cost[i])
		}
		if then := now.plus(c, p); !full.less(then) {
			now = then
			continue
		}
		if refuse != nil {
			refuse(i)
		}
		if refused++; refused > enough {
			break
		}
	}
	return refused
}

// refusedSmall is Refused for unit costs and a bucket whose parts stay below small: the same in 64 bits.
func refusedSmall(at []int64, n, p, full uint64, enough int) int {
	if len(at) == 0 {
		return 0
	}
	dry := small / n
	refused := 0
	now, last := uint64(0), at[0]
	for _, t := range at {
		gap := uint64(t) - uint64(last)
		last = t
		if gap > dry || gap*n >= now {
			now = 0
		} else {
			now -= gap * n
		}
		if now+p <= full {
			now += p
		} else if refused++; refused > enough {
			break
		}
	}
	return refused
}

// leastLimit returns the smallest limit under which at most enough requests are refused, for a limit that refuses
// fewer the larger it is. needs are the limits that refuse each key nothing; refused counts what a key is refused under
// a limit, up to enough. Every cost is 1.
//
// A key that needs x is refused x − l requests at least under l: without what is refused the limit does, and a request
// less lowers the need by one at most. Limit 0 refuses everything, which is too much for every share. So the search
// begins where these sums come down to enough, mostly near its end; it goes up in steps that double, and is then binary.
// Under each limit only the keys that need more are looked at, the neediest first, until enough is passed.
func leastLimit(needs []int64, enough int, refused func(key int, limit int64, enough int) int) int64 {
	keys := byNeed(needs, 1)
	if len(keys) == 0 {
		return min(1, highest(needs))
	}
	if enough == 0 {
		return needs[keys[0]]
	}
	fits := func(limit int64) bool {
		left := enough
		for _, key := range keys {
			if needs[key] <= limit {
				break
			}
			if left -= refused(key, limit, left); left < 0 {
				return false
			}
		}
		return true
	}
	low := lowest(needs, keys, int64(enough)) // below it nothing fits
	high := needs[keys[0]]                    // fits
	for step := int64(1); low < high; step *= 2 {
		try := min(low+step-1, high)
		if try == high || fits(try) {
			high = try
			break
		}
		low = try + 1
	}
	for low < high {
		middle := low + (high-low)/2
		if fits(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

func highest(needs []int64) (top int64) {
	for _, need := range needs {
		top = max(top, need)
	}
	return top
}

// lowest returns the smallest limit l, 1 at least, at which the sum of max(0, need − l) over the keys, the neediest
// first, is at most enough. Keys that need no more than 1 are not among them.
func lowest(needs []int64, keys []int, enough int64) int64 {
	sum := int64(0)
	for i, key := range keys {
		sum += needs[key]
		next := int64(1)
		if i+1 < len(keys) {
			next = needs[keys[i+1]]
		}
		// Under a limit from next to needs[key], i+1 keys need more.
		if count := int64(i + 1); sum-count*next > enough {
			return (sum - enough + count - 1) / count
		}
	}
	return 1
}
