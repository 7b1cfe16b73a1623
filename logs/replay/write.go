package replay

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/spec"
	"ratelab/logs"
)

// Formats are the formats that Write knows.
var Formats = []string{"table", "csv", "json"}

// CheckFormat returns an [logs.InputError] for a format that Write does not know.
func CheckFormat(format string) error {
	if slices.Contains(Formats, format) {
		return nil
	}
	return &logs.InputError{Err: fmt.Errorf("--format: unknown format %q%s; known: %s",
		format, spec.DidYouMean(format, Formats), strings.Join(Formats, ", "))}
}

// Write writes the report: a table for people, a CSV with the columns limiter, metric, key, unit, value, or one JSON
// object. Where a key is explained, the CSV is its timelines. Its bytes depend on the report alone.
func (r *Report) Write(w io.Writer, format string) error {
	if err := CheckFormat(format); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	switch format {
	case "table":
		r.writeTable(out)
	case "csv":
		r.writeCSV(out)
	case "json":
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(r.document()); err != nil {
			return err
		}
	}
	return out.Flush()
}

// writeCSV writes one row a metric. Every limiter has all of them, those about the log too, so that a selection by
// limiter is whole. Write errors stay in out until it is flushed.
func (r *Report) writeCSV(out *bufio.Writer) {
	if len(r.Limiters) > 0 && r.Limiters[0].Timeline != nil {
		r.writeTimelines(out)
		return
	}
	_, _ = out.WriteString("limiter,metric,key,unit,value\n")
	var line []byte
	for i := range r.Limiters {
		l := &r.Limiters[i]
		row := func(metric, key, unit, value string) {
			line = logs.AppendField(line[:0], l.Limiter)
			line = append(append(line, ','), metric...)
			line = logs.AppendField(append(line, ','), key)
			line = append(append(line, ','), unit...)
			line = append(append(append(line, ','), value...), '\n')
			_, _ = out.Write(line)
		}
		count := func(metric, unit string, n int64) { row(metric, "", unit, strconv.FormatInt(n, 10)) }
		count("requests", "requests", l.Requests)
		count("keys", "keys", int64(l.Keys))
		count("refused", "requests", l.Refused)
		row("refused_share", "", "1", strconv.FormatFloat(l.RefusedShare(), 'g', -1, 64))
		for _, layer := range l.Layers {
			row("layer_refused", layer.Layer, "requests", strconv.FormatInt(layer.Refused, 10))
		}
		count("keys_refused", "keys", int64(l.KeysRefused))
		for _, k := range l.Worst {
			row("key_refused", k.Key, "requests", strconv.FormatInt(k.Refused, 10))
		}
		if f := l.Forgotten; f != nil {
			count("keys_forgotten", "keys", f.Total())
			count("keys_forgotten_early", "keys", f.Early)
		}
		if o := l.Observed; o != nil {
			for _, c := range o.counts() {
				count(c.metric, "requests", c.n)
			}
			count("keys_differ", "keys", int64(o.KeysDiffer))
			for i := range o.Worst {
				row("key_differs", o.Worst[i].Key, "requests", strconv.FormatInt(o.Worst[i].Differ(), 10))
			}
		}
		count("busiest_second_at", "s", r.Busiest.At)
		count("busiest_second_requests", "requests", r.Busiest.Requests)
		count("lines_bad", "lines", r.Log.Bad)
		count("lines_reordered", "lines", r.Log.Reordered)
	}
}

// keyed reports whether a limiter goes by the log's key column.
func (r *Report) keyed() bool {
	return slices.ContainsFunc(r.Limiters, func(l Result) bool { return l.Layers == nil })
}

