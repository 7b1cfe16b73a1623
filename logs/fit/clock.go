package fit

import "fmt"

// Clock says what minutes of the hour the requests of a log came in. Traffic comes in all of them. A log whose requests
// lie in a few minutes of each hour has lost its minutes on the way, as when someone wrote %M where %m was meant, or
// holds scheduled jobs alone: its rates are not those of traffic.
type Clock struct {
	Hours    int // different hours with requests
	Minutes  int // of the hour: the fewest neighbouring ones that hold 99 % of the requests
	From     int // the first of them, 0 to 59
	Requests int
}

// LeastRequests is how many requests a log must have for its hundredth part to be one.
const LeastRequests = 100

// The rule of [Clock.Unfit], with LeastRequests.
const (
	leastHours  = 6
	mostMinutes = 6
)

// Clock looks at the times of all requests.
func (a *Arrivals) Clock() Clock {
	var counts [60]int
	hours := map[int64]bool{}
	seen := int64(0)
	for key := range a.from {
		for _, t := range a.at[a.from[key]:a.to[key]] {
			minute := t / (60 * second)
			if t%(60*second) < 0 {
				minute--
			}
			phase := minute % 60
			if phase < 0 {
				phase += 60
			}
			counts[phase]++
			if hour := (minute - phase) / 60; len(hours) == 0 || hour != seen {
				hours[hour] = true
				seen = hour
			}
		}
	}
	c := Clock{Hours: len(hours), Minutes: 60, Requests: a.requests}
	want := a.requests - a.requests/100
	for from := range counts {
		sum := 0
		for n := 1; n <= 60; n++ {
			if sum += counts[(from+n-1)%60]; sum >= want {
				if n < c.Minutes {
					c.Minutes, c.From = n, from
				}
				break
			}
		}
	}
	return c
}

// Unfit says why rates can not be read from the log at all, or nothing: all requests have one time, or see [Clock.Unfit].
func (a *Arrivals) Unfit() string {
	first, last := a.Ends()
	return unfit(first, last, a.Clock())
}

func unfit(first, last int64, c Clock) string {
	if c.Requests > 1 && first == last {
		return fmt.Sprintf("all %d requests have one time, %s", c.Requests, utc(first))
	}
	return c.Unfit()
}

// Unfit says why rates can not be read from these times, or nothing if they can: 100 requests or more from 6 different
// hours or more, of which 99 % lie within the same 6 minutes of the hour.
func (c Clock) Unfit() string {
	if c.Requests < LeastRequests || c.Hours < leastHours || c.Minutes > mostMinutes {
		return ""
	}
	return fmt.Sprintf("99 %% of its %d requests, from %d different hours, lie in %s of the hour from minute %02d on: no traffic does that; its times lost their minutes, or it holds scheduled jobs alone",
		c.Requests, c.Hours, plural(int64(c.Minutes), "minute"), c.From)
}
