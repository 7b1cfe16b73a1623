package peers

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/go-chi/httprate"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
	"golang.org/x/time/rate"

	"ratelab/limiters"
)

// benchKeys come in turn, benchStep apart: each twice as fast as its limit of
// 1000 a second.
const (
	benchKeys = 64
	benchStep = 500 * time.Microsecond / benchKeys
)

// benchArrivals calls take for one arrival after another.
func benchArrivals(b *testing.B, take func(now time.Duration, key int)) {
	b.ReportAllocs()
	now, key := firstStart, 0
	for b.Loop() {
		take(now, key)
		now += benchStep
		key = (key + 1) % benchKeys
	}
}

// BenchmarkDecision is one decision with everything that the caller is told:
// libraries, the limiters named after them, and limiters of our own, on the
// same arrivals. The programs lock, throttled and httprate look their keys up by
// text and httprate writes headers, which a simulation need not. httprate reads the real clock: it gets the same keys, as fast
// as it answers, so that it refuses more of them.
func BenchmarkDecision(b *testing.B) {
	var texts [benchKeys]string
	for i := range texts {
		texts[i] = "key" + strconv.Itoa(i)
	}
	b.Run("program=golang.org.x.time.rate", func(b *testing.B) {
		var keys [benchKeys]*rate.Limiter
		for i := range keys {
			keys[i] = rate.NewLimiter(1000, 100)
		}
		benchArrivals(b, func(now time.Duration, key int) {
			keys[key].AllowN(time.Unix(0, int64(now)), 1)
		})
	})
	b.Run("program=throttled", func(b *testing.B) {
		store, err := memstore.New(0)
		if err != nil {
			b.Fatal(err)
		}
		var clock time.Duration
		store.SetTimeNow(func() time.Time { return time.Unix(0, int64(clock)) })
		l, err := throttled.NewGCRARateLimiterCtx(throttled.WrapStoreWithContext(store),
			throttled.RateQuota{MaxRate: throttled.PerSec(1000), MaxBurst: 99})
		if err != nil {
			b.Fatal(err)
		}
		ctx := context.Background()
		benchArrivals(b, func(now time.Duration, key int) {
			clock = now
			if _, _, err := l.RateLimitCtx(ctx, texts[key], 1); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("program=httprate", func(b *testing.B) {
		l := httprate.NewRateLimiter(1000, time.Second)
		h := headers{http.Header{}}
		request, err := http.NewRequest(http.MethodGet, "/", nil)
		if err != nil {
			b.Fatal(err)
		}
		benchArrivals(b, func(_ time.Duration, key int) {
			l.OnLimit(h, request, texts[key])
		})
	})
	for _, text := range []string{
		"x-time-rate:rate=1000/s,burst=100",
		"throttled:rate=1000/s,burst=99",
		"httprate:limit=1000,window=1s",
		"token-bucket:rate=1000/s,burst=100",
		"gcra:rate=1000/s,burst=100",
		"sliding-counter:limit=1000,window=1s",
	} {
		s, err := limiters.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("program=ratelab."+s.Name(), func(b *testing.B) {
			l := s.New(1, nil)
			benchArrivals(b, func(now time.Duration, key int) {
				l.Take(now, uint32(key), 1)
			})
		})
	}
}
