package logs

import "errors"

// errTimestamp is the fault of a text that is no time.
var errTimestamp = errors.New("want Unix seconds like 1700000000.25, or a time like 2006-01-02T15:04:05Z, " +
	"2006-01-02 15:04:05.25 or 02/Jan/2006:15:04:05 +0000")

// The faults of a time that is written well but does not exist or does not fit.
var (
	errNoSuchTime = errors.New("no such date or time of day")
	errYears      = errors.New("want a time within int64 nanoseconds of 1970, the years 1678 to 2261")
)

// parseTimestamp reads Unix seconds or one of the usual texts as nanoseconds since the Unix epoch:
//
//	1700000000.25                  decimal Unix seconds
//	2006-01-02T15:04:05.25+01:00   RFC 3339, also with a blank for the T
//	2006-01-02 15:04:05.2500000    without a zone: UTC
//	02/Jan/2006:15:04:05 -0700     as web servers write it, also in [ ]
//
// Fractions have up to 9 digits.
func parseTimestamp(text []byte) (int64, error) {
	if len(text) > 4 && text[4] == '-' {
		return parseISO(text)
	}
	if len(text) == len(logTime) && text[0] == '[' && text[len(text)-1] == ']' {
		text = text[1 : len(text)-1]
	}
	if len(text) > 2 && text[2] == '/' {
		return parseLogTime(text)
	}
	ns, err := parseSeconds(text)
	if err == errSeconds {
		err = errTimestamp
	}
	return ns, err
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

func parseISO(text []byte) (int64, error) {
	const shape = "2006-01-02T15:04:05"
	if len(text) < len(shape) || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':' ||
		text[10] != 'T' && text[10] != 't' && text[10] != ' ' {
		return 0, errTimestamp
	}
	year, ok1 := number(text[:4])
	month, ok2 := number(text[5:7])
	day, ok3 := number(text[8:10])
	clock, ok4 := clockSeconds(text[11:19])
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return 0, errTimestamp
	}
	rest := text[len(shape):]
	fraction := int64(0)
	if len(rest) > 0 && rest[0] == '.' {
		digits := 0
		for rest = rest[1:]; digits < len(rest) && rest[digits]-'0' <= 9; digits++ {
			if digits < 9 {
				fraction = fraction*10 + int64(rest[digits]-'0')
			}
		}
		if digits == 0 {
			return 0, errTimestamp
		}
		if digits > 9 {
			return 0, errDecimals
		}
		rest = rest[digits:]
		for ; digits < 9; digits++ {
			fraction *= 10
		}
	}
	zone, ok := zoneSeconds(rest)
	if !ok {
		return 0, errTimestamp
	}
	return unixNanoseconds(year, month, day, clock, zone, fraction)
}

// zoneSeconds reads nothing, Z, +01:00 or +0100 as seconds east of UTC.
func zoneSeconds(text []byte) (int64, bool) {
	switch {
	case len(text) == 0, len(text) == 1 && (text[0] == 'Z' || text[0] == 'z'):
		return 0, true
	case len(text) == 6 && text[3] == ':':
		return offsetSeconds(text[0], text[1:3], text[4:6])
	case len(text) == 5:
		return offsetSeconds(text[0], text[1:3], text[3:5])
	}
	return 0, false
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

// clockSeconds reads 15:04:05 as seconds since midnight, -1 for a time that no clock shows.
func clockSeconds(text []byte) (int64, bool) {
	h, ok1 := number(text[0:2])
	m, ok2 := number(text[3:5])
	s, ok3 := number(text[6:8])
	if !ok1 || !ok2 || !ok3 || text[2] != ':' || text[5] != ':' {
		return 0, false
	}
	if h > 23 || m > 59 || s > 59 {
		return -1, true
	}
	return h*3600 + m*60 + s, true
}

// logTime is the time in a log line.
const logTime = "[02/Jan/2006:15:04:05 -0700]"

// parseLogTime reads 02/Jan/2006:15:04:05 -0700.
func parseLogTime(text []byte) (int64, error) {
	if len(text) != len(logTime)-2 || text[2] != '/' || text[6] != '/' || text[11] != ':' || text[20] != ' ' {
		return 0, errTimestamp
	}
	day, ok1 := number(text[:2])
	month, ok2 := monthNumber(text[3:6])
	year, ok3 := number(text[7:11])
	clock, ok4 := clockSeconds(text[12:20])
	zone, ok5 := offsetSeconds(text[21], text[22:24], text[24:26])
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 {
		return 0, errTimestamp
	}
	return unixNanoseconds(year, month, day, clock, zone, 0)
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
