package fleet

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"time"

	"ratelab/des"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// maxDrift bounds the drift of a clock: a tenth, in parts of 10¹².
const (
	driftParts = 1_000_000_000_000
	maxDrift   = driftParts / 10
)

// Clocks is how the servers' clocks differ from the time of the simulation,
// which is the store's. The zero value has none that does.
type Clocks struct{ skew, drift spread }

// spread is a value a server: as listed, or drawn evenly from ±within.
type spread struct {
	text   string
	within int64
	listed []int64
}

// ParseClocks reads skew and drift. A skew is how far a clock is ahead at time
// 0: 50ms draws each server's evenly from ±50ms, 10ms/-5ms/0 lists them, one a
// server. A drift is how much faster a clock goes, in ppm or as a share: 100ppm
// draws from ±100ppm, 100ppm/-50ppm lists. The empty text and 0 have none.
func ParseClocks(skew, drift string) (Clocks, error) {
	var c Clocks
	var err error
	c.skew, err = parseSpread(skew, func(text string) (int64, error) {
		d, err := spec.ParseDuration(text)
		if err == nil && (d < -maxSkew || d > maxSkew) {
			err = fmt.Errorf("must lie within ±%s, got %s", spec.FormatDuration(maxSkew), text)
		}
		return int64(d), err
	})
	if err != nil {
		return Clocks{}, fmt.Errorf("skew %w", err)
	}
	if c.drift, err = parseSpread(drift, parseDrift); err != nil {
		return Clocks{}, fmt.Errorf("drift %w", err)
	}
	return c, nil
}

// maxSkew bounds the skew of a clock, so that no reading overflows.
const maxSkew = 365 * 24 * time.Hour

func parseSpread(text string, parse func(string) (int64, error)) (spread, error) {
	text = strings.TrimSpace(text)
	if text == "" || text == "0" || text == "0s" {
		return spread{}, nil
	}
	s := spread{text: text}
	parts := strings.Split(text, "/")
	for _, part := range parts {
		value, err := parse(strings.TrimSpace(part))
		if err != nil {
			return spread{}, err
		}
		s.listed = append(s.listed, value)
	}
	if len(parts) == 1 {
		s.within, s.listed = s.listed[0], nil
		if s.within < 0 {
			return spread{}, fmt.Errorf("must be >= 0, got %s: one value is drawn from to either side; list them with /, one a server", text)
		}
	}
	return s, nil
}

// parseDrift reads 100ppm, 0.0001 or 1e-4 as parts of 10¹², rounded down to a
// whole number of them.
func parseDrift(text string) (int64, error) {
	number, ppm := strings.CutSuffix(text, "ppm")
	bad := fmt.Errorf("must be parts in a million like 100ppm, or a share like 0.0001 or 1e-4, got %q", text)
	if number == "" || len(number) > 40 || strings.Trim(number, "0123456789.e-") != "" {
		return 0, bad
	}
	if _, exponent, ok := strings.Cut(number, "e"); ok && len(exponent) > 3 {
		return 0, bad
	}
	share, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, bad
	}
	parts := int64(driftParts)
	if ppm {
		parts = driftParts / 1_000_000
	}
	share.Mul(share, new(big.Rat).SetInt64(parts))
	if share.Cmp(new(big.Rat).SetInt64(maxDrift)) > 0 || share.Cmp(new(big.Rat).SetInt64(-maxDrift)) < 0 {
		return 0, fmt.Errorf("must lie within ±0.1, got %s", text)
	}
	return new(big.Int).Quo(share.Num(), share.Denom()).Int64(), nil
}

// Differ reports whether a server's clock may differ from the store's.
func (c Clocks) Differ() bool { return c.skew.text != "" || c.drift.text != "" }

// Drift reports whether a server's clock may go faster or slower than the
// store's.
func (c Clocks) Drift() bool { return c.drift.text != "" }

