package logs

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// UTC writes a time, in ns since the Unix epoch, as RFC 3339 with all its decimals.
func UTC(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

// Plural writes a number of things: 1 line, 2 lines.
func Plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}

// WasWere returns the verb that n things have.
func WasWere(n int64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// Percent writes n/of with two decimals, rounded half up, in integers; nothing of nothing is 0.00 %. What is not all, or
// not nothing, does not look so: 99.99 % and 0.01 % are the outermost between. Both are below 2⁴⁸ and n is at most of.
func Percent(n, of int64) string {
	if of == 0 {
		return "0.00 %"
	}
	hundredths := (n*20000 + of) / (2 * of)
	if n > 0 {
		hundredths = max(hundredths, 1)
	}
	if n < of {
		hundredths = min(hundredths, 9999)
	}
	return fmt.Sprintf("%d.%02d %%", hundredths/100, hundredths%100)
}

// Shown returns a text that a log may have put anything into, as a terminal can show it on one line.
func Shown(text string) string {
	quoted := strconv.Quote(text)
	if text != "" && utf8.ValidString(text) && quoted == `"`+text+`"` && strings.TrimSpace(text) == text {
		return text
	}
	return quoted
}

// Paragraph prints a text in lines of at most 110 characters, the label among them, behind a label.
func Paragraph(print func(string, ...any), label, text string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > 100 {
			print("%-10s%s\n", label, line)
			line, label = "", ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	print("%-10s%s\n", label, line)
}
