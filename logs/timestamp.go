package logs

import (
	"bytes"
	"errors"
	"fmt"
	"math"
)

// errTimestamp is the fault of a text that is no time.
var errTimestamp = errors.New("want Unix seconds like 1700000000.25, or a time like 2006-01-02T15:04:05Z, " +
	"2006-01-02 15:04:05.25 or 02/Jan/2006:15:04:05 +0000")

// The faults of a time that is written well but does not exist or does not fit.
var (
	errNoSuchTime = errors.New("no such date or time of day")
	errYears      = errors.New("want a time within int64 nanoseconds of 1970, the years 1678 to 2261")
	errZoneName   = errors.New("want the zone in numbers, like +0100; a zone's name (but UTC and GMT) says no offset")
)

// unixUnit is a unit of Unix time.
type unixUnit struct {
	name     string
	ns       uint64
	decimals int // the nanosecond's
}

var unixUnits = []unixUnit{
	{"seconds", 1e9, 9}, {"milliseconds", 1e6, 6}, {"microseconds", 1e3, 3}, {"nanoseconds", 1, 0},
}

// timestamps reads the times of one file. The unit of Unix times is that of the first one: the largest in which it is
// a time that int64 nanoseconds hold. From May 1970 on that is the unit it has been written in, since 9223372036 s are
// in the year 2262 and 9223372037 ms in April 1970.
type timestamps struct {
	unit  *unixUnit // nil before the first Unix time
	local bool      // some text had no zone
	form  string    // of the first that was read, for people
}

// read reads Unix time or one of the usual texts as nanoseconds since the Unix epoch:
//
//	1700000000.25                     decimal Unix seconds; likewise milliseconds, microseconds, nanoseconds
//	2006-01-02T15:04:05.25+01:00      RFC 3339, also with a blank for the T, with 2006/01/02, a comma for the point
//	2006-01-02 15:04:05.2500000       without a zone: UTC; also without seconds
//	02/Jan/2006:15:04:05.25 -0700     as web servers write it, also in [ ], also without the zone
//	02-Jan-2006 15:04:05.250          as Tomcat writes it, also with a zone
//	Mon Jan 02 15:04:05 -0700 2006    and the other orders of these words that package time names (RubyDate, UnixDate,
//	Mon, 02 Jan 2006 15:04:05 GMT     ANSIC, RFC 1123, RFC 822 with four digits of the year)
//
// Fractions of a second have up to 9 digits.
func (c *timestamps) read(text []byte) (int64, error) {
	if n := len(text); n > 2 && text[0] == '[' && text[n-1] == ']' {
		text = text[1 : n-1]
	}
	switch {
	case len(text) > 4 && (text[4] == '-' || text[4] == '/'):
		ns, zone, err := parseISO(text)
		if zone {
			return c.noted(ns, zone, "RFC 3339", err)
		}
		return c.noted(ns, zone, "ISO 8601", err)
	case len(text) > 2 && text[2] == '/':
		ns, zone, err := parseLocalLogTime(text)
		if zone {
			return c.noted(ns, zone, logTime[1:len(logTime)-1], err)
		}
		return c.noted(ns, zone, "02/Jan/2006:15:04:05", err)
	case len(text) > 0 && (text[0] == '-' || text[0]-'0' <= 9) && bytes.IndexByte(text, ' ') < 0:
		return c.unix(text)
	}
	ns, zone, err := parseWords(text)
	return c.noted(ns, zone, "date in words", err)
}

// noted keeps how a time was written.
func (c *timestamps) noted(ns int64, zone bool, form string, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	if c.form == "" {
		c.form = form
	}
	c.local = c.local || !zone
	return ns, nil
}

