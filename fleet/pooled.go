package fleet

import (
	"strconv"
	"time"

	"ratelab/limiters"
)

// pooled is the limiter of one server of many that enforce equal limits, each by
// itself. Behind them is one limiter, whose keys are pairs of a key and a
// server: the states of a fleet lie in one table then, not in a thousand of
// which none is in the cache when its turn comes.
type pooled struct {
	*pool
	server uint32
	far    limiters.Limiter // of the keys that are too large to be paired; nil until one comes
}

// pool is what the servers have in common.
type pool struct {
	pairs   limiters.Limiter
	servers uint32
	keys    uint32 // below this are paired
	fresh   func() limiters.Limiter
}

// leastPooled is how many servers are worth it: the tables of fewer stay in the
// cache.
const leastPooled = 32

// pools reports whether equal limits are pooled: if all state is by key, which is
// so of the canonical limiters, and no server loses what it holds.
func (c Config) pools() bool {
	_, dialect := limiters.DialectOf(c.Limiter.Name())
	return c.Servers >= leastPooled && !dialect && !c.Eviction.Forgets() && !c.Faults.Has(Restart)
}

func (c Config) newPool(share limiters.Spec) *pool {
	p := &pool{
		servers: uint32(c.Servers),
		keys:    uint32(1 << 32 / uint64(c.Servers)),
		fresh:   func() limiters.Limiter { return c.limiter(share) },
	}
	p.pairs = share.New(c.Seed, func(pair uint32) string {
		if key := pair / p.servers; c.KeyText != nil {
			return c.KeyText(key)
		} else {
			return strconv.FormatUint(uint64(key), 10)
		}
	})
	return p
}

// of returns the limiter that holds a key, and the key's number there.
func (l *pooled) of(key uint32) (limiters.Limiter, uint32) {
	if key < l.keys {
		return l.pairs, key*l.servers + l.server
	}
	if l.far == nil {
		l.far = l.fresh()
	}
	return l.far, key
}

func (l *pooled) Take(now time.Duration, key uint32, cost int64) limiters.Decision {
	one, key := l.of(key)
	return one.Take(now, key, cost)
}

func (l *pooled) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	one, key := l.of(key)
	return one.Admit(now, key, cost)
}

func (l *pooled) Ask(now time.Duration, key uint32, cost int64) limiters.Decision {
	one, key := l.of(key)
	return one.Ask(now, key, cost)
}

func (l *pooled) Charge(now time.Duration, key uint32, cost int64) {
	one, key := l.of(key)
	one.Charge(now, key, cost)
}

func (l *pooled) Forget(key uint32) {
	one, key := l.of(key)
	one.Forget(key)
}

// Keys and Bytes are of all the servers.
func (l *pooled) Keys() int    { return l.pairs.Keys() }
func (l *pooled) Bytes() int64 { return l.pairs.Bytes() }
