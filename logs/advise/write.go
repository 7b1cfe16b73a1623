package advise

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ratelab/internal/spec"
	"ratelab/logs"
)

// WriteTable writes the advice for people.
func (r *Report) WriteTable(w io.Writer) error {
	out := bufio.NewWriter(w) // keeps its first error
	print := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }
	for i, f := range r.Input.Fit.Log.Files {
		key := "one key for all"
		if f.KeyColumn != "" {
			key = "key " + shownText(f.KeyColumn)
		}
		print("%-10s%s: %s, %s, %s\n", first(i, "log"), shownText(f.Name), f.Found(), key, plural(f.Lines, "line"))
	}
	for i, text := range r.Fit.Choices() {
		logs.Paragraph(print, first(i, "chosen"), text)
	}
	for i, text := range r.Fit.Warnings() {
		logs.Paragraph(print, first(i, "warning"), text)
	}
	world := r.Options.World
	who := "nobody who is refused comes back"
	if world.Clients.Feedback() {
		who = "who is refused does as " + world.Clients.String()
	}
	print("%-10s%s\n", "clients", who)
	if world.Servers > 1 || !world.plain() && world.Coordination.String() != "local" {
		rtt := ""
		if !world.RTT.IsZero() {
			rtt = ", round trip " + world.RTT.String()
		}
		print("%-10s%s, balancer %s, coordination %s%s\n", "fleet", plural(int64(world.Servers), "server"), world.Balancer, world.Coordination, rtt)
	}
	for i, c := range r.Candidates {
		print("%-10s%s  %s\n", first(i, "limits"), c, c.From)
	}
	if p := r.Options.Goals.Protect; p != nil {
		print("%-10s%s: at most %d in any %s, of all keys together\n", "protect", p.Text, p.Most, spec.FormatDuration(p.Every))
	}
	if p := r.Options.Goals.Promise; p != nil {
		print("%-10s%s to each key\n", "promise", p)
	}
	for i, d := range r.Demands {
		if len(r.Demands) > 1 {
			print("\n%s\n", d.Name)
		}
		r.writeDemand(print, d, i == 0)
	}
	r.writeConfigs(print)
	return out.Flush()
}

func first(i int, label string) string {
	if i == 0 {
		return label
	}
	return ""
}

// writeDemand writes what the limiters make of a demand. With reasons it says what to choose and why.
func (r *Report) writeDemand(print func(string, ...any), d *Demand, reasons bool) {
	firstAt, last := d.Records[0].At, d.Records[len(d.Records)-1].At
	print("%-10s%s from %s to %s\n\n", "requests", plural(int64(len(d.Records)), "request"), utc(firstAt), utc(last))
	r.writeOutcomes(print, d)
	for _, u := range d.Unsuited {
		logs.Paragraph(print, "left out", fmt.Sprintf("%s: %s", u.Limiter, u.Why))
	}
	best := d.Outcomes[d.Best]
	if !reasons {
		print("\n%-10s%s\n", "choice", best.Limiter)
		return
	}
	print("\n%-10s%s\n", "advice", best.Limiter)
	for i, text := range r.Reasons(d) {
		logs.Paragraph(print, first(i, "because"), text)
	}
	if text := r.NextBest(d); text != "" {
		logs.Paragraph(print, "next", text)
	}
	for i, c := range d.Changes {
		logs.Paragraph(print, first(i, "changes"), saysChange(d, c))
	}
	if len(d.Changes) == 0 {
		logs.Paragraph(print, "changes", "no other --protect, --tolerate or --wait changes the choice")
	}
}

// writeOutcomes writes one line a limiter.
func (r *Report) writeOutcomes(print func(string, ...any), d *Demand) {
	clients := r.Options.World.Clients.Feedback()
	head := []string{"limiter", "refused", "share", "lost", "keys", "worst key", "", "worst minute", "refused", r.oneKey(), r.total(), "wait", "longest", "memory", "a key"}
	if r.Options.Goals.Promise != nil {
		head = append(head, "broken", "short")
	}
	rows := [][]string{head}
	for i, o := range d.Outcomes {
		mark := "  "
		if i == d.Best {
			mark = "* "
		}
		lost, worst, of, at, many := "", "", "", "", ""
		if clients {
			lost = itoa(o.Lost + o.Waiting)
		}
		if o.Refused > 0 {
			worst, of = shownText(r.name(o.Worst.Key)), fmt.Sprintf("%d/%d", o.Worst.Refused, o.Worst.Requests)
			at, many = time.Unix(o.Minute, 0).UTC().Format("2006-01-02 15:04"), itoa(o.InMinute)
		}
		row := []string{mark + o.Limiter.String(), itoa(o.Refused), percent(o.Refused, o.Attempts), lost, itoa(int64(o.KeysRefused)), worst, of, at, many,
			itoa(o.OneKey), itoa(o.Total), wait(o.MeanWait), wait(o.MaxWait), size(o.Bytes * int64(o.Copies)), size(perKey(o))}
		if k := o.Promise; k != nil {
			row = append(row, fmt.Sprintf("%d/%d", k.Broken, k.Keys), itoa(int64(k.Short)))
		}
		rows = append(rows, row)
	}
	if !clients {
		for i := range rows {
			rows[i][3] = "" // what is refused is lost
		}
	}
	align(print, rows, 0, 5)
}