// unix reads Unix time.
func (c *timestamps) unix(text []byte) (int64, error) {
	if c.unit != nil {
		ns, err := parseDecimal(text, c.unit.ns, c.unit.decimals)
		switch {
		case err == errSeconds:
			err = errTimestamp
		case err == errRange && c.unit.ns < second:
			err = fmt.Errorf("want Unix %s, as before", c.unit.name)
		case err == errDecimals && c.unit.ns < second:
			err = fmt.Errorf("want Unix %s, as before, with at most %d decimals", c.unit.name, c.unit.decimals)
		case err == nil && c.unit.ns < second && -math.MaxInt64/1000 <= ns && ns <= math.MaxInt64/1000:
			err = fmt.Errorf("want Unix %s, as before; this is of a larger unit", c.unit.name)
		}
		return ns, err
	}
	for i := range unixUnits {
		unit := &unixUnits[i]
		ns, err := parseDecimal(text, unit.ns, unit.decimals)
		if err == errRange && unit.ns > 1 {
			continue
		}
		if err == errSeconds {
			err = errTimestamp
		}
		if err == nil {
			c.unit = unit
			_, _ = c.noted(ns, true, "Unix "+unit.name, nil)
		}
		return ns, err
	}
	return 0, errRange
}

// parseTimestamp reads a single time.
func parseTimestamp(text []byte) (int64, error) {
	var c timestamps
	return c.read(text)
}

