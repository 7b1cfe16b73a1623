package fit

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ratelab/internal/spec"
	"ratelab/logs"
)

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	out := bufio.NewWriter(w) // keeps its first error
	print := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }
	for i, f := range r.Input.Log.Files {
		label := ""
		if i == 0 {
			label = "log"
		}
		print("%-10s%s: %s, %s, %s\n", label, shownText(f.Name), f.Found(), keyOf(&f), plural(f.Lines, "line"))
		if label != "" {
			label = "times"
		}
		print("%-10s%s\n", label, f.Times())
	}
	for i, choice := range r.Choices() {
		label := ""
		if i == 0 {
			label = "chosen"
		}
		logs.Paragraph(print, label, choice)
	}
	for i, text := range r.Warnings() {
		label := ""
		if i == 0 {
			label = "warning"
		}
		logs.Paragraph(print, label, text)
	}
	if r.Names == nil {
		for i, b := range r.Input.Log.BadLines {
			label := ""
			if i == 0 {
				label = "bad"
			}
			print("%-10s%s line %d: %s\n", label, shownText(b.File), b.Line, b.Reason)
		}
	}
	r.tables(print, r.Raw)
	if a := r.WithoutRetries; a != nil {
		print("\nwithout retries\n")
		r.tables(print, a)
	}
	for i, line := range r.next() {
		if i == 0 {
			print("\nNext:\n")
		}
		print("  %s\n", line)
	}
	return out.Flush()
}

// next are lines to type after a fit: what the knee would have done, and which limiter to choose.
func (r *Report) next() []string {
	a := r.Raw
	if r.WithoutRetries != nil && r.WithoutRetries.Knee != nil {
		a = r.WithoutRetries
	}
	if r.Typed == "" || r.Unfit() != "" || a.Knee == nil {
		return nil
	}
	lines := []string{"ratelab replay " + r.Typed + " --limiter " + a.Knee.spec()}
	if r.Raw.Requests >= LeastRequests {
		lines = append(lines, "ratelab advise "+r.Typed)
	}
	return lines
}

// few says which shares of so few keys are all of them, if there are several.
func (a *Analysis) few() string {
	var all []string
	for _, share := range a.Frontier.Shares {
		if share.Of(a.Keys) == a.Keys {
			all = append(all, share.Percent())
		}
	}
	if len(all) < 2 {
		return ""
	}
	whole := "all of them"
	if a.Keys == 1 {
		whole = "that one"
	}
	return fmt.Sprintf("%s and %s %% of %s are %s.", strings.Join(all[:len(all)-1], ", "), all[len(all)-1], plural(int64(a.Keys), "key"), whole)
}

// noInterval explains a dash in the column of resamples.
const noInterval = "-: the share is all keys, and no resample has a needier one than the neediest."

// keyOf says what the keys of a file are.
func keyOf(f *logs.File) string {
	if f.KeyColumn == "" {
		return "one key for all"
	}
	return "key " + shownText(f.KeyColumn)
}

// tables prints an analysis.
func (r *Report) tables(print func(string, ...any), a *Analysis) {
	print("%-10s%s from %s, %s to %s (%s)\n", "requests", plural(int64(a.Requests), "request"), plural(int64(a.Keys), "key"),
		utc(a.First), utc(a.Last), rough(a.Span()))
	if !a.UnitCosts {
		print("%-10scosts of %d in all; bursts, limits and rates count them\n", "work", a.Work)
	}
	if a.Knee != nil {
		print("%-10s%s\n", "knee", a.Knee.spec())
		logs.Paragraph(print, "", a.saysKnee())
	}
	if a.RequestKnee != nil {
		print("%-10s%s admits %s %% of the requests\n", "", a.RequestKnee.spec(), a.RequestKnee.Share.Percent())
	}

	print("\nSmallest burst of a token bucket, full at first, that refuses nothing to so many keys%s:\n", orAdmits(a))
	rows := [][]string{append([]string{"rate"}, headings(a)...)}
	lines := a.lines()
	for i, rate := range a.Frontier.Rates {
		row := []string{rate.Text}
		for _, line := range lines {
			row = append(row, interval(line[i].Burst, line[i].Low, line[i].High))
		}
		rows = append(rows, append(row, a.note(i)))
	}
	align(print, rows, 1, len(rows[0]))
	if text := a.few(); text != "" {
		print("  %s\n", text)
	}

	r.windowTable(print, a)
	if a.Knee == nil {
		return
	}

	print("\nBurst at %s by half of the log's time, and over %d resamples of the keys:\n", a.Knee.Rate.Text, resamples)
	rows = [][]string{{"of keys", "burst", "first half", "second half", "95 % of resamples"}}
	for _, s := range a.Stability {
		between := "-"
		if s.HasInterval {
			between = fmt.Sprintf("%d..%d", s.Low, s.High)
		}
		rows = append(rows, []string{s.Share.Percent() + " %", strconv.FormatInt(s.Burst, 10), orDash(s.First), orDash(s.Second), between})
	}
	align(print, rows, 1)
	if slices.ContainsFunc(a.Stability, func(s Stability) bool { return !s.HasInterval }) {
		print("  %s\n", noInterval)
	}
	var halves []string
	for _, knee := range a.HalfKnees {
		text := "none"
		if knee != nil {
			text = knee.spec()
		}
		halves = append(halves, text)
	}
	print("  knee of the first half: %s, of the second: %s\n", halves[0], halves[1])

	print("\nKeys that the knee refuses most, and why; then those that fit and ask for most:\n")
	rows = [][]string{{"refused", "requests", "burst", "key", "", "why"}}
	for _, m := range slices.Concat(a.Refusals.Misfits, a.Refusals.Fitting) {
		rows = append(rows, []string{strconv.Itoa(m.Refused), strconv.Itoa(m.Requests), strconv.FormatInt(m.Burst, 10),
			shownText(r.name(m.Key)), r.shared(m.Key), m.why(work(a))})
	}
	align(print, rows, 0, 3, 4, 5)
	if more := a.Refusals.Keys - len(a.Refusals.Misfits); more > 0 {
		print("  %d more are refused less\n", more)
	}
}

