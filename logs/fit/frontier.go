package fit

import (
	"slices"

	"ratelab/internal/spec"
)

// Of says whose share is never refused.
type Of string

// Keys counts keys that are refused nothing. Requests counts requests that are admitted, each key having its own
// bucket; it is known for unit costs only, as with others a larger burst may admit fewer.
const (
	Keys     Of = "keys"
	Requests Of = "requests"
)

// Point is the smallest whole burst at a rate: for keys, such that at least the share of them is never refused; for
// requests, such that it and every larger one admit at least that share. Buckets start full.
type Point struct {
	Rate  Rate
	Of    Of
	Share Share
	Burst int64
	// Low and High are the burst's least and most over all times that the stamps may stand for; equal to Burst where
	// stamps are exact, and for requests, which are counted with the times as they stand.
	Low, High int64
}

// Rate is a rate as it was written.
type Rate struct {
	Text string
	spec.Rate
}

// ParseRate reads a rate of package spec, as in 10/s, 0.5/m, 100/1m30s.
func ParseRate(text string) (Rate, error) {
	r, err := spec.ParseRate(text)
	return Rate{Text: text, Rate: r}, err
}

// Frontier is the bursts of a log at each rate, by whose share is counted: rates in the order asked for, then keys,
// then requests, each by share.
type Frontier struct {
	Rates  []Rate
	Shares []Share
	Points []Point
	span   int64 // ns from the first request to the last
}

// FitFrontier finds the bursts at each rate. grain is what the times are cut to, in ns, 0 for exact times: see
// [Arrivals.Interval].
func FitFrontier(a *Arrivals, rates []Rate, shares []Share, grain int64) *Frontier {
	return fitFrontier(a, rates, shares, grain, true)
}

func fitFrontier(a *Arrivals, rates []Rate, shares []Share, grain int64, requests bool) *Frontier {
	f := newFrontier(a, shares)
	for _, rate := range rates {
		bursts := a.Bursts(rate.Rate)
		f.Rates = append(f.Rates, rate)
		f.Points = append(f.Points, keyPoints(a, bursts, rate, shares, grain)...)
		if requests && a.UnitCosts() {
			f.Points = append(f.Points, requestPoints(a, bursts, rate, shares)...)
		}
	}
	return f
}

func newFrontier(a *Arrivals, shares []Share) *Frontier {
	first, last := a.Ends()
	return &Frontier{Shares: shares, span: last - first}
}

// keyPoints finds the bursts at one rate for shares of the keys.
func keyPoints(a *Arrivals, bursts []int64, rate Rate, shares []Share, grain int64) []Point {
	needs := quantiles(bursts, a.keys, shares)
	lows, highs := needs, needs
	if grain != 0 {
		low, high := make([]int64, len(bursts)), make([]int64, len(bursts))
		for key := range bursts {
			b := a.Interval(key, rate.Rate, grain)
			low[key], high[key] = b.Low, b.High
		}
		lows, highs = quantiles(low, a.keys, shares), quantiles(high, a.keys, shares)
	}
	var points []Point
	for i, share := range shares {
		points = append(points, Point{Rate: rate, Of: Keys, Share: share, Burst: needs[i], Low: lows[i], High: highs[i]})
	}
	return points
}

// requestPoints finds the bursts at one rate for shares of the requests.
func requestPoints(a *Arrivals, bursts []int64, rate Rate, shares []Share) []Point {
	var points []Point
	for _, share := range shares {
		burst := leastLimit(bursts, a.requests-share.Of(a.requests), func(key int, burst int64, enough int) int {
			at, cost := a.Of(key)
			return Refused(at, cost, rate.Rate, burst, enough, nil)
		})
		points = append(points, Point{Rate: rate, Of: Requests, Share: share, Burst: burst, Low: burst, High: burst})
	}
	return points
}

// quantiles returns for each share the smallest need that at least this share of the keys does not pass. Keys without
// requests, whose need is 0, do not count.
func quantiles(needs []int64, keys int, shares []Share) []int64 {
	sorted := make([]int64, 0, keys)
	for _, need := range needs {
		if need > 0 {
			sorted = append(sorted, need)
		}
	}
	slices.Sort(sorted)
	least := make([]int64, len(shares))
	for i, share := range shares {
		if len(sorted) > 0 {
			least[i] = sorted[share.Of(len(sorted))-1]
		}
	}
	return least
}

// Line returns the points of a share, in the order of the rates; none for requests of a log with costs.
func (f *Frontier) Line(of Of, share Share) []Point {
	var line []Point
	for _, p := range f.Points {
		if p.Of == of && p.Share == share {
			line = append(line, p)
		}
	}
	return line
}
