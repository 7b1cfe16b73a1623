package fit

import (
	"time"

	"ratelab/internal/spec"
	"ratelab/logs"
)

func plural(n int64, noun string) string { return logs.Plural(n, noun) }

func wasWere(n int64) string { return logs.WasWere(n) }

func percent(n, of int) string { return logs.Percent(int64(n), int64(of)) }

func utc(ns int64) string { return logs.UTC(ns) }

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

func shownText(text string) string { return logs.Shown(text) }
