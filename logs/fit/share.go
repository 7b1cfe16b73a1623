package fit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"strings"
)

// Share is a share of keys or of requests, above 0 and at most 1, exactly as it was written.
type Share struct {
	Text     string // 0.99
	num, den uint64
}

// ParseShare reads a decimal above 0 and at most 1 with up to 9 decimals.
func ParseShare(text string) (Share, error) {
	fault := fmt.Errorf("want a share above 0 and at most 1 with up to 9 decimals, like 0.99, got %q", text)
	_, decimals, _ := strings.Cut(text, ".")
	if text == "" || strings.Trim(text, "0123456789.") != "" || len(decimals) > 9 || len(text) > 20 {
		return Share{}, fault
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || r.Sign() <= 0 || r.Cmp(big.NewRat(1, 1)) > 0 {
		return Share{}, fault
	}
	return Share{Text: text, num: r.Num().Uint64(), den: r.Denom().Uint64()}, nil
}

// ParseShares reads shares separated by commas, each of which may be there once.
func ParseShares(text string) ([]Share, error) {
	var shares []Share
	for part := range strings.SplitSeq(text, ",") {
		s, err := ParseShare(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		for _, other := range shares {
			if other.num == s.num && other.den == s.den {
				return nil, fmt.Errorf("the share %s is there twice", s.Text)
			}
		}
		shares = append(shares, s)
	}
	if len(shares) == 0 {
		return nil, errors.New("want a share like 0.99")
	}
	return shares, nil
}

// Of returns the smallest whole number that is at least this share of n.
func (s Share) Of(n int) int {
	hi, lo := bits.Mul64(uint64(n), s.num)
	q, r := bits.Div64(hi, lo, s.den)
	if r > 0 {
		q++
	}
	return int(q)
}

// Percent writes the share in percent: 99, 99.9.
func (s Share) Percent() string {
	r := new(big.Rat).SetFrac(new(big.Int).SetUint64(s.num*100), new(big.Int).SetUint64(s.den))
	text := strings.TrimRight(strings.TrimRight(r.FloatString(7), "0"), ".")
	if r.IsInt() {
		text = r.Num().String()
	}
	return text
}

// number is the share as JSON has it.
func (s Share) number() json.Number {
	r := new(big.Rat).SetFrac(new(big.Int).SetUint64(s.num), new(big.Int).SetUint64(s.den))
	if r.IsInt() {
		return "1"
	}
	return json.Number(strings.TrimRight(r.FloatString(9), "0"))
}
