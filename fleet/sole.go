package fleet

import "ratelab/limiters"

// Sole returns the limiter that decides every request at once and is the same all
// the time; ok is false if servers have one each, if checks take time or are
// counted by a store, if something befalls the fleet, and if there are layers. A
// caller may then ask it in place of Decide.
func (f *Fleet) Sole() (l limiters.Limiter, ok bool) {
	if len(f.limiters) != 1 || f.store != nil || len(f.trouble.changes) > 0 {
		return nil, false
	}
	return f.limiters[0], true
}
