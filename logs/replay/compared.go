package replay

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/logs"
)

// counted is a count with its name.
type counted struct {
	metric string
	n      int64
}

// counts are the numbers of requests.
func (o *Observed) counts() []counted {
	return []counted{{"refused_by_both", o.Both}, {"refused_by_log_only", o.OnlyLog}, {"refused_by_limiter_only", o.OnlyLimiter},
		{"refused_by_neither", o.Neither}, {"status_unknown", o.Unknown}}
}

// write writes the comparison for people.
func (o *Observed) write(print func(string, ...any)) {
	if o == nil {
		return
	}
	known := o.Known()
	if o.Both+o.OnlyLog == 0 {
		print("  the log has no 429 or 503: there is no refusal to compare with\n")
		return
	}
	print("  beside the log's own 429 and 503: %d of %s decided alike (%s)\n", o.Agree(), plural(known, "request"), percentOf(o.Agree(), known))
	if o.WholeSeconds {
		print("  times are whole seconds: counted by key and second, %d of %d alike (%s)\n", o.InSeconds, known, percentOf(o.InSeconds, known))
	}
	print("  %8d  refused by both: %s of what the log refused, %s of what the limiter refuses\n", o.Both,
		percentOf(o.Both, o.Both+o.OnlyLog), percentOf(o.Both, o.Both+o.OnlyLimiter))
	print("  %8d  refused by the log alone\n", o.OnlyLog)
	print("  %8d  refused by the limiter alone\n", o.OnlyLimiter)
	print("  %8d  refused by neither\n", o.Neither)
	if o.Unknown > 0 {
		print("  %8d  without a status, not compared\n", o.Unknown)
	}
	if len(o.Worst) == 0 {
		return
	}
	print("  %8s  %8s  %8s  %8s  %s\n", "differ", "log", "limiter", "both", "key")
	for i := range o.Worst {
		k := &o.Worst[i]
		print("  %8d  %8d  %8d  %8d  %s\n", k.Differ(), k.OnlyLog, k.OnlyLimiter, k.Both, shownText(k.Key))
	}
	if more := o.KeysDiffer - len(o.Worst); more > 0 {
		print("  and %s more\n", plural(int64(more), "key"))
	}
}

// percentOf is percent, and a dash where there is nothing.
func percentOf(n, of int64) string {
	if of == 0 {
		return "-"
	}
	return percent(n, of)
}

// write writes the timeline for people.
func (t *Timeline) write(print func(string, ...any)) {
	if t == nil {
		return
	}
	refused, status := 0, false
	for i := range t.Steps {
		if !t.Steps[i].Decision.Admitted {
			refused++
		}
		status = status || t.Steps[i].Status != 0
	}
	print("  timeline of %s: %s, %d refused\n", shownText(t.Key), plural(int64(len(t.Steps)), "request"), refused)
	log := ""
	if status {
		log = "log"
	}
	row := func(at, answer, remaining, when, log string) {
		print("  %s\n", strings.TrimRight(fmt.Sprintf("%-30s  %-8s  %9s  %11s  %s", at, answer, remaining, when, log), " "))
	}
	row("at", "answer", "remaining", "retry after", log)
	for _, f := range t.folds() {
		if f.left {
			print("  … %s until %s\n", t.leftOut(f), utc(t.Steps[f.last].At))
			continue
		}
		for i := f.first; i <= f.last; i++ {
			s := &t.Steps[i]
			remaining, when, was := "", "", ""
			if s.Decision.Has&contract.HintRemaining != 0 {
				remaining = strconv.FormatInt(s.Decision.Remaining, 10)
			}
			switch {
			case s.Decision.Admitted && s.Decision.Delay > 0:
				when = "held " + spec.FormatDuration(s.Decision.Delay)
			case !s.Decision.Admitted:
				when = retryAfter(s)
			}
			if s.Status != 0 {
				was = strconv.Itoa(int(s.Status))
			}
			row(utc(s.At), answer(s), remaining, when, was)
		}
	}
}

