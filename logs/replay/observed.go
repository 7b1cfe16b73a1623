package replay

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"ratelab/logs"
)

// Observed puts what a limiter refuses beside what the log says was refused, by its statuses 429 and 503, request by
// request. The log's requests came as its own limit made them: whoever it refused may have come back, and is then asked
// about again here.
type Observed struct {
	Both        int64 // refused by the log and by the limiter
	OnlyLog     int64
	OnlyLimiter int64
	Neither     int64
	Unknown     int64 // requests of which the log says no status: they are in none of the others
	// InSeconds is how many would be decided alike if the requests of one key in one second came in whatever order suits:
	// n − |refused by the log − refused by the limiter|, summed over keys and seconds. WholeSeconds says that the log has no
	// finer times, so that which request of a second came first is not known.
	InSeconds    int64
	WholeSeconds bool
	KeysDiffer   int // keys of which a request was decided differently
	// Worst are the keys with most of these, most first, ties by their text.
	Worst []KeyObserved
}

// KeyObserved is a key whose requests were decided differently.
type KeyObserved struct {
	Key         string `json:"key"`
	Both        int64  `json:"both"`
	OnlyLog     int64  `json:"only_log"`
	OnlyLimiter int64  `json:"only_limiter"`
	Neither     int64  `json:"neither"`
}

// Differ returns how many requests were decided differently.
func (k *KeyObserved) Differ() int64 { return k.OnlyLog + k.OnlyLimiter }

// Known returns how many requests are compared.
func (o *Observed) Known() int64 { return o.Both + o.OnlyLog + o.OnlyLimiter + o.Neither }

// Agree returns how many of them were decided alike.
func (o *Observed) Agree() int64 { return o.Both + o.Neither }

// observer counts by key.
type observer struct {
	keys    []KeyObserved // by number
	seconds []oneSecond   // of each key, the last with a request
	unknown int64
	alike   int64 // over the seconds before
	whole   bool  // seconds
}

// oneSecond is what was decided of a key's requests in one second.
type oneSecond struct {
	at, requests, refusedByLog, refusedByLimiter int64
}

// alike returns how many requests are decided alike in the order that suits best.
func (s *oneSecond) alike() int64 {
	return s.requests - max(s.refusedByLog-s.refusedByLimiter, s.refusedByLimiter-s.refusedByLog)
}

// newObserver returns nil if nothing is to be observed.
func newObserver(log *logs.Log, wanted bool) (*observer, error) {
	if !wanted {
		return nil, nil
	}
	for i := range log.Records {
		if log.Records[i].Status != 0 {
			fine := func(f logs.File) bool { return f.Resolution < int64(time.Second) }
			return &observer{
				keys: make([]KeyObserved, log.Keys.Len()), seconds: make([]oneSecond, log.Keys.Len()),
				whole: !slices.ContainsFunc(log.Files, fine),
			}, nil
		}
	}
	return nil, &logs.InputError{Err: errors.New("--observed compares with the requests that the log says were refused (429, 503), and the log says no status; name its field with --status")}
}

// decided takes in what a limiter said of a request.
func (o *observer) decided(r *logs.Record, admitted bool) {
	if o == nil {
		return
	}
	if r.Status == 0 {
		o.unknown++
		return
	}
	k, s := &o.keys[r.Key], &o.seconds[r.Key]
	if at := logs.FloorSeconds(r.At); at != s.at {
		o.alike += s.alike()
		*s = oneSecond{at: at}
	}
	refused := logs.StatusRefused(r.Status)
	s.requests++
	if refused {
		s.refusedByLog++
	}
	if !admitted {
		s.refusedByLimiter++
	}
	switch {
	case refused && !admitted:
		k.Both++
	case refused:
		k.OnlyLog++
	case !admitted:
		k.OnlyLimiter++
	default:
		k.Neither++
	}
}

// observed reads out what was counted, and begins anew.
func (o *observer) observed(text func(key uint32) string) *Observed {
	if o == nil {
		return nil
	}
	sum := &Observed{Unknown: o.unknown, InSeconds: o.alike, WholeSeconds: o.whole}
	for id := range o.seconds {
		sum.InSeconds += o.seconds[id].alike()
	}
	for id := range o.keys {
		k := &o.keys[id]
		sum.Both += k.Both
		sum.OnlyLog += k.OnlyLog
		sum.OnlyLimiter += k.OnlyLimiter
		sum.Neither += k.Neither
		if k.Differ() > 0 {
			sum.KeysDiffer++
			k.Key = text(uint32(id))
			sum.Worst = append(sum.Worst, *k)
		}
	}
	clear(o.keys)
	clear(o.seconds)
	o.unknown, o.alike = 0, 0
	slices.SortFunc(sum.Worst, func(a, b KeyObserved) int {
		return cmp.Or(cmp.Compare(b.Differ(), a.Differ()), strings.Compare(a.Key, b.Key))
	})
	sum.Worst = slices.Clip(sum.Worst[:min(len(sum.Worst), worst)])
	return sum
}
