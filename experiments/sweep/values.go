package sweep

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

const (
	maxValues = 10_000 // of one range
	maxDigits = 40     // of one number, before and after the point
)

// ParseValues reads the values of a factor as they are written on a command line:
//
//	1,2,4,8             a list
//	1..8                a range of whole numbers, one by one
//	0.5..1.5 step 0.1   a range with its ends, in exact decimals
//	1..1024 *2          a range that multiplies
//	poisson:rate=1/s ; on-off:rate=2/s,on=1s,off=1s
//	                    specs, which have commas of their own: wherever there is a colon or a semicolon, semicolons
//	                    separate
//	{2*rate}            a formula, computed at each point from other factors, in exact decimals and durations, with
//	                    + - * / ( ) floor ceil min max; also within a text: gcra:rate={rate}/s,burst={2*rate}
//
// A list may hold ranges. A range ends at its last value that is not above its end.
func ParseValues(text string) ([]string, error) {
	separator := byte(',')
	ranges := true
	if len(splitOutside(text, ':')) > 1 || len(splitOutside(text, ';')) > 1 {
		separator, ranges = ';', false
	}
	var values []string
	pieces := splitOutside(text, separator)
	for i, piece := range pieces {
		piece = strings.TrimSpace(piece)
		if piece == "" {
			if len(pieces) == 1 {
				return nil, errors.New("values: none given; want a list like 1,2,4 or a range like 1..16 *2")
			}
			return nil, fmt.Errorf("values %q: value %d is empty", text, i+1)
		}
		if _, err := parseFormula(piece); err != nil {
			return nil, fmt.Errorf("values %q: value %q: %w", text, piece, err)
		}
		if from, rest, ok := strings.Cut(piece, ".."); ok && ranges {
			expanded, isRange, err := parseRange(from, rest)
			if err != nil {
				return nil, fmt.Errorf("values %q: range %q: %w", text, piece, err)
			}
			if isRange {
				values = append(values, expanded...)
				continue
			}
		}
		values = append(values, piece)
	}
	return values, nil
}

// parseRange reads from..rest. A text that has two dots but no number before them is not a range.
func parseRange(from, rest string) (values []string, isRange bool, err error) {
	low, lowDecimals, ok := parseDecimal(strings.TrimSpace(from))
	if !ok {
		return nil, false, nil
	}
	var change string
	to, by, isStep := strings.Cut(rest, "step")
	isFactor := false
	if !isStep {
		to, by, isFactor = strings.Cut(rest, "*")
	}
	whole := func(text string) bool { return strings.Trim(text, "0123456789") == "" }
	if end, _, ok := parseDecimal(strings.TrimSpace(to)); ok && low.Cmp(end) > 0 {
		return nil, false, fmt.Errorf("the end, %s, is below the start, %s", strings.TrimSpace(to), strings.TrimSpace(from))
	} else if ok && !isStep && !isFactor && whole(strings.TrimSpace(from)) && whole(strings.TrimSpace(to)) {
		isStep, by = true, "1"
	}
	if !isStep && !isFactor {
		return nil, false, fmt.Errorf("how does it go on? want %[1]s..%[2]s step 1 or %[1]s..%[2]s *2", strings.TrimSpace(from), strings.TrimSpace(rest))
	}
	change = strings.TrimSpace(by)
	high, _, ok := parseDecimal(strings.TrimSpace(to))
	if !ok {
		return nil, false, fmt.Errorf("the end must be a decimal number, got %q", strings.TrimSpace(to))
	}
	d, decimals, ok := parseDecimal(change)
	switch {
	case !ok:
		return nil, false, fmt.Errorf("what it goes by must be a decimal number, got %q", change)
	case isStep && d.Sign() <= 0:
		return nil, false, fmt.Errorf("a step must be above 0, got %s", change)
	case isFactor && d.Cmp(big.NewRat(1, 1)) <= 0:
		return nil, false, fmt.Errorf("a factor must be above 1, got %s", change)
	case isFactor && low.Sign() <= 0:
		return nil, false, fmt.Errorf("a range that multiplies must start above 0, got %s", strings.TrimSpace(from))
	}
	digits := max(lowDecimals, decimals)
	for x := low; x.Cmp(high) <= 0; {
		if len(values) == maxValues {
			return nil, false, fmt.Errorf("more than %d values", maxValues)
		}
		if isFactor {
			digits = lowDecimals + len(values)*decimals
		}
		value := trimZeros(x.FloatString(digits))
		if len(value) > maxDigits {
			return nil, false, fmt.Errorf("%s has more than %d digits", value, maxDigits)
		}
		values = append(values, value)
		if isStep {
			x = new(big.Rat).Add(x, d)
		} else {
			x = new(big.Rat).Mul(x, d)
		}
	}
	return values, true, nil
}

// parseNumber reads a finite number as tables write it: 0.25, 1e-06.
func parseNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "+-.eE0123456789") != "" {
		return 0, fmt.Errorf("want a finite number like 0.25 or 1e-06, got %q", text)
	}
	return v, nil
}

// parseDecimal reads [-]digits[.digits] exactly, and says how many decimals it has.
func parseDecimal(text string) (value *big.Rat, decimals int, ok bool) {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if len(text) > maxDigits || !digits(whole) || point && !digits(fraction) {
		return nil, 0, false
	}
	value, ok = new(big.Rat).SetString(text)
	return value, len(fraction), ok
}

// trimZeros drops zeros, and then the point, from the end of a decimal.
func trimZeros(text string) string {
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