// Warnings are sentences on what a reader must know of the log before believing a number.
func (r *Report) Warnings() []string {
	list := r.Log.Warnings(r.keyed())
	if r.Refused > 0 {
		text := fmt.Sprintf("%s answered 429 or 503: the log was written behind a limit, and whom that refused may have come again or not", plural(r.Refused, "request"))
		if !slices.ContainsFunc(r.Limiters, func(l Result) bool { return l.Observed != nil }) {
			text += "; --observed puts its refusals beside those of the limiters here"
		}
		list = append(list, text)
	}
	return list
}

// writeTable writes what a person wants to know, and what was done to the log before: lines dropped, lines sorted.
func (r *Report) writeTable(out *bufio.Writer) {
	print := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }
	keyed := r.keyed()
	for i, f := range r.Log.Files {
		label := ""
		if i == 0 {
			label = "log"
		}
		key := "one limit for all, no key column, "
		if f.KeyColumn != "" {
			key = "key " + shownText(f.KeyColumn) + ", "
		}
		if !keyed {
			key = ""
		}
		print("%-10s%s: %s, %s%s\n", label, f.Name, f.Found(), key, plural(f.Lines, "line"))
		if label != "" {
			label = "times"
		}
		print("%-10s%s\n", label, f.Times())
	}
	if len(r.Log.Files) > 1 {
		print("%-10smerged in time order\n", "")
	}
	for i, choice := range r.Log.Choices(keyed) {
		label := ""
		if i == 0 {
			label = "chosen"
		}
		print("%-10s%s\n", label, choice)
	}
	for i, text := range r.Warnings() {
		label := ""
		if i == 0 {
			label = "warning"
		}
		print("%-10s%s\n", label, text)
	}
	if n := r.Log.Bad; n > 0 {
		print("%-10s%s did not parse and %s left out", "bad", plural(n, "line"), wasWere(n))
		if shown := int64(len(r.Log.BadLines)); shown < n {
			print("; the first %d:\n", shown)
		} else {
			print(":\n")
		}
		for _, b := range r.Log.BadLines {
			file := ""
			if len(r.Log.Files) > 1 {
				file = b.File + " "
			}
			print("%-10s%sline %d: %s\n", "", file, b.Line, b.Reason)
		}
	}
	if n := r.Log.Reordered; n > 0 {
		print("%-10s%s came earlier than a line before; sorted by time\n", "unsorted", plural(n, "line"))
	}
	for i, doubt := range doubts(r.Log.Files) {
		label := ""
		if i == 0 {
			label = "doubts"
		}
		print("%-10s%s\n", label, doubt)
	}
	from := ""
	if keyed {
		from = " from " + plural(int64(r.Keys), "key")
	}
	print("%-10s%s%s, %s to %s\n", "requests", plural(r.Limiters[0].Requests, "request"), from, utc(r.First), utc(r.Last))
	print("%-10s%s with %s\n", "busiest", time.Unix(r.Busiest.At, 0).UTC().Format(time.RFC3339), plural(r.Busiest.Requests, "request"))
	for i := range r.Limiters {
		l := &r.Limiters[i]
		print("\n%s\n", l.Limiter)
		for _, text := range l.Standing {
			print("  %s\n", text)
		}
		print("  refused %d of %s (%s), %d of %s at least once\n", l.Refused, plural(l.Requests, "request"),
			percent(l.Refused, l.Requests), l.KeysRefused, plural(int64(l.Keys), "key"))
		for _, layer := range l.Layers {
			print("  %8d  by %s\n", layer.Refused, shownText(layer.Layer))
		}
		if f := l.Forgotten; f != nil {
			print("  forgot %s (%d for want of room, %d for idleness), %d of them early\n", plural(f.Total(), "key"), f.ByCapacity, f.ByIdleness, f.Early)
		}
		l.Observed.write(print)
		l.Timeline.write(print)
		if len(l.Worst) == 0 || l.Timeline != nil {
			continue
		}
		rows := [][]string{{"refused", "requests", "share", "key"}}
		for _, k := range l.Worst {
			rows = append(rows, []string{strconv.FormatInt(k.Refused, 10), strconv.FormatInt(k.Requests, 10),
				percent(k.Refused, k.Requests), shownText(k.Key)})
		}
		for _, row := range rows {
			print("  %8s  %8s  %8s  %s\n", row[0], row[1], row[2], row[3])
		}
		if more := l.KeysRefused - len(l.Worst); more > 0 {
			print("  and %s more\n", plural(int64(more), "key"))
		}
	}
}

