package fleet

import (
	"time"

	"ratelab/limiters"
)

// mostSiblings is how many servers are asked at the most for a request that one
// of them refuses.
const mostSiblings = 64

// lookAround lets HasRoomElsewhere ask the other servers, if each decides by
// itself and asking it changes nothing: the limiter is canonical, keys are held
// for ever, and every server serves.
func (f *Fleet) lookAround(c Config) {
	_, dialect := limiters.DialectOf(c.Limiter.Name())
	d, ok := f.coordination.(direct)
	if ok && f.store == nil && c.Servers > 1 && c.Servers <= mostSiblings && !dialect && !c.Eviction.Forgets() && !c.Faults.Has(Down) {
		f.siblings = d.direct()
	}
}

// LooksAround reports whether HasRoomElsewhere knows: under local limits and
// quotas, in fleets of 2 to 64 servers.
func (f *Fleet) LooksAround() bool { return f.siblings != nil }

// HasRoomElsewhere reports whether a server other than this one would admit a
// request now, at which this one refuses it. It changes no decision. Only for
// fleets that LooksAround is true of.
func (f *Fleet) HasRoomElsewhere(now time.Duration, server int, key uint32, cost int64) bool {
	for i, l := range f.siblings {
		if i != server && l.Ask(now, key, cost).Admitted {
			return true
		}
	}
	return false
}
