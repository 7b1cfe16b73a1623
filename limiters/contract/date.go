package contract

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// imfFixdate is the HTTP-date that is written, of a time in UTC (RFC 9110,
// section 5.6.7).
const imfFixdate = "Mon, 02 Jan 2006 15:04:05 GMT"

// dateForms are the three forms of an HTTP-date, the two obsolete ones too, as
// the grammar has them: case and every blank count.
var dateForms = sync.OnceValue(func() [3]*regexp.Regexp {
	const (
		month = `(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)`
		clock = `(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})`
		name  = `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)`
		long  = `(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)`
	)
	return [3]*regexp.Regexp{
		regexp.MustCompile(`^` + name + `, (?P<day>[0-9]{2}) ` + month + ` (?P<year>[0-9]{4}) ` + clock + ` GMT$`),
		regexp.MustCompile(`^` + long + `, (?P<day>[0-9]{2})-` + month + `-(?P<year>[0-9]{2}) ` + clock + ` GMT$`),
		regexp.MustCompile(`^` + name + ` ` + month + ` (?P<day>[0-9]{2}| [0-9]) ` + clock + ` (?P<year>[0-9]{4})$`),
	}
})

// parseDate reads an HTTP-date. The name of the day is not compared with the
// date. A year of two digits that seems more than 50 years after now is the
// latest past one with these digits; second 60 is the next minute's first.
func parseDate(text string, now time.Duration) (time.Time, bool) {
	for _, form := range dateForms() {
		parts := form.FindStringSubmatch(text)
		if parts == nil {
			continue
		}
		number := func(name string) int {
			n, _ := strconv.Atoi(strings.TrimSpace(parts[form.SubexpIndex(name)])) // it is digits
			return n
		}
		year, day := number("year"), number("day")
		hour, minute, second := number("hour"), number("minute"), number("second")
		month := time.Month(strings.Index(monthNames, parts[form.SubexpIndex("month")])/3 + 1)
		at := func(year int) time.Time {
			return time.Date(year, month, day, hour, minute, second, 0, time.UTC)
		}
		if len(parts[form.SubexpIndex("year")]) == 2 {
			today := time.Unix(0, int64(now)).UTC()
			year += today.Year()/100*100 + 100
			for at(year).After(today.AddDate(50, 0, 0)) {
				year -= 100
			}
		}
		if time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Day() != day || hour > 23 || minute > 59 || second > 60 {
			return time.Time{}, false
		}
		return at(year), true
	}
	return time.Time{}, false
}

const monthNames = "JanFebMarAprMayJunJulAugSepOctNovDec"
