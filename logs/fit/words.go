package fit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ratelab/internal/spec"
)

func plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}

// percent writes n/of with two decimals. What is not all, or not nothing, does not look so.
func percent(n, of int) string {
	if of == 0 {
		return "0.00 %"
	}
	hundredths := (int64(n)*20000 + int64(of)) / (2 * int64(of))
	if n > 0 {
		hundredths = max(hundredths, 1)
	}
	if n < of {
		hundredths = min(hundredths, 9999)
	}
	return fmt.Sprintf("%d.%02d %%", hundredths/100, hundredths%100)
}

func utc(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

// rough writes a duration as people say it, with two or three digits.
func rough(d time.Duration) string {
	unit := time.Nanosecond
	for _, step := range []time.Duration{time.Microsecond, time.Millisecond, time.Second} {
		if d >= step {
			unit = step / 100
		}
	}
	if d >= 10*time.Second {
		unit = time.Second / 10
	}
	if d >= time.Minute {
		unit = time.Second
	}
	if d >= 10*time.Hour {
		unit = time.Minute
	}
	return spec.FormatDuration(d.Round(unit))
}

// shownText returns a text that a log may have put anything into, as a terminal can show it on one line.
func shownText(text string) string {
	quoted := strconv.Quote(text)
	if text != "" && utf8.ValidString(text) && quoted == `"`+text+`"` && strings.TrimSpace(text) == text {
		return text
	}
	return quoted
}
