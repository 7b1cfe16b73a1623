package fit

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/spec"
	"ratelab/limiters"
)

// request is one of a drawn log.
type request struct {
	key      uint32
	at, cost int64
}

// drawLog draws requests of a few keys whose times collide, cluster, go back and leave gaps.
func drawLog(t *rapid.T, most int, costs bool) []request {
	n := rapid.IntRange(1, most).Draw(t, "requests")
	scale := rapid.SampledFrom([]int64{1, 7, 1e6, 1e9}).Draw(t, "scale")
	requests := make([]request, n)
	for i := range requests {
		requests[i] = request{
			key:  rapid.Uint32Range(0, 3).Draw(t, "key"),
			at:   scale * rapid.Int64Range(-20, 40).Draw(t, "at"),
			cost: 1,
		}
		if costs {
			requests[i].cost = rapid.Int64Range(1, 9).Draw(t, "cost")
		}
	}
	return requests
}

func drawRate(t *rapid.T) spec.Rate {
	text := fmt.Sprintf("%d/%dns", rapid.Int64Range(1, 9).Draw(t, "n"), rapid.SampledFrom([]int64{1, 3, 10, 7_000_000, 1_000_000_000, 3_000_000_001}).Draw(t, "per"))
	r, err := spec.ParseRate(text)
	require.NoError(t, err)
	return r
}

func arrivalsOf(t require.TestingT, requests []request) *Arrivals {
	var traffic Traffic
	for _, r := range requests {
		require.NoError(t, traffic.Add(r.key, r.at, r.cost))
	}
	return traffic.Arrivals(nil)
}

// replayed counts what a limiter of package limiters refuses: in all, and by key. The log is taken key by key, each in
// time order.
func replayed(t require.TestingT, a *Arrivals, limiter string) (refused int, byKey map[int]int) {
	s, err := limiters.Parse(limiter)
	require.NoError(t, err)
	l := s.New(1, nil)
	byKey = map[int]int{}
	for key := range a.Numbers() {
		at, cost := a.Of(key)
		for i := range at {
			c := int64(1)
			if cost != nil {
				c = cost[i]
			}
			if admitted, _ := l.Admit(time.Duration(at[i]), uint32(key), c); !admitted {
				refused++
				byKey[key]++
			}
		}
	}
	return refused, byKey
}

func bucket(r spec.Rate, burst int64) string {
	return fmt.Sprintf("token-bucket:rate=%d/%dns,burst=%d", r.N, int64(r.P), burst)
}

func shares(t testing.TB, text string) []Share {
	t.Helper()
	s, err := ParseShares(text)
	require.NoError(t, err)
	return s
}

func rates(t testing.TB, texts ...string) []Rate {
	t.Helper()
	var list []Rate
	for _, text := range texts {
		r, err := ParseRate(text)
		require.NoError(t, err)
		list = append(list, r)
	}
	return list
}
