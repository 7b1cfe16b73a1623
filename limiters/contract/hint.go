package contract

import (
	"math"
	"time"
)

// longest is the longest wait that a header gives, in seconds: a larger number
// is a Unix time.
const longest = 1_000_000_000

// hint is a wait as a header gives it: so many seconds, or until a Unix time.
type hint struct {
	seconds int64
	instant bool
}

// roundUp returns the hint for a wait d that begins at now: the first whole
// second from now, or of the clock, at which it has passed. A wait below 0 is
// over. It is false for a wait that no header gives, above 10⁹ s; Never is one.
func roundUp(d, now time.Duration, instant bool) (hint, bool) {
	if d > longest*time.Second {
		return hint{}, false
	}
	d = max(0, d)
	if instant && now <= math.MaxInt64-time.Second-d {
		if at := secondsUp(now + d); at > longest {
			return hint{at, true}, true
		}
	}
	return hint{secondsUp(d), false}, true
}

// secondsUp returns a time in whole seconds, rounded up; those before 1970
// count as 0.
func secondsUp(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d-1)/time.Second) + 1
}

// wait is how long the hint says to wait at now, 0 if that is over.
func (h hint) wait(now time.Duration) time.Duration {
	if h.instant {
		return until(time.Unix(h.seconds, 0), now)
	}
	return time.Duration(h.seconds) * time.Second
}

// until is the time from now to an instant, 0 if it has passed and Never if it
// is too far.
func until(instant time.Time, now time.Duration) time.Duration {
	return max(0, instant.Sub(time.Unix(0, int64(now))))
}

// hintOf is what a number of seconds in a header means.
func hintOf(seconds int64) hint {
	const farthest = 1e12 // a Unix time in the year 33658
	return hint{min(seconds, farthest), seconds > longest}
}

// digits reads 1*DIGIT, the number of whoever writes no sign. What int64 can
// not hold is its largest.
func digits(text string) (int64, bool) {
	if text == "" {
		return 0, false
	}
	n := int64(0)
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		if digit := int64(c - '0'); n > (math.MaxInt64-digit)/10 {
			n = math.MaxInt64
		} else {
			n = 10*n + digit
		}
	}
	return n, true
}