// doubts are those about the times of the files; what several files share is said once.
func doubts(files []logs.File) []string {
	var all []string
	for i := range files {
		for _, doubt := range files[i].Doubts() {
			if !slices.Contains(all, doubt) {
				all = append(all, doubt)
			}
		}
	}
	return all
}

func plural(n int64, noun string) string { return logs.Plural(n, noun) }

func wasWere(n int64) string { return logs.WasWere(n) }

func percent(n, of int64) string { return logs.Percent(n, of) }

func utc(ns int64) string { return logs.UTC(ns) }

func shownText(text string) string { return logs.Shown(text) }

// document is the report as JSON: what is known of the log, and a list of what each limiter would have done.
func (r *Report) document() any {
	type logFacts struct {
		Files     []logs.File    `json:"files"`
		Lines     int64          `json:"lines"`
		Bad       int64          `json:"lines_bad"`
		FirstBad  []logs.BadLine `json:"first_bad_lines"`
		Reordered int64          `json:"lines_reordered"`
		Refused   int64          `json:"requests_refused"` // by the limit that it was written behind
		Warnings  []string       `json:"warnings,omitempty"`
		First     json.Number    `json:"first_at"` // Unix seconds, exactly
		Last      json.Number    `json:"last_at"`
		BusiestAt int64          `json:"busiest_second_at"`
		Busiest   int64          `json:"busiest_second_requests"`
	}
	type limiterFacts struct {
		Limiter      string         `json:"limiter"`
		Requests     int64          `json:"requests"`
		Keys         int            `json:"keys"`
		Refused      int64          `json:"refused"`
		RefusedShare float64        `json:"refused_share"`
		Layers       []LayerRefused `json:"layer_refused,omitempty"`
		KeysRefused  int            `json:"keys_refused"`
		Worst        []KeyRefused   `json:"key_refused"`
		Forgotten    *int64         `json:"keys_forgotten,omitempty"`
		Early        *int64         `json:"keys_forgotten_early,omitempty"`
		Observed     *observedFacts `json:"observed,omitempty"`
		Timeline     *timelineFacts `json:"timeline,omitempty"`
	}
	var d struct {
		Log      logFacts       `json:"log"`
		Limiters []limiterFacts `json:"limiters"`
	}
	d.Log = logFacts{
		Files: r.Log.Files, Lines: r.Log.Lines, Bad: r.Log.Bad, FirstBad: append([]logs.BadLine{}, r.Log.BadLines...),
		Reordered: r.Log.Reordered, Refused: r.Refused, Warnings: r.Warnings(),
		First: json.Number(logs.FormatSeconds(r.First)), Last: json.Number(logs.FormatSeconds(r.Last)),
		BusiestAt: r.Busiest.At, Busiest: r.Busiest.Requests,
	}
	for i := range r.Limiters {
		l := &r.Limiters[i]
		facts := limiterFacts{
			Limiter: l.Limiter, Requests: l.Requests, Keys: l.Keys, Refused: l.Refused, RefusedShare: l.RefusedShare(), Layers: l.Layers,
			KeysRefused: l.KeysRefused, Worst: append([]KeyRefused{}, l.Worst...),
		}
		if l.Forgotten != nil {
			total := l.Forgotten.Total()
			facts.Forgotten, facts.Early = &total, &l.Forgotten.Early
		}
		facts.Observed, facts.Timeline = l.Observed.facts(), l.Timeline.facts()
		d.Limiters = append(d.Limiters, facts)
	}
	return d
}
