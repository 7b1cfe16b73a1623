package advise

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/spec"
	"ratelab/logs"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func promiseFault(text string) error {
	return fmt.Errorf("must be RATE,burst=B like 2/s,burst=20 with a burst >= 1, got %q", text)
}

func tooLittle(text string) error {
	return fmt.Errorf("must allow one request in its period at least, got %s; a longer period says the same, as 1/2s does for 0.5/s", text)
}

func utc(ns int64) string { return logs.UTC(ns) }

func plural(n int64, noun string) string { return logs.Plural(n, noun) }

func percent(n, of int64) string { return logs.Percent(n, of) }

// short writes a duration with three digits or so.
func short(d time.Duration) string {
	for unit := time.Duration(1); unit <= time.Hour; unit *= 10 {
		if d < 1000*unit {
			return spec.FormatDuration(d.Round(unit))
		}
	}
	return spec.FormatDuration(d.Round(time.Second))
}

// size writes bytes as people do.
func size(n int64) string {
	switch {
	case n < 10_000:
		return itoa(n) + " B"
	case n < 10_000_000:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	case n < 10_000_000_000:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0f GB", float64(n)/1e9)
}

func shownText(text string) string { return logs.Shown(text) }

// rateText writes so much in each of a length.
func rateText(n int64, every time.Duration) string {
	unit := spec.FormatDuration(every)
	switch every {
	case time.Second, time.Minute, time.Hour, 24 * time.Hour:
		unit = strings.TrimPrefix(unit, "1")
	}
	return itoa(n) + "/" + unit
}
