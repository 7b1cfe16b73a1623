// Package replay puts a log of real requests under limits that it never had: what would they have refused, and whom.
//
// [Run] takes the requests in time order through each limiter, which sees Unix time. Nobody reacts: a refused client
// does not come back, and an admitted one sends what it sent. The requests that a limiter refuses are those that
// package decide refuses on the same arrivals.
package replay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/limiters"
	"ratelab/logs"
)

// worst is how many of the keys that were refused most a Result names.
const worst = 20

// Report says what limits would have done to a log.
type Report struct {
	Log      *logs.Log
	Keys     int   // keys that sent requests
	Busiest  Peak  // the same under every limiter: it is about what was offered
	First    int64 // when the first request came, and the last: ns since the Unix epoch
	Last     int64
	Limiters []Result // in the order asked for
}

// Peak is the whole Unix second with the most requests; of several, the earliest.
type Peak struct {
	At       int64 // Unix seconds
	Requests int64
}

// Result says what one limiter would have done.
type Result struct {
	Limiter     string // its spec
	Requests    int64
	Refused     int64
	KeysRefused int          // keys refused at least once
	Worst       []KeyRefused // the keys refused most, most first, ties by their text
	// Forgotten counts the keys that the limiter forgot; nil if it was to forget none.
	Forgotten *limiters.Forgotten
}

// RefusedShare returns the refused part of the requests, from 0 to 1.
func (r *Result) RefusedShare() float64 { return float64(r.Refused) / float64(r.Requests) }

// KeyRefused is a key that was refused.
type KeyRefused struct {
	Key      string `json:"key"`
	Requests int64  `json:"requests"`
	Refused  int64  `json:"refused"` // > 0
}

// Run replays a log under each of the limiters, given by their specs. A wrong spec is a [logs.InputError].
func Run(log *logs.Log, specs []string, seed uint64) (*Report, error) {
	return RunHeld(log, specs, seed, limiters.Eviction{})
}

// RunHeld is Run with limiters that hold their keys in a given way.
func RunHeld(log *logs.Log, specs []string, seed uint64, eviction limiters.Eviction) (*Report, error) {
	if len(specs) == 0 {
		return nil, &logs.InputError{Err: errors.New("no limiter given; name one with --limiter")}
	}
	if len(log.Records) == 0 {
		return nil, &logs.InputError{Err: errors.New("the log holds no request")}
	}
	parsed := make([]limiters.Spec, len(specs))
	for i, text := range specs {
		var err error
		if parsed[i], err = limiters.Parse(text); err != nil {
			return nil, &logs.InputError{Err: fmt.Errorf("--limiter: %w", err)}
		}
	}
	report := &Report{
		Log:     log,
		Keys:    log.Keys.Len(),
		Busiest: busiest(log.Records),
		First:   log.Records[0].At,
		Last:    log.Records[len(log.Records)-1].At,
	}
	offered := make([]int64, log.Keys.Len())
	for i := range log.Records {
		offered[log.Records[i].Key]++
	}
	for _, spec := range parsed {
		report.Limiters = append(report.Limiters, replay(log, spec, seed, offered, eviction))
	}
	return report, nil
}

func replay(log *logs.Log, spec limiters.Spec, seed uint64, offered []int64, eviction limiters.Eviction) Result {
	var limiter limiters.Limiter
	var held *limiters.Held
	if eviction.Forgets() {
		held = eviction.New(spec, seed, log.Keys.Text)
		limiter = held
	} else {
		limiter = spec.New(seed, log.Keys.Text)
	}
	result := Result{Limiter: spec.String(), Requests: int64(len(log.Records))}
	refused := make([]int64, len(offered))
	for i := range log.Records {
		r := &log.Records[i]
		if admitted, _ := limiter.Admit(time.Duration(r.At), r.Key, r.Cost); !admitted {
			refused[r.Key]++
			result.Refused++
		}
	}
	if held != nil {
		forgotten := held.Forgotten()
		result.Forgotten = &forgotten
	}
	for id, n := range refused {
		if n > 0 {
			result.KeysRefused++
			result.Worst = append(result.Worst, KeyRefused{Key: log.Keys.Text(uint32(id)), Requests: offered[id], Refused: n})
		}
	}
	slices.SortFunc(result.Worst, func(a, b KeyRefused) int {
		return cmp.Or(cmp.Compare(b.Refused, a.Refused), strings.Compare(a.Key, b.Key))
	})
	result.Worst = slices.Clip(result.Worst[:min(len(result.Worst), worst)])
	return result
}

// busiest finds the second with the most of the records, which are in time order.
func busiest(records []logs.Record) Peak {
	var best, now Peak
	for i := range records {
		at := logs.FloorSeconds(records[i].At)
		if i == 0 || at != now.At {
			now = Peak{At: at}
		}
		if now.Requests++; now.Requests > best.Requests {
			best = now
		}
	}
	return best
}
