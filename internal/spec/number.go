package spec

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// MaxCount bounds counts, limits, bursts and the parts of a reduced rate: all
// lie below 2⁵³, so that their products fit in 128 bits.
const MaxCount = 1<<53 - 1

// Rate is an exact rate: N requests per P, reduced to lowest terms.
// Both lie in 1..MaxCount. P/N is the emission interval.
type Rate struct {
	N int64         // requests
	P time.Duration // in each P
}

// ParseRate reads "<number>/<duration>", as in 10/s, 0.5/s, 100/1m30s, 10/13s.
// The number is a decimal, the duration a unit with or without a count.
func ParseRate(text string) (Rate, error) {
	bad := func() (Rate, error) {
		return Rate{}, fmt.Errorf("must be <number>/<duration> like 10/s, 0.5/m or 100/1m30s, got %q", text)
	}
	num, per, ok := strings.Cut(text, "/")
	if !ok {
		return bad()
	}
	n, ok := parseDecimal(num)
	if !ok {
		return bad()
	}
	p, err := parsePer(per)
	if err != nil {
		return Rate{}, fmt.Errorf("period %w", err)
	}
	if n.Sign() <= 0 || p <= 0 {
		return Rate{}, fmt.Errorf("must be > 0, got %s", text)
	}
	return newRate(n.Quo(n, new(big.Rat).SetInt64(int64(p))), text)
}

func newRate(r *big.Rat, text string) (Rate, error) {
	limit := big.NewInt(MaxCount)
	if r.Num().Cmp(limit) > 0 || r.Denom().Cmp(limit) > 0 {
		return Rate{}, fmt.Errorf("%s needs numbers above 2^53 when reduced to requests per nanoseconds; use a coarser rate", text)
	}
	return Rate{N: r.Num().Int64(), P: time.Duration(r.Denom().Int64())}, nil
}

// Times returns the rate multiplied by num/den, exactly. It fails when the
// product can not be written within MaxCount.
func (r Rate) Times(num, den int64) (Rate, error) {
	if num <= 0 || den <= 0 {
		return Rate{}, fmt.Errorf("a rate can be scaled by a positive ratio, got %d/%d", num, den)
	}
	q := big.NewRat(r.N, int64(r.P))
	q.Mul(q, big.NewRat(num, den))
	return newRate(q, fmt.Sprintf("%v × %d/%d", r, num, den))
}

// PerSecond returns the rate in requests per second, rounded to float64.
func (r Rate) PerSecond() float64 {
	if r.P == 0 {
		return 0
	}
	q := big.NewRat(r.N, int64(r.P))
	f, _ := q.Mul(q, new(big.Rat).SetInt64(int64(time.Second))).Float64()
	return f
}

// String writes the rate so that [ParseRate] reads the same rate back, with
// the shortest of the usual periods that leaves a whole number.
func (r Rate) String() string {
	if r.N == 0 || r.P == 0 {
		return "0/s"
	}
	q := big.NewRat(r.N, int64(r.P))
	for _, u := range []struct {
		text string
		d    time.Duration
	}{{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", day}} {
		if whole := new(big.Rat).Mul(q, new(big.Rat).SetInt64(int64(u.d))); whole.IsInt() && whole.Num().IsInt64() {
			return whole.Num().String() + "/" + u.text
		}
	}
	return fmt.Sprintf("%d/%s", r.N, FormatDuration(r.P))
}

const day = 24 * time.Hour

var units = []struct {
	text string
	d    time.Duration
}{
	{"ns", time.Nanosecond}, {"us", time.Microsecond}, {"µs", time.Microsecond}, {"μs", time.Microsecond},
	{"ms", time.Millisecond}, {"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", day},
}

// ParseDuration reads Go's duration syntax, without a leading +, plus d for 24
// hours. The sum must be a whole number of nanoseconds within ±292 years. A
// bare 0 is zero.
func ParseDuration(text string) (time.Duration, error) {
	bad := func() (time.Duration, error) {
		return 0, fmt.Errorf("must be a duration like 250ms, 1m30s or 1d (units ns, us, ms, s, m, h, d), got %q", text)
	}
	rest, negative := strings.CutPrefix(text, "-")
	if rest == "0" {
		return 0, nil
	}
	sum := new(big.Rat)
	if rest == "" {
		return bad()
	}
	for rest != "" {
		i := strings.IndexFunc(rest, func(c rune) bool { return (c < '0' || c > '9') && c != '.' })
		if i <= 0 {
			return bad()
		}
		n, ok := parseDecimal(rest[:i])
		if !ok {
			return bad()
		}
		rest = rest[i:]
		j := strings.IndexFunc(rest, func(c rune) bool { return c >= '0' && c <= '9' || c == '.' })
		if j < 0 {
			j = len(rest)
		}
		unit := time.Duration(0)
		for _, u := range units {
			if u.text == rest[:j] {
				unit = u.d
			}
		}
		if unit == 0 {
			return bad()
		}
		rest = rest[j:]
		sum.Add(sum, n.Mul(n, new(big.Rat).SetInt64(int64(unit))))
	}
	if !sum.IsInt() {
		return 0, fmt.Errorf("must be a whole number of nanoseconds, got %q", text)
	}
	if negative {
		sum.Neg(sum)
	}
	if !sum.Num().IsInt64() {
		return 0, fmt.Errorf("must lie within ±%s, got %q", time.Duration(math.MaxInt64), text)
	}
	return time.Duration(sum.Num().Int64()), nil
}

// FormatDuration writes d as short as [ParseDuration] reads it back: 1m30s,
// 1h, 250ms, 1d.
func FormatDuration(d time.Duration) string {
	if d != 0 && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// maxDigits bounds the length of a number's text, so that no input makes the
// exact arithmetic slow.
const maxDigits = 40

// parseDecimal reads an exact decimal: digits with at most one point, an
// optional sign, no exponent.
func parseDecimal(text string) (*big.Rat, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits == "." || len(digits) > maxDigits || strings.Count(digits, ".") > 1 ||
		strings.Trim(digits, "0123456789.") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// ParseCount reads an integer from 0 to MaxCount.
func ParseCount(text string) (int64, error) {
	bad := fmt.Errorf("must be a whole number >= 0, got %q", text)
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, bad
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > MaxCount {
		return 0, fmt.Errorf("must lie below 2^53, got %s", text)
	}
	return n, nil
}

// ParseNumber reads a finite decimal as the nearest float64.
func ParseNumber(text string) (float64, error) {
	r, ok := parseDecimal(text)
	if !ok {
		return 0, fmt.Errorf("must be a decimal number like 0.5, got %q", text)
	}
	f, _ := r.Float64()
	return f, nil
}
