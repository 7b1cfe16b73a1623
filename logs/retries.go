package logs

import "time"

// StatusRefused reports whether a status says that a limit refused: 429 Too Many Requests or 503 Service Unavailable.
func StatusRefused(status uint16) bool { return status == 429 || status == 503 }

// Retries tells retries from new requests in a log that was written behind a limiter, whose demand they inflate.
//
// A request is a retry if the request before it of the same key and path was refused, and came at most Within earlier.
// So each refusal explains one request at most, a retry that is refused explains the next, and what follows an answer is
// new. A client that meant to ask again anyway is taken for one that comes back: the demand without retries is a lower
// bound, the one with all of them an upper.
type Retries struct {
	Within  time.Duration
	refused map[[2]uint32]int64 // when the latest request of a key and path came, if it was refused
}

// Retry says whether the next request, in time order, is a retry.
func (r *Retries) Retry(key, path uint32, at int64, status uint16) bool {
	id := [2]uint32{key, path}
	before, refused := r.refused[id]
	switch {
	case StatusRefused(status):
		if r.refused == nil {
			r.refused = map[[2]uint32]int64{}
		}
		r.refused[id] = at
	case refused:
		delete(r.refused, id)
	}
	return refused && uint64(at)-uint64(before) <= uint64(r.Within)
}