func (r *Report) oneKey() string { return "key in " + spec.FormatDuration(r.Meter.Key) }
func (r *Report) total() string  { return "all in " + spec.FormatDuration(r.Meter.Total) }

func wait(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return short(d)
}

// writeConfigs writes the choice as programs have it.
func (r *Report) writeConfigs(print func(string, ...any)) {
	for _, c := range r.Configs {
		print("\n")
		if c.Text == "" {
			logs.Paragraph(print, program(c.Program), "can not have it: "+c.Fault)
			continue
		}
		logs.Paragraph(print, program(c.Program), fmt.Sprintf("decides as %s; %s", c.Spec, r.saysDifference(c)))
		for _, text := range c.Says {
			logs.Paragraph(print, "", text)
		}
		for line := range strings.Lines(c.Text) {
			print("  %s", line)
		}
	}
}

// saysDifference says how a program decides the log beside the choice.
func (r *Report) saysDifference(c Configured) string {
	d := c.Difference
	switch {
	case c.Fault != "":
		return "not compared: " + c.Fault
	case d.Differ() == 0:
		return fmt.Sprintf("all %d requests of this log as the choice does%s", d.Requests, held(c))
	}
	return fmt.Sprintf("%d of %d requests of this log otherwise than the choice does: %d that it alone refuses, %d that it alone admits%s",
		d.Differ(), d.Requests, d.OnlyRefused, d.OnlyPassed, held(c))
}

func held(c Configured) string {
	if c.Difference.Held == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d wait, %s at most", c.Difference.Held, short(c.Difference.LongestHeld))
}

// WriteCSV writes one row a limiter, the demands one after the other.
func (r *Report) WriteCSV(w io.Writer) error {
	out := bufio.NewWriter(w)
	_, _ = out.WriteString("demand,limiter,requests,attempts,refused,timed_out,lost,waiting,keys_refused,worst_key,worst_refused,worst_attempts,busiest_minute,busiest_refused,one_key,all_keys,mean_wait,longest_wait,bytes,keys,copies,promise_keys,promise_broken,promise_refused,promise_short,chosen\n")
	for _, d := range r.Demands {
		for i, o := range d.Outcomes {
			line := append(logs.AppendField(nil, d.Name), ',')
			line = logs.AppendField(line, o.Limiter.String())
			add := func(text string) { line = logs.AppendField(append(line, ','), text) }
			for _, n := range []int64{o.Requests, o.Attempts, o.Refused, o.TimedOut, o.Lost, o.Waiting, int64(o.KeysRefused)} {
				add(itoa(n))
			}
			if o.Refused > 0 {
				add(r.name(o.Worst.Key))
				add(itoa(o.Worst.Refused))
				add(itoa(o.Worst.Requests))
				add(itoa(o.Minute))
				add(itoa(o.InMinute))
			} else {
				line = append(line, ",,,,,"...)
			}
			add(itoa(o.OneKey))
			add(itoa(o.Total))
			add(logs.FormatSeconds(int64(o.MeanWait)))
			add(logs.FormatSeconds(int64(o.MaxWait)))
			for _, n := range []int64{o.Bytes, int64(o.KeysHeld), int64(o.Copies)} {
				add(itoa(n))
			}
			if k := o.Promise; k != nil {
				for _, n := range []int64{int64(k.Keys), int64(k.Broken), k.Refused, int64(k.Short)} {
					add(itoa(n))
				}
			} else {
				line = append(line, ",,,,"...)
			}
			add(strconv.FormatBool(i == d.Best))
			_, _ = out.Write(append(line, '\n'))
		}
	}
	return out.Flush()
}

// program is a label that may be as wide as the labels' column.
func program(name string) string { return fmt.Sprintf("%-9s ", name) }

// align prints rows in columns: those named in left flush left and the others right. A column with nothing in it is left
// out.
func align(print func(string, ...any), rows [][]string, left ...int) {
	widths, used := make([]int, len(rows[0])), make([]bool, len(rows[0]))
	for n, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			used[i] = used[i] || n > 0 && cell != ""
		}
	}
	isLeft := map[int]bool{}
	for _, i := range left {
		isLeft[i] = true
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			if !used[i] {
				continue
			}
			if i > 0 {
				line += "  "
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if isLeft[i] {
				line += cell + pad
			} else {
				line += pad + cell
			}
		}
		print("%s\n", strings.TrimRight(line, " "))
	}
}

// WriteJSON writes the advice as one object.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r.document())
}
