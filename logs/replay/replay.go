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
	Refused  int64    // requests that a limit had refused in the log, 429 or 503
	Limiters []Result // in the order asked for, sets of layers behind single limiters
}

// Peak is the whole Unix second with the most requests; of several, the earliest.
type Peak struct {
	At       int64 // Unix seconds
	Requests int64
}

// Result says what one limiter would have done, or one set of layers.
type Result struct {
	Limiter     string   // its spec
	Standing    []string // which programs its dialects decide like, and how that is known
	Requests    int64
	Keys        int // keys that sent requests; of layers, those of all their columns
	Refused     int64
	Layers      []LayerRefused // of a set of layers, in their order
	KeysRefused int            // keys refused at least once
	// Worst are the keys refused most, most first, ties by their text. What a layer refuses it refuses to its own key,
	// which is named COLUMN=KEY, or global.
	Worst []KeyRefused
	// Forgotten counts the keys that the limiter forgot; nil if it was to forget none.
	Forgotten *limiters.Forgotten
	Observed  *Observed // beside what the log says; nil if it was not wanted
	Timeline  *Timeline // of the key that was to be explained; nil if there is none
}

// LayerRefused says how many requests a layer was the first to refuse.
type LayerRefused struct {
	Layer   string `json:"layer"` // its column, or COLUMN=SPEC where several layers have that column
	Refused int64  `json:"refused"`
}

// RefusedShare returns the refused part of the requests, from 0 to 1.
func (r *Result) RefusedShare() float64 { return float64(r.Refused) / float64(r.Requests) }

// KeyRefused is a key that was refused.
type KeyRefused struct {
	Key      string `json:"key"`
	Requests int64  `json:"requests"`
	Refused  int64  `json:"refused"` // > 0
}

// Options say what a log is replayed under: each of the limiters, and each of the sets of layers.
type Options struct {
	Limiters []string              // their specs
	Layers   []limiters.LayersSpec // of columns that the log was read with
	Eviction limiters.Eviction     // how each of Limiters holds its keys; the zero value forgets none, as layers do
	Seed     uint64                // of their random streams
	Observed bool                  // put what the log says was refused beside what they refuse
	Explain  *string               // the key whose timeline under each of Limiters is wanted, if not nil
}

// Run replays a log. A wrong spec is a [logs.InputError], and so is an eviction where there are layers.
func Run(log *logs.Log, opts Options) (*Report, error) {
	if len(opts.Limiters)+len(opts.Layers) == 0 {
		return nil, &logs.InputError{Err: errors.New("no limiter given; name one with --limiter, or several layers with --layer")}
	}
	if opts.Eviction.Forgets() && len(opts.Layers) > 0 {
		return nil, &logs.InputError{Err: fmt.Errorf("layers hold all their keys: eviction %s is for single limiters", opts.Eviction)}
	}
	if len(log.Records) == 0 {
		return nil, &logs.InputError{Err: errors.New("the log holds no request")}
	}
	parsed := make([]limiters.Spec, len(opts.Limiters))
	for i, text := range opts.Limiters {
		var err error
		if parsed[i], err = limiters.Parse(text); err != nil {
			return nil, &logs.InputError{Err: fmt.Errorf("--limiter: %w", err)}
		}
	}
	if opts.Explain != nil && len(opts.Layers) > 0 {
		return nil, &logs.InputError{Err: errors.New("--explain shows what single limiters tell a key, and excludes --layer")}
	}
	key, err := explained(log, opts.Explain)
	if err != nil {
		return nil, err
	}
	watch, err := newObserver(log, opts.Observed)
	if err != nil {
		return nil, err
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
		if logs.StatusRefused(log.Records[i].Status) {
			report.Refused++
		}
	}
	for _, spec := range parsed {
		if spec.UnitCost() {
			if err := unitCosts(log, spec.Name()); err != nil {
				return nil, err
			}
		}
		report.Limiters = append(report.Limiters, replay(log, spec, opts, offered, watch, key))
	}
	for _, spec := range opts.Layers {
		if layer, ok := spec.UnitCost(); ok {
			if err := unitCosts(log, layer.Spec.Name()); err != nil {
				return nil, err
			}
		}
		result, err := replayLayers(log, spec, opts.Seed, watch)
		if err != nil {
			return nil, err
		}
		report.Limiters = append(report.Limiters, result)
	}
	return report, nil
}

// unitCosts refuses a log with other costs than 1, for a limiter that knows no other.
func unitCosts(log *logs.Log, limiter string) error {
	for i := range log.Records {
		if r := &log.Records[i]; r.Cost != 1 {
			return &logs.InputError{Err: fmt.Errorf("%s knows requests of cost 1 only, got %d, at %s", limiter, r.Cost, utc(r.At))}
		}
	}
	return nil
}

// replay takes a log through one limiter. watch is nil if nothing is observed, explain the number of the key whose
// timeline is wanted, -1 for none.
func replay(log *logs.Log, spec limiters.Spec, opts Options, offered []int64, watch *observer, explain int) Result {
	var limiter limiters.Limiter
	var held *limiters.Held
	if opts.Eviction.Forgets() {
		held = opts.Eviction.New(spec, opts.Seed, log.Keys.Text)
		limiter = held
	} else {
		limiter = spec.New(opts.Seed, log.Keys.Text)
	}
	result := Result{Limiter: spec.String(), Standing: standing(spec), Requests: int64(len(log.Records)), Keys: log.Keys.Len()}
	if explain >= 0 {
		result.Timeline = &Timeline{Key: log.Keys.Text(uint32(explain))}
	}
	refused := make([]int64, len(offered))
	for i := range log.Records {
		r := &log.Records[i]
		var admitted bool
		if int(r.Key) == explain {
			admitted = result.Timeline.take(limiter, r)
		} else {
			admitted, _ = limiter.Admit(time.Duration(r.At), r.Key, r.Cost)
		}
		if !admitted {
			refused[r.Key]++
			result.Refused++
		}
		watch.decided(r, admitted)
	}
	result.Observed = watch.observed(log.Keys.Text)
	if held != nil {
		forgotten := held.Forgotten()
		result.Forgotten = &forgotten
	}
	result.tell(refused, offered, log.Keys.Text)
	result.rank()
	return result
}

// standing says what is known of a dialect, nothing of a limiter of our own.
func standing(s limiters.Spec) []string {
	if text := s.Standing(); text != "" {
		return []string{s.Name() + ": " + text}
	}
	return nil
}

// tell adds the keys that were refused.
func (r *Result) tell(refused, offered []int64, text func(key uint32) string) {
	for id, n := range refused {
		if n > 0 {
			r.KeysRefused++
			r.Worst = append(r.Worst, KeyRefused{Key: text(uint32(id)), Requests: offered[id], Refused: n})
		}
	}
}

// rank puts the keys refused most first, and drops all but these.
func (r *Result) rank() {
	slices.SortFunc(r.Worst, func(a, b KeyRefused) int {
		return cmp.Or(cmp.Compare(b.Refused, a.Refused), strings.Compare(a.Key, b.Key))
	})
	r.Worst = slices.Clip(r.Worst[:min(len(r.Worst), worst)])
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
