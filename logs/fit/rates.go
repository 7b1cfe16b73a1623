package fit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/spec"
)

// usualRates are the rates that people write: 1, 2, 5 and so on a day, an hour, a minute and a second.
var usualRates = func() (list []Rate) {
	add := func(n int64, unit string) {
		rate, err := ParseRate(strconv.FormatInt(n, 10) + "/" + unit)
		if err != nil {
			panic(err)
		}
		list = append(list, rate)
	}
	for _, n := range []int64{1, 2, 5, 10} {
		add(n, "d")
	}
	for _, unit := range []string{"h", "m"} {
		for _, n := range []int64{1, 2, 5, 10, 20, 30} {
			add(n, unit)
		}
	}
	for n := int64(1); n <= 1e9; n *= 10 {
		add(n, "s")
		add(2*n, "s")
		add(5*n, "s")
	}
	return list
}()

// UsualRates returns the rates that people write, 1, 2, 5 and so on a day, an hour, a minute and a second, the lowest
// first.
func UsualRates() []Rate { return slices.Clone(usualRates) }

// usefulFrontier fits the usual rates that say something of a log, for shares of keys and of requests. It begins with
// the lowest rate at which the bucket of the first share of the keys fills up within the log, and ends with the rate at
// which every share of the keys has what it would have at any rate, or is far beyond its knee: at thirty times the least
// product of rate and burst. Of a log for which no rate is low enough it is 1/s alone.
func usefulFrontier(a *Arrivals, shares []Share, grain int64) *Frontier {
	f := newFrontier(a, shares)
	floor := quantiles(a.Bursts(spec.Rate{N: spec.MaxCount, P: 1}), a.keys, shares)
	least := make([]float64, len(shares))
	for i := range least {
		least[i] = math.Inf(1)
	}
	for _, rate := range usualRates {
		bursts := a.Bursts(rate.Rate)
		points := keyPoints(a, bursts, rate, shares, grain)
		if !refills(points[0], f.span) {
			continue
		}
		f.Rates = append(f.Rates, rate)
		f.Points = append(f.Points, points...)
		if a.UnitCosts() {
			f.Points = append(f.Points, requestPoints(a, bursts, rate, shares)...)
		}
		done := true
		for i, p := range points {
			product := float64(p.Burst) * rate.PerSecond() // only decides where the list ends
			if refills(p, f.span) {
				least[i] = min(least[i], product)
			}
			done = done && (p.Burst == floor[i] || product > 30*least[i])
		}
		if done {
			break
		}
	}
	if len(f.Rates) == 0 { // a log of a moment
		rate, _ := ParseRate("1/s")
		return FitFrontier(a, []Rate{rate}, shares, grain)
	}
	return f
}

// ParseRates reads rates, each of which may be there once.
func ParseRates(texts []string) ([]Rate, error) {
	var rates []Rate
	for _, text := range texts {
		r, err := ParseRate(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("rate %w", err)
		}
		for _, other := range rates {
			if other.Rate == r.Rate {
				return nil, fmt.Errorf("the rate %s is there twice", r.Text)
			}
		}
		rates = append(rates, r)
	}
	return rates, nil
}
