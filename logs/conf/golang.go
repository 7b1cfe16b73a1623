package conf

import (
	"fmt"
	"math"
	"time"
)

// golang writes Go that uses golang.org/x/time/rate. The rate is a constant, which Go divides exactly and rounds once.
func golang(l Limit, c *Config) (string, error) {
	if l.Burst > math.MaxInt32 {
		return "", fmt.Errorf("a burst of an int may have 32 bits, got %d", l.Burst)
	}
	second := per(l.Rate, time.Second)
	rate := second.Num().String()
	if !second.IsInt() {
		rate += ".0/" + second.Denom().String()
	}
	if f, exact := second.Float64(); !exact {
		c.say("the rate is rounded to a float64, %v a second", f)
	}
	c.say("tokens are a float64, and a request passes that lacks less than 1 ns of waiting")
	c.say("the map forgets no client: drop those that were idle for %s, whose buckets are full", l.Window)
	c.Text = fmt.Sprintf(`package ratelimit

import (
	"sync"

	"golang.org/x/time/rate"
)

// Limits are a limit for each key. The zero value is ready.
type Limits struct {
	mu sync.Mutex
	of map[string]*rate.Limiter
}

// Allow reports whether a request of the key may pass now.
func (l *Limits) Allow(key string) bool {
	l.mu.Lock()
	limiter := l.of[key]
	if limiter == nil {
		if l.of == nil {
			l.of = map[string]*rate.Limiter{}
		}
		limiter = rate.NewLimiter(rate.Limit(%s), %d)
		l.of[key] = limiter
	}
	l.mu.Unlock()
	return limiter.Allow()
}
`, rate, l.Burst)
	return fmt.Sprintf("x-time-rate:rate=%s,burst=%d", l.Rate, l.Burst), nil
}
