package spec

import (
	"fmt"
	"math/big"
	"strings"
	"time"
)

// Periodic is a rate as it is written, its period kept: Num/Den requests, all
// at once, each time a period Every ends. 100/m and 5/3s have the same Rate
// for a limiter that counts continuously, and differ for one that does not.
//
// Num and Den are in lowest terms and lie in 1..MaxCount, and so do the parts
// of the reduced rate; Every is > 0.
type Periodic struct {
	Num, Den int64         // requests, a ratio
	Every    time.Duration // the period
}

// ParsePeriodic reads a rate as [ParseRate] does, and keeps the period. The
// number may also be a ratio of whole numbers, as in 100/3/m: 33⅓ a minute,
// what a third of 100/m is.
func ParsePeriodic(text string) (Periodic, error) {
	rate, err := ParseRate(text)
	slash := strings.LastIndexByte(text, '/')
	if err == nil {
		every, err := parsePer(text[slash+1:])
		if err != nil {
			return Periodic{}, fmt.Errorf("period %w", err)
		}
		return newPeriodic(rate, every, text)
	}
	first := strings.IndexByte(text, '/')
	if first == slash {
		return Periodic{}, err
	}
	num, numErr := ParseCount(text[:first])
	den, denErr := ParseCount(text[first+1 : slash])
	every, perErr := parsePer(text[slash+1:])
	if numErr != nil || denErr != nil || perErr != nil || num == 0 || den == 0 || every <= 0 {
		return Periodic{}, fmt.Errorf("must be <number>/<duration> like 10/s, or a ratio of whole numbers like 100/3/m, got %q", text)
	}
	q := big.NewRat(num, den)
	if rate, err = newRate(q.Quo(q, new(big.Rat).SetInt64(int64(every))), text); err != nil {
		return Periodic{}, err
	}
	return newPeriodic(rate, every, text)
}

// parsePer reads the part of a rate behind the slash: a duration, or a unit
// alone for one of it.
func parsePer(text string) (time.Duration, error) {
	for _, u := range units {
		if u.text == text {
			return u.d, nil
		}
	}
	return ParseDuration(text)
}

// newPeriodic gives the requests that a rate brings in each period.
func newPeriodic(r Rate, every time.Duration, text string) (Periodic, error) {
	q := big.NewRat(r.N, int64(r.P))
	q.Mul(q, new(big.Rat).SetInt64(int64(every)))
	limit := big.NewInt(MaxCount)
	if q.Num().Cmp(limit) > 0 || q.Denom().Cmp(limit) > 0 {
		return Periodic{}, fmt.Errorf("%s needs numbers above 2^53 for the requests of one period; use a coarser rate", text)
	}
	return Periodic{Num: q.Num().Int64(), Den: q.Denom().Int64(), Every: every}, nil
}

// Rate returns the same rate in lowest terms; of the zero Periodic, the zero
// Rate.
func (p Periodic) Rate() Rate {
	if p.Den == 0 || p.Every == 0 {
		return Rate{}
	}
	q := big.NewRat(p.Num, p.Den)
	q.Quo(q, new(big.Rat).SetInt64(int64(p.Every)))
	return Rate{N: q.Num().Int64(), P: time.Duration(q.Denom().Int64())}
}

// Times returns the rate multiplied by num/den, exactly, with the period it
// had. It fails when the product can not be written within MaxCount.
func (p Periodic) Times(num, den int64) (Periodic, error) {
	r, err := p.Rate().Times(num, den)
	if err != nil {
		return Periodic{}, err
	}
	return newPeriodic(r, p.Every, fmt.Sprintf("%v × %d/%d", p, num, den))
}

// String writes the rate so that [ParsePeriodic] reads the same back: the
// number as a decimal if it has a short one, else as a ratio.
func (p Periodic) String() string {
	if p.Den == 0 || p.Every == 0 {
		return "0/s"
	}
	q := big.NewRat(p.Num, p.Den)
	number := q.String() // a ratio even if whole, 100/1
	if digits, exact := q.FloatPrec(); exact && digits <= 9 {
		number = q.FloatString(digits)
	}
	for _, u := range units {
		if u.d == p.Every {
			return number + "/" + u.text
		}
	}
	return number + "/" + FormatDuration(p.Every)
}
