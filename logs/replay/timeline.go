package replay

import (
	"fmt"
	"slices"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/logs"
)

// Timeline is what a limiter tells one key, request by request.
type Timeline struct {
	Key   string
	Steps []Step
}

// Step is one request and the answer to it.
type Step struct {
	At       int64 // ns since the Unix epoch
	Cost     int64
	Status   uint16 // that the log has; 0 if it does not say
	Decision limiters.Decision
}

// explained finds the key whose timeline is wanted, and says so if there is none; -1 if none is.
func explained(log *logs.Log, key *string) (int, error) {
	if key == nil {
		return -1, nil
	}
	texts := log.Keys.Texts()
	if id := slices.Index(texts, *key); id >= 0 {
		return id, nil
	}
	near := ""
	if len(texts) <= 100_000 {
		near = spec.DidYouMean(*key, texts)
	}
	return -1, &logs.InputError{Err: fmt.Errorf("--explain: the log has no key %q%s; its keys are %s", *key, near, keysOf(log))}
}

// keysOf says what the keys of a log are.
func keysOf(log *logs.Log) string {
	column := log.Files[0].KeyColumn
	if column == "" {
		return `all "", as it has no key column`
	}
	return fmt.Sprintf("those of %s, as in %q", column, log.Keys.Text(0))
}

// take decides a request and keeps the answer.
func (t *Timeline) take(l limiters.Limiter, r *logs.Record) bool {
	d := l.Take(time.Duration(r.At), r.Key, r.Cost)
	t.Steps = append(t.Steps, Step{r.At, r.Cost, r.Status, d})
	return d.Admitted
}

// A fold is steps that are shown, or left out: those in the middle of a long stretch of equal decisions, or of a
// timeline that is too long for all that.
type fold struct {
	first, last int // of Steps
	left        bool
}

// edge is how many steps at either end of a stretch are shown, if more than one would be left out.
const edge = 2

// mostShown is how many steps of a timeline are shown, half of them at either end.
const mostShown = 200

// folds puts steps together: all of them, in order.
func (t *Timeline) folds() []fold {
	list := t.stretches()
	var head, tail []fold
	for shown := 0; len(list) > 0 && shown < mostShown/2; list = list[1:] {
		head = append(head, list[0])
		shown += list[0].rows()
	}
	for shown := 0; len(list) > 0 && shown < mostShown/2; list = list[:len(list)-1] {
		tail = append(tail, list[len(list)-1])
		shown += list[len(list)-1].rows()
	}
	switch {
	case len(list) == 0:
	case len(list) == 1 && list[0].rows() == 1:
		head = append(head, list[0])
	default:
		head = append(head, fold{list[0].first, list[len(list)-1].last, true})
	}
	slices.Reverse(tail)
	return append(head, tail...)
}

// rows returns how many lines a fold takes.
func (f fold) rows() int {
	if f.left {
		return 1
	}
	return f.last - f.first + 1
}

// stretches puts equal decisions together.
func (t *Timeline) stretches() (list []fold) {
	for i := 0; i < len(t.Steps); {
		end := i
		for end < len(t.Steps) && t.Steps[end].Decision.Admitted == t.Steps[i].Decision.Admitted {
			end++
		}
		if end-i <= 2*edge+1 {
			list = append(list, fold{i, end - 1, false})
		} else {
			list = append(list, fold{i, i + edge - 1, false}, fold{i + edge, end - edge - 1, true}, fold{end - edge, end - 1, false})
		}
		i = end
	}
	return list
}
