package logs

import (
	"bytes"
	"math"
	"strconv"
)

const millisecond = 1_000_000 // ns

// parseTook reads how long a request took, a decimal number of units of so many ns, as ns; what is less than one is cut
// off. It may end with a unit of its own: 12.5ms, 3s, 40us. Anything else, such as the - of a request that was not
// answered, is -1, unknown.
func parseTook(text []byte, unit int64) int64 {
	for _, u := range []struct {
		end  string
		unit int64
	}{{"ms", millisecond}, {"us", 1000}, {"µs", 1000}, {"ns", 1}, {"s", second}} {
		if n := len(text) - len(u.end); n > 0 && string(text[n:]) == u.end {
			text, unit = bytes.TrimRight(text[:n], " "), u.unit
			break
		}
	}
	ns, i, own := int64(0), 0, unit
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		digit := int64(text[i]-'0') * unit
		if ns > (math.MaxInt64-digit)/10 {
			return -1
		}
		ns = ns*10 + digit
	}
	if i == 0 {
		return -1
	}
	if i < len(text) && text[i] == '.' {
		for i++; i < len(text) && text[i]-'0' <= 9; i++ {
			unit /= 10
			if part := int64(text[i]-'0') * unit; ns <= math.MaxInt64-part {
				ns += part
			}
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' { // as languages write what is very small; no server does
		x, err := strconv.ParseFloat(string(text), 64)
		if x *= float64(own); err != nil || !(x >= 0 && x < math.MaxInt64) {
			return -1
		}
		return int64(x)
	}
	if i < len(text) {
		return -1
	}
	return ns
}
