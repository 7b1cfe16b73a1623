package scenario

import (
	"time"

	"ratelab/des/metrics"
	"ratelab/fleet"
)

// levels follows the tokens of every bucket of a fleet: one for each copy of
// the limit and each key that was seen.
type levels struct {
	fleet  *fleet.Fleet
	span   metrics.Span
	meters []*metrics.Level // of key k in bucket b at k·buckets + b
	seen   int
}

func newLevels(f *fleet.Fleet, span metrics.Span) *levels { return &levels{fleet: f, span: span} }

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
	for len(l.meters) <= i {
		l.meters = append(l.meters, nil)
	}
	if l.meters[i] == nil {
		if l.seen == metrics.MostKeys {
			return
		}
		l.seen++
		before := tokens
		if admitted {
			before += float64(cost)
		}
		l.meters[i] = l.begin(t, b, before)
	}
	l.meters[i].Observe(t, tokens)
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

// finish returns the level over all buckets that were seen, nil if none was.
func (l *levels) finish() *metrics.Level {
	var all *metrics.Level
	for _, m := range l.meters {
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
