package scenario

import (
	"maps"
	"slices"
	"time"

	"ratelab/des/metrics"
	"ratelab/fleet"
)

// levels follows the tokens of every bucket of a fleet: one for each copy of
// the limit and each key that was seen.
type levels struct {
	fleet *fleet.Fleet
	span  metrics.Span
	// Key k in bucket b has the number k·buckets + b. Small numbers are found
	// by index; large ones, of which there may be few far apart, through a map.
	near [1 << 12]*metrics.Level
	far  map[int]*metrics.Level
	seen int
	// sampled says that buckets were left out, of which there were too many.
	sampled bool
}

func newLevels(f *fleet.Fleet, span metrics.Span) *levels {
	return &levels{fleet: f, span: span, far: make(map[int]*metrics.Level)}
}

// observe follows a bucket after a decision. Before its first decision a
// bucket held what it holds now and what it was just charged; a full one was
// full since the epoch.
func (l *levels) observe(t time.Duration, server int, key uint32, cost int64, admitted bool) {
	tokens, ok := l.fleet.Level(t, server, key)
	if !ok {
		return
	}
	b := l.fleet.Bucket(server)
	i := int(key)*l.fleet.Buckets() + b
	m := l.at(i)
	if m == nil {
		if l.seen == metrics.MostKeys {
			l.sampled = true
			return
		}
		l.seen++
		before := tokens
		if admitted {
			before += float64(cost)
		}
		m = l.begin(t, b, before)
		if i < len(l.near) {
			l.near[i] = m
		} else {
			l.far[i] = m
		}
	}
	m.Observe(t, tokens)
}

func (l *levels) at(i int) *metrics.Level {
	if i < len(l.near) {
		return l.near[i]
	}
	return l.far[i]
}

func (l *levels) begin(t time.Duration, bucket int, tokens float64) *metrics.Level {
	share := l.fleet.Shares()[bucket]
	rate, _ := share.Rate()
	m := metrics.NewLevel(float64(share.Capacity()), rate.PerSecond(), l.span)
	if tokens == float64(share.Capacity()) {
		t = 0
	}
	m.Observe(t, tokens)
	return m
}

// finish returns the level over all buckets that were seen, in the order of
// their numbers, nil if none was.
func (l *levels) finish() *metrics.Level {
	meters := l.near[:]
	for _, i := range slices.Sorted(maps.Keys(l.far)) {
		meters = append(meters, l.far[i])
	}
	var all *metrics.Level
	for _, m := range meters {
		if m == nil {
			continue
		}
		m.Finish()
		if all == nil {
			all = m
		} else {
			all.Merge(m)
		}
	}
	return all
}