// windowTable prints the limits of windows.
func (r *Report) windowTable(print func(string, ...any), a *Analysis) {
	per := len(headings(a))
	if len(a.Windows) > 0 {
		print("\nSmallest limit of a window that does so:\n")
		rows := [][]string{append([]string{"window", "limiter"}, headings(a)...)}
		for i := 0; i+per <= len(a.Windows); i += per {
			row := []string{spec.FormatDuration(a.Windows[i].Window), string(a.Windows[i].Kind)}
			for _, p := range a.Windows[i : i+per] {
				row = append(row, interval(p.Limit, p.Low, p.High))
			}
			rows = append(rows, row)
		}
		align(print, rows, 2)
	}
	if longer := Windows[len(a.windows()):]; len(longer) > 0 {
		print("\nThe log is too short for windows of %s or more.\n", spec.FormatDuration(longer[0]))
	}
}

// saysKnee says what the knee is and does.
func (a *Analysis) saysKnee() string {
	text := fmt.Sprintf("has the least rate × burst of those that refuse nothing to %s %% of the keys; it would have refused %d of %s (%s)",
		a.Knee.Share.Percent(), a.Refusals.Requests, plural(int64(a.Requests), "request"), percent(a.Refusals.Requests, a.Requests))
	if n := a.Refusals.Keys; n > 0 {
		text += fmt.Sprintf(", of %s", plural(int64(n), "key"))
	}
	return text
}

// note says which knee is at the i-th rate.
func (a *Analysis) note(i int) string {
	p := a.Frontier.Line(Keys, a.Frontier.Shares[0])[i]
	var notes []string
	switch {
	case a.Knee == nil:
	case a.Knee.Rate == p.Rate:
		notes = append(notes, "knee of keys")
	case Near(p, *a.Knee, a.Frontier.span):
		notes = append(notes, "within a tenth of it")
	}
	if a.RequestKnee != nil && a.RequestKnee.Rate == p.Rate {
		notes = append(notes, "knee of requests")
	}
	return strings.Join(notes, ", ")
}

// shared says that many people may be behind a key.
func (r *Report) shared(key int) string {
	if n := r.Input.Log.Agents(uint32(key)); n >= ManyAgents {
		if n == logs.MostAgents {
			return fmt.Sprintf("%d user agents or more", n)
		}
		return fmt.Sprintf("%d user agents", n)
	}
	return ""
}

func work(a *Analysis) string {
	if a.UnitCosts {
		return "requests"
	}
	return "of cost"
}

func orAdmits(a *Analysis) string {
	if a.UnitCosts {
		return ", or admits so many requests"
	}
	return ""
}

// lines returns the lines of the frontier in the order of the headings.
func (a *Analysis) lines() [][]Point {
	var lines [][]Point
	for _, of := range a.ofs() {
		for _, share := range a.Frontier.Shares {
			lines = append(lines, a.Frontier.Line(of, share))
		}
	}
	return lines
}

func (a *Analysis) ofs() []Of {
	if a.UnitCosts {
		return []Of{Keys, Requests}
	}
	return []Of{Keys}
}

func headings(a *Analysis) []string {
	var list []string
	for _, of := range a.ofs() {
		for _, share := range a.Frontier.Shares {
			list = append(list, share.Percent()+" % "+string(of))
		}
	}
	return list
}

func interval(value, low, high int64) string {
	if low == high {
		return strconv.FormatInt(value, 10)
	}
	return fmt.Sprintf("%d (%d..%d)", value, low, high)
}

func orDash(n int64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

// align prints rows in columns: the first text columns flush left and the others right, but for those named in left.
func align(print func(string, ...any), rows [][]string, text int, left ...int) {
	widths := []int{}
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	isLeft := map[int]bool{}
	for _, i := range left {
		isLeft[i] = true
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			if widths[i] == 0 {
				continue // nothing in it
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < text || isLeft[i] {
				line += "  " + cell + pad
			} else {
				line += "  " + pad + cell
			}
		}
		print("%s\n", strings.TrimRight(line, " "))
	}
}
