package adversary

import "time"

// exactLog admits what an exact log of the limit does, of requests of cost 1 in
// order of time. It keeps its memory when it begins anew, which a limiter that
// forgets its key does not.
type exactLog struct {
	limit    int
	window   time.Duration
	admitted []time.Duration
}

func (l *exactLog) begin() { l.admitted = l.admitted[:0] }

// ask reports whether a request is admitted: if fewer than limit were in
// (t−window, t].
func (l *exactLog) ask(t time.Duration) bool {
	n := len(l.admitted)
	if n >= l.limit && t-l.admitted[n-l.limit] < l.window {
		return false
	}
	l.admitted = append(l.admitted, t)
	return true
}
