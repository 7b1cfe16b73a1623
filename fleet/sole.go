package fleet

import "ratelab/limiters"

// Sole returns the limiter that decides every request at once, whichever server
// takes it; ok is false if there are several, if checks take time, and if there
// are layers. A caller to whom the servers do not matter may ask it directly.
func (f *Fleet) Sole() (l limiters.Limiter, ok bool) {
	if len(f.limiters) != 1 {
		return nil, false
	}
	return f.limiters[0], true
}