// number reads decimal digits; ok is false for anything else.
func number(text []byte) (n int64, ok bool) {
	for _, c := range text {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

func parseISO(text []byte) (ns int64, zoned bool, err error) {
	const shape, minutes = "2006-01-02T15:04:05", "2006-01-02T15:04"
	if len(text) < len(minutes) || text[4] != '-' && text[4] != '/' || text[7] != text[4] ||
		text[10] != 'T' && text[10] != 't' && text[10] != ' ' {
		return 0, false, errTimestamp
	}
	end, fraction, rest := len(minutes), int64(0), text[len(minutes):]
	if len(rest) > 0 && rest[0] == ':' {
		if len(text) < len(shape) {
			return 0, false, errTimestamp
		}
		end = len(shape)
		if fraction, rest, err = fractionOf(text[end:]); err != nil {
			return 0, false, err
		}
	}
	year, ok1 := number(text[:4])
	month, ok2 := number(text[5:7])
	day, ok3 := number(text[8:10])
	clock, ok4 := clockSeconds(text[11:end])
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return 0, false, errTimestamp
	}
	if len(rest) > 1 && rest[0] == ' ' {
		rest = rest[1:]
	}
	zone, err := zoneSeconds(rest)
	if err != nil {
		return 0, false, err
	}
	ns, err = unixNanoseconds(year, month, day, clock, zone, fraction)
	return ns, len(rest) > 0, err
}

// fractionOf reads a point or a comma and digits behind it as nanoseconds, 0 if the text begins otherwise.
func fractionOf(text []byte) (ns int64, rest []byte, err error) {
	if len(text) == 0 || text[0] != '.' && text[0] != ',' {
		return 0, text, nil
	}
	rest = text[1:]
	digits := 0
	for ; digits < len(rest) && rest[digits]-'0' <= 9; digits++ {
		if digits < 9 {
			ns = ns*10 + int64(rest[digits]-'0')
		}
	}
	if digits == 0 {
		return 0, nil, errTimestamp
	}
	if digits > 9 {
		return 0, nil, errDecimals
	}
	rest = rest[digits:]
	for ; digits < 9; digits++ {
		ns *= 10
	}
	return ns, rest, nil
}

// zoneSeconds reads nothing, Z, UTC, GMT, +01, +01:00 or +0100 as seconds east of UTC.
func zoneSeconds(text []byte) (int64, error) {
	ok, s := false, int64(0)
	switch n := len(text); {
	case n == 0, n == 1 && (text[0] == 'Z' || text[0] == 'z'):
		return 0, nil
	case text[0] == '+' || text[0] == '-':
		switch {
		case n == 6 && text[3] == ':':
			s, ok = offsetSeconds(text[0], text[1:3], text[4:6])
		case n == 5:
			s, ok = offsetSeconds(text[0], text[1:3], text[3:5])
		case n == 3:
			s, ok = offsetSeconds(text[0], text[1:3], nil)
		}
	case string(text) == "UTC" || string(text) == "GMT":
		return 0, nil
	case n >= 3 && n <= 5 && isUpper(text):
		return 0, errZoneName
	}
	if !ok {
		return 0, errTimestamp
	}
	return s, nil
}

func isUpper(text []byte) bool {
	for _, c := range text {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}

// parseWords reads a date whose month is a word: its parts, apart by blanks, in one of the orders
//
//	Mon Jan 02 15:04:05 -0700 2006    the zone may be missing or come last
//	Mon, 02 Jan 2006 15:04:05 -0700   the zone may be missing
//	02-Jan-2006 15:04:05.250 -0700    likewise
//
// The weekday may be missing; nobody checks it.
func parseWords(text []byte) (ns int64, zoned bool, err error) {
	var parts [6][]byte
	n := 0
	for len(text) > 0 {
		end := bytes.IndexByte(text, ' ')
		if end < 0 {
			end = len(text)
		}
		if end > 0 {
			if n == len(parts) {
				return 0, false, errTimestamp
			}
			parts[n] = text[:end]
			n++
		}
		text = text[min(end+1, len(text)):]
	}
	p := parts[:n]
	if n > 0 && isWeekday(bytes.TrimSuffix(p[0], []byte(","))) {
		p = p[1:]
	}
	var month, day, clock, year, zone []byte
	switch {
	case (len(p) == 2 || len(p) == 3) && len(p[0]) == len("02-Jan-2006") && p[0][2] == '-' && p[0][6] == '-':
		day, month, year, clock = p[0][:2], p[0][3:6], p[0][7:], p[1]
		if len(p) == 3 {
			zone = p[2]
		}
	case len(p) < 4:
		return 0, false, errTimestamp
	case len(p[0]) == 3 && len(p) == 4:
		month, day, clock, year = p[0], p[1], p[2], p[3]
	case len(p[0]) == 3 && len(p) == 5 && len(p[3]) == 4 && p[3][0]-'0' <= 9:
		month, day, clock, year, zone = p[0], p[1], p[2], p[3], p[4]
	case len(p[0]) == 3 && len(p) == 5:
		month, day, clock, zone, year = p[0], p[1], p[2], p[3], p[4]
	case len(p) == 4:
		day, month, year, clock = p[0], p[1], p[2], p[3]
	case len(p) == 5:
		day, month, year, clock, zone = p[0], p[1], p[2], p[3], p[4]
	default:
		return 0, false, errTimestamp
	}
	if len(month) != 3 || len(day) < 1 || len(day) > 2 || len(year) != 4 || len(clock) < len("15:04:05") {
		return 0, false, errTimestamp
	}
	m, ok1 := monthNumber(month)
	d, ok2 := number(day)
	y, ok3 := number(year)
	s, ok4 := clockSeconds(clock[:8])
	fraction, rest, err := fractionOf(clock[8:])
	if err != nil {
		return 0, false, err
	}
	if !ok1 || !ok2 || !ok3 || !ok4 || len(rest) > 0 {
		return 0, false, errTimestamp
	}
	east, err := zoneSeconds(zone)
	if err != nil {
		return 0, false, err
	}
	ns, err = unixNanoseconds(y, m, d, s, east, fraction)
	return ns, len(zone) > 0, err
}

func isWeekday(text []byte) bool {
	switch string(text) {
	case "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun":
		return true
	}
	return false
}

func offsetSeconds(sign byte, hours, minutes []byte) (int64, bool) {
	h, ok1 := number(hours)
	m, ok2 := number(minutes)
	if !ok1 || !ok2 || h > 23 || m > 59 || sign != '+' && sign != '-' {
		return 0, false
	}
	s := h*3600 + m*60
	if sign == '-' {
		s = -s
	}
	return s, true
}

// clockSeconds reads 15:04:05 or 15:04 as seconds since midnight, -1 for a time that no clock shows.
func clockSeconds(text []byte) (int64, bool) {
	h, ok1 := number(text[0:2])
	m, ok2 := number(text[3:5])
	s, ok3 := int64(0), true
	if len(text) > 5 {
		s, ok3 = number(text[6:8])
		ok3 = ok3 && text[5] == ':'
	}
	if !ok1 || !ok2 || !ok3 || text[2] != ':' {
		return 0, false
	}
	if h > 23 || m > 59 || s > 59 {
		return -1, true
	}
	return h*3600 + m*60 + s, true
}

// logTime is the time in a log line.
const logTime = "[02/Jan/2006:15:04:05 -0700]"

// parseLogTime reads 02/Jan/2006:15:04:05 -0700, with or without a fraction of the second.
func parseLogTime(text []byte) (int64, error) {
	ns, zoned, err := parseLocalLogTime(text)
	if err == nil && !zoned {
		err = errTimestamp
	}
	return ns, err
}

// parseLocalLogTime reads the same without a zone, too.
func parseLocalLogTime(text []byte) (ns int64, zoned bool, err error) {
	const clockEnds = len("02/Jan/2006:15:04:05")
	if len(text) < clockEnds || text[2] != '/' || text[6] != '/' || text[11] != ':' {
		return 0, false, errTimestamp
	}
	day, ok1 := number(text[:2])
	month, ok2 := monthNumber(text[3:6])
	year, ok3 := number(text[7:11])
	clock, ok4 := clockSeconds(text[12:clockEnds])
	fraction, rest, err := fractionOf(text[clockEnds:])
	if err != nil {
		return 0, false, err
	}
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return 0, false, errTimestamp
	}
	zone := int64(0)
	if zoned = len(rest) > 0; zoned {
		ok := len(rest) == len(" -0700") && rest[0] == ' '
		if ok {
			zone, ok = offsetSeconds(rest[1], rest[2:4], rest[4:6])
		}
		if !ok {
			return 0, false, errTimestamp
		}
	}
	ns, err = unixNanoseconds(year, month, day, clock, zone, fraction)
	return ns, zoned, err
}

func monthNumber(text []byte) (int64, bool) {
	const names = "JanFebMarAprMayJunJulAugSepOctNovDec"
	for i := 0; i < len(names); i += 3 {
		if names[i] == text[0] && names[i+1] == text[1] && names[i+2] == text[2] {
			return int64(i/3 + 1), true
		}
	}
	return 0, false
}

// unixNanoseconds joins a date of the Gregorian calendar, seconds since midnight, the zone's seconds east of UTC and
// nanoseconds.
func unixNanoseconds(year, month, day, clock, zone, fraction int64) (int64, error) {
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || clock < 0 {
		return 0, errNoSuchTime
	}
	s := daysSince1970(year, month, day)*86400 + clock - zone
	if s < -9223372036 || s > 9223372035 { // the outermost seconds, only in part within int64, are left out
		return 0, errYears
	}
	return s*second + fraction, nil
}

func daysIn(year, month int64) int64 {
	if month == 2 {
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 30 + (month+month/8)%2
}

// daysSince1970 counts days with years that begin in March, so that the leap day comes last: 365 a year and one each
// 4, less one each 100, and one each 400; the months from March have (153·m+2)/5 days before the m-th.
func daysSince1970(year, month, day int64) int64 {
	if month < 3 {
		year, month = year-1, month+12
	}
	const march1Of0To1970 = 719468 // days from 1 March 0000 to 1 January 1970
	// year is -1 at least, and only January and February of year 0 have it; floor division by hand.
	floor := func(a, b int64) int64 {
		if a < 0 {
			return -1
		}
		return a / b
	}
	return 365*year + floor(year, 4) - floor(year, 100) + floor(year, 400) + (153*(month-3)+2)/5 + day - 1 - march1Of0To1970
}