// leftOut says what is in a fold.
func (t *Timeline) leftOut(f fold) string {
	n, refused := f.last-f.first+1, 0
	for i := f.first; i <= f.last; i++ {
		if !t.Steps[i].Decision.Admitted {
			refused++
		}
	}
	switch refused {
	case 0:
		return fmt.Sprintf("%d more admitted", n)
	case n:
		return fmt.Sprintf("%d more refused", n)
	}
	return fmt.Sprintf("%d more admitted and %d refused", n-refused, refused)
}

func answer(s *Step) string {
	if s.Decision.Admitted {
		return "admitted"
	}
	return "refused"
}

// retryAfter is the hint of a refusal, empty if the limiter gives none.
func retryAfter(s *Step) string {
	switch d := s.Decision; {
	case d.Admitted || d.Has&contract.HintRetryAfter == 0:
		return ""
	case d.RetryAfter == limiters.Never:
		return "never"
	default:
		return spec.FormatDuration(d.RetryAfter)
	}
}

// writeTimelines writes every step of every limiter, a row each: times and waits in seconds, empty where there is none.
func (r *Report) writeTimelines(out *bufio.Writer) {
	_, _ = out.WriteString("limiter,key,t,cost,admitted,delay,retry_after,remaining,status\n")
	for i := range r.Limiters {
		l := &r.Limiters[i]
		for _, s := range l.Timeline.facts().Steps {
			line := append(logs.AppendField(nil, l.Limiter), ',')
			line = append(logs.AppendField(line, l.Timeline.Key), ',')
			for _, text := range []string{string(s.At), strconv.FormatInt(s.Cost, 10), strconv.FormatBool(s.Admitted), string(s.Delay), orNothing(s.RetryAfter), number(s.Remaining)} {
				line = append(append(line, text...), ',')
			}
			if s.Status != 0 {
				line = strconv.AppendInt(line, int64(s.Status), 10)
			}
			_, _ = out.Write(append(line, '\n'))
		}
	}
}

func orNothing(x any) string {
	if x == nil {
		return ""
	}
	return fmt.Sprint(x)
}

func number(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

type observedFacts struct {
	Both        int64         `json:"both"`
	OnlyLog     int64         `json:"only_log"`
	OnlyLimiter int64         `json:"only_limiter"`
	Neither     int64         `json:"neither"`
	Unknown     int64         `json:"status_unknown"`
	InSeconds   int64         `json:"alike_by_key_and_second"`
	KeysDiffer  int           `json:"keys_differ"`
	Worst       []KeyObserved `json:"key_differs"`
}

func (o *Observed) facts() *observedFacts {
	if o == nil {
		return nil
	}
	return &observedFacts{o.Both, o.OnlyLog, o.OnlyLimiter, o.Neither, o.Unknown, o.InSeconds, o.KeysDiffer, append([]KeyObserved{}, o.Worst...)}
}

type timelineFacts struct {
	Key   string      `json:"key"`
	Steps []stepFacts `json:"steps"`
}

// stepFacts are a step: times and waits in seconds, exactly; retry_after is never if no wait helps, and null without a
// hint.
type stepFacts struct {
	At         json.Number `json:"t"`
	Cost       int64       `json:"cost"`
	Admitted   bool        `json:"admitted"`
	Delay      json.Number `json:"delay"`
	RetryAfter any         `json:"retry_after"`
	Remaining  *int64      `json:"remaining"`
	Status     uint16      `json:"status,omitempty"`
}

func (t *Timeline) facts() *timelineFacts {
	if t == nil {
		return nil
	}
	f := &timelineFacts{Key: t.Key, Steps: []stepFacts{}}
	seconds := func(d time.Duration) string { return logs.FormatSeconds(int64(d)) }
	for i := range t.Steps {
		s := &t.Steps[i]
		facts := stepFacts{At: json.Number(seconds(time.Duration(s.At))), Cost: s.Cost, Admitted: s.Decision.Admitted, Delay: json.Number(seconds(s.Decision.Delay)), Status: s.Status}
		if wait := retryAfter(s); wait != "" {
			if facts.RetryAfter = wait; wait != "never" {
				facts.RetryAfter = json.Number(seconds(s.Decision.RetryAfter))
			}
		}
		if s.Decision.Has&contract.HintRemaining != 0 {
			facts.Remaining = &s.Decision.Remaining
		}
		f.Steps = append(f.Steps, facts)
	}
	return f
}
