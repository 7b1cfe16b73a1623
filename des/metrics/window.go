package metrics

import "time"

// Window finds the most admitted in any half-open interval of length w, for
// one key. It holds one entry for each distinct time, of no more than Max and
// one request together.
type Window struct {
	w       time.Duration
	promise int64
	trail   trail
	max     int64
}

// NewWindow returns a Window of length w > 0 against a promise.
func NewWindow(w time.Duration, promise int64) *Window {
	mustBePositive("window", w)
	return &Window{w: w, promise: promise}
}

// Admit adds an admitted request. Times never decrease.
//
// What has left the window is dropped only when the trail comes to more than
// the largest so far: until then nothing that is in it can be a new largest.
func (v *Window) Admit(t time.Duration, cost int64) {
	v.trail.push(t, cost)
	if v.trail.sum > v.max {
		v.trail.expire(t, v.w)
		v.max = max(v.max, v.trail.sum)
	}
}

// AdmitAll does Admit for each of list, in order. It may hold len(list) entries
// more than that.
func (v *Window) AdmitAll(list []Admission) {
	if len(list) == 0 {
		return
	}
	v.Admit(list[0].At, list[0].Cost) // from here on the trail is not empty
	list = list[1:]
	q := &v.trail
	for uint(len(q.ring))-(q.tail-q.head) < uint(len(list)) {
		q.grow()
	}
	ring, head, tail, sum, most := q.ring, q.head, q.tail, q.sum, v.max
	newest := ring[(tail-1)&uint(len(ring)-1)].At
	for _, a := range list {
		if a.At == newest {
			ring[(tail-1)&uint(len(ring)-1)].Cost += a.Cost
		} else {
			ring[tail&uint(len(ring)-1)] = a
			newest = a.At
			tail++
		}
		if sum += a.Cost; sum <= most {
			continue
		}
		for { // ends at a itself
			oldest := ring[head&uint(len(ring)-1)]
			if uint64(a.At-oldest.At) < uint64(v.w) {
				break
			}
			sum -= oldest.Cost
			head++
		}
		most = max(most, sum)
	}
	q.head, q.tail, q.sum, v.max = head, tail, sum, most
}

// Max returns the largest cost admitted in any interval [s, s+w).
func (v *Window) Max() int64 { return v.max }

// Overshoot returns Max / promise, NaN if the promise is 0.
func (v *Window) Overshoot() float64 { return share(v.max, v.promise) }

// Windows finds the most admitted to any one key in any half-open interval of
// length w. Beyond [MostKeys] keys it is a lower bound: see there which keys
// it follows.
type Windows struct {
	w       time.Duration
	promise int64
	keys    slab[trail]
	max     int64
	missed  int64
}

// NewWindows returns Windows of length w > 0 against the promise made to each key.
func NewWindows(w time.Duration, promise int64) *Windows {
	mustBePositive("window", w)
	return &Windows{w: w, promise: promise}
}

// Admit adds an admitted request. Times never decrease for one key.
func (v *Windows) Admit(t time.Duration, key uint32, cost int64) {
	k := v.keys.at(key)
	if k == nil {
		v.missed += cost
		return
	}
	k.expire(t, v.w)
	k.push(t, cost)
	v.max = max(v.max, k.sum)
}

// Max returns the largest cost admitted to one key in any interval [s, s+w).
func (v *Windows) Max() int64 { return v.max }

// Overshoot returns Max / promise, NaN if the promise is 0.
func (v *Windows) Overshoot() float64 { return share(v.max, v.promise) }

// Sampled reports whether a key was left out because there were too many.
func (v *Windows) Sampled() bool { return v.keys.sampled }

// Missed returns the cost admitted to keys that were left out.
func (v *Windows) Missed() int64 { return v.missed }
