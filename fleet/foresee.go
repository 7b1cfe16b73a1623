package fleet

import "ratelab/limiters"

// foreseen is the requests that are known before they come.
type foreseen struct {
	servers []int // that take them; those from next on have not come
	next    int
	keys    []uint32 // as the limiter numbers them that is told of them
}

// Foresee tells the keys of the requests that come next, in order, after those
// that it told before and that have not come yet: no other request may come
// between. The fleet picks their servers and reads their states from memory, which
// is faster for many at once, and a loss where all states stay in the cache. It
// changes no result, and does nothing where faults or calls in flight bear on
// the choice of a server.
func (f *Fleet) Foresee(keys []uint32) {
	if f.tracker != nil || len(f.trouble.changes) > 0 {
		return
	}
	a := &f.ahead
	a.servers, a.next = append(a.servers[:0], a.servers[a.next:]...), 0
	for _, key := range keys {
		a.servers = append(a.servers, f.balancer.Pick(key))
	}
	if f.limiters != nil {
		f.touch(keys, a.servers[len(a.servers)-len(keys):])
	}
}

// touch lets limiters read the states of keys, those of one limiter that follow
// on each other together.
func (f *Fleet) touch(keys []uint32, servers []int) {
	a := &f.ahead
	a.keys = a.keys[:0]
	var common limiters.Limiter
	for i, key := range keys {
		l, _ := behind(f.limiters[min(servers[i], len(f.limiters)-1)], 0)
		if p, ok := l.(*pooled); ok {
			l, key = p.of(key)
		}
		if l != common {
			a.touched(common)
			common = l
		}
		a.keys = append(a.keys, key)
	}
	a.touched(common)
}

func (a *foreseen) touched(l limiters.Limiter) {
	if t, ok := l.(limiters.Touchable); ok {
		t.Touch(a.keys)
	}
	a.keys = a.keys[:0]
}

// pick picks the server of the next request.
func (f *Fleet) pick(key uint32) int {
	a := &f.ahead
	if a.next < len(a.servers) {
		a.next++
		return a.servers[a.next-1]
	}
	return f.balancer.Pick(key)
}