// String says skew and drift; it is empty if there is neither.
func (c Clocks) String() string {
	var parts []string
	for _, s := range []struct {
		name string
		spread
	}{{"skew", c.skew}, {"drift", c.drift}} {
		switch {
		case s.text == "":
		case s.listed == nil:
			parts = append(parts, s.name+" ±"+s.text)
		default:
			parts = append(parts, s.name+" "+s.text)
		}
	}
	return strings.Join(parts, ", ")
}

// of returns a value a server. Those of the first servers do not depend on how
// many there are.
func (s spread) of(servers int, r *rand.Rand) ([]int64, error) {
	if s.listed != nil {
		if len(s.listed) != servers {
			return nil, fmt.Errorf("%q names %d servers, the fleet has %d", s.text, len(s.listed), servers)
		}
		return s.listed, nil
	}
	values := make([]int64, servers)
	if s.within > 0 {
		for i := range values {
			values[i] = r.Int64N(2*s.within+1) - s.within
		}
	}
	return values, nil
}

// clock shows a server's time.
type clock struct {
	ahead time.Duration // at time 0
	drift int64         // parts of 10¹² by which it goes faster
}

// at returns what the clock shows. It never goes back: the drift is rounded
// towards 0, and less than 1.
func (c clock) at(now time.Duration) time.Duration {
	drift, t := c.drift, now
	negative := (drift < 0) != (t < 0)
	hi, lo := bits.Mul64(magnitude(int64(t)), magnitude(drift))
	gain, _ := bits.Div64(hi, lo, driftParts)
	if negative {
		return t + c.ahead - time.Duration(gain)
	}
	return t + c.ahead + time.Duration(gain)
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// build makes the servers' clocks; nil if all show the time of the simulation.
func (c Clocks) build(servers int, stream func(string) *rand.Rand) ([]clock, error) {
	if !c.Differ() {
		return nil, nil
	}
	skew, err := c.skew.of(servers, stream("skew"))
	if err != nil {
		return nil, fmt.Errorf("skew %w", err)
	}
	drift, err := c.drift.of(servers, stream("drift"))
	if err != nil {
		return nil, fmt.Errorf("drift %w", err)
	}
	clocks := make([]clock, servers)
	for i := range clocks {
		clocks[i] = clock{time.Duration(skew[i]), drift[i]}
	}
	return clocks, nil
}

// clocked is the limiter of a server, which knows no other time than the
// server's clock shows. How long it delays or asks to wait is by that clock too,
// and taken as it is: a drift of a tenth makes a tenth of it.
type clocked struct {
	limiters.Limiter
	clock clock
}

func (l *clocked) Take(now time.Duration, key uint32, cost int64) limiters.Decision {
	return l.Limiter.Take(l.clock.at(now), key, cost)
}

func (l *clocked) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.Limiter.Admit(l.clock.at(now), key, cost)
}

func (l *clocked) Ask(now time.Duration, key uint32, cost int64) limiters.Decision {
	return l.Limiter.Ask(l.clock.at(now), key, cost)
}

func (l *clocked) Charge(now time.Duration, key uint32, cost int64) {
	l.Limiter.Charge(l.clock.at(now), key, cost)
}

// byClock gives a server's limiter the server's clock.
func (f *Fleet) byClock(server int, l limiters.Limiter) limiters.Limiter {
	if f.clocks == nil {
		return l
	}
	return &clocked{l, f.clocks[server]}
}

// behind returns the limiter behind a clock, if it is, and what that shows.
func behind(l limiters.Limiter, now time.Duration) (limiters.Limiter, time.Duration) {
	if c, ok := l.(*clocked); ok {
		return c.Limiter, c.clock.at(now)
	}
	return l, now
}

// ClockSpread returns by how much the servers' clocks lie apart at a time: the
// latest that one shows, less the earliest.
func (f *Fleet) ClockSpread(now time.Duration) time.Duration {
	if len(f.clocks) == 0 {
		return 0
	}
	earliest, latest := des.Never, -des.Never
	for _, c := range f.clocks {
		earliest, latest = min(earliest, c.at(now)), max(latest, c.at(now))
	}
	return latest - earliest
}
