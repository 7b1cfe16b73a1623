package logs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// The faults of decimal seconds.
var (
	errSeconds  = errors.New("want decimal seconds like 12.5")
	errDecimals = errors.New("want at most 9 decimals, whole nanoseconds")
	errRange    = errors.New("want seconds within ±9223372036.854775807, int64 nanoseconds")
)

const second = 1_000_000_000 // ns

// ParseSeconds reads decimal seconds, like 12.5 or -0.000000001, as nanoseconds. It is exact: more than 9 decimals
// and times beyond int64 nanoseconds are refused.
func ParseSeconds(text string) (int64, error) {
	ns, err := parseSeconds([]byte(text))
	if err != nil {
		return 0, fmt.Errorf("%w, got %s", err, shown([]byte(text)))
	}
	return ns, nil
}

func parseSeconds(text []byte) (int64, error) { return parseDecimal(text, second, 9) }

// parseDecimal reads a decimal number of units as nanoseconds. A unit is unit ns, a power of ten with as many zeros as
// decimals are allowed. Faults are named for seconds.
func parseDecimal(text []byte, unit uint64, decimals int) (int64, error) {
	i, negative := 0, false
	if len(text) > 0 && text[0] == '-' {
		i, negative = 1, true
	}
	start, whole, large := i, uint64(0), false
	most := math.MaxInt64 / unit
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		digit := uint64(text[i] - '0')
		if large || whole > (most-digit)/10 {
			large = true
			continue
		}
		whole = whole*10 + digit
	}
	if i == start {
		return 0, errSeconds
	}
	fraction := uint64(0)
	if i < len(text) && text[i] == '.' {
		i++
		start = i
		for ; i < len(text) && text[i]-'0' <= 9; i++ {
			if i-start < decimals {
				fraction = fraction*10 + uint64(text[i]-'0')
			}
		}
		if i == start {
			return 0, errSeconds
		}
		if i-start > decimals && i == len(text) {
			return 0, errDecimals
		}
		for n := i - start; n < decimals; n++ {
			fraction *= 10
		}
	}
	if i < len(text) {
		return 0, errSeconds
	}
	ns := whole*unit + fraction // below 2⁶⁴: whole·unit is at most 2⁶³−1, and a fraction is less than a unit
	switch {
	case !large && !negative && ns <= math.MaxInt64:
		return int64(ns), nil
	case !large && negative && ns <= math.MaxInt64+1:
		return -int64(ns), nil // for 2⁶³ both int64 and the minus wrap, to the smallest int64
	}
	return 0, errRange
}

// FormatSeconds writes nanoseconds as decimal seconds, exactly, without trailing zeros: 0, 12.5, -0.000000001.
func FormatSeconds(ns int64) string { return string(AppendSeconds(nil, ns)) }

// AppendSeconds appends what [FormatSeconds] returns.
func AppendSeconds(dst []byte, ns int64) []byte {
	abs := uint64(ns)
	if ns < 0 {
		dst = append(dst, '-')
		abs = -abs
	}
	dst = strconv.AppendUint(dst, abs/second, 10)
	fraction := abs % second
	if fraction == 0 {
		return dst
	}
	dst = append(dst, '.')
	for digit := uint64(second / 10); fraction > 0; digit /= 10 {
		dst = append(dst, '0'+byte(fraction/digit))
		fraction %= digit
	}
	return dst
}
