package logs

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTimestampsAreReadExactly(t *testing.T) {
	for text, want := range map[string]int64{
		"1700000000.25":                  1700000000_250000000,
		"0":                              0,
		"-1":                             -1000000000,
		"2026-01-01T00:00:00Z":           1767225600_000000000,
		"2026-01-01t00:00:00z":           1767225600_000000000,
		"2026-01-01 00:00:00":            1767225600_000000000,
		"2026-01-01T01:30:00.5+01:30":    1767225600_500000000,
		"2025-12-31T19:00:00.5-0500":     1767225600_500000000,
		"2023-11-16 18:15:46.6805900":    1700158546_680590000,
		"2026-01-01T00:00:00.000000001Z": 1767225600_000000001,
		"1969-12-31T23:59:59.9Z":         -100000000,
		"2000-02-29T00:00:00Z":           951782400_000000000,
		"01/Jan/2026:00:00:00 +0000":     1767225600_000000000,
		"[10/Oct/2000:13:55:36 -0700]":   971211336_000000000,
		"10/Oct/2000:13:55:36.25 -0700":  971211336_250000000,
		"2026-01-01T00:00:00,5Z":         1767225600_500000000,
		"2026-01-01 00:00:00,123":        1767225600_123000000,
		"2026/01/01 00:00:00":            1767225600_000000000,
		"2026-01-01 00:00:00 UTC":        1767225600_000000000,
		"2026-01-01 01:00:00 +0100":      1767225600_000000000,
		"2026-01-01 01:00:00+01":         1767225600_000000000,
		"1700000000123":                  1700000000_123000000, // milliseconds
		"1700000000123.25":               1700000000_123250000,
		"1700000000123456":               1700000000_123456000,
		"1700000000123456789":            1700000000_123456789,
		"9223372036":                     9223372036_000000000,
		"9223372037":                     9223372_037000000,
		"-9223372037":                    -9223372_037000000,
		"Mon Jan 02 15:04:05 -0700 2006": 1136239445_000000000,
		"Mon Jan  2 22:04:05 UTC 2006":   1136239445_000000000,
		"Mon Jan 02 22:04:05.25 2006":    1136239445_250000000,
		"Mon Jan 02 22:04:05 2006 GMT":   1136239445_000000000,
		"Mon, 02 Jan 2006 22:04:05 GMT":  1136239445_000000000,
		"02 Jan 2006 15:04:05 -0700":     1136239445_000000000,
		"2026-01-01 00:01":               1767225660_000000000,
		"2026-01-01T00:01Z":              1767225660_000000000,
		"2026/01/01 01:01+01:00":         1767225660_000000000,
		"01/Jan/2026:00:00:00":           1767225600_000000000,
		"[01/Jan/2026:00:00:00.123]":     1767225600_123000000,
		"02-Jan-2006 22:04:05.25":        1136239445_250000000,
		"02-Jan-2006 15:04:05 -0700":     1136239445_000000000,
	} {
		got, err := parseTimestamp([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestTimestampsThatAreNoneAreRefused(t *testing.T) {
	for text, want := range map[string]error{
		"":                                 errTimestamp,
		"noon":                             errTimestamp,
		"2026-01-01":                       errTimestamp,
		"2026-01-01T00:00.5":               errTimestamp,
		"2026-01-01T00:00:":                errTimestamp,
		"2026-01-01T00:0":                  errTimestamp,
		"2026-01-01T00:60":                 errNoSuchTime,
		"02-Jan-2006":                      errTimestamp,
		"02-Jan-2006 15:04":                errTimestamp,
		"02-Jan-06 15:04:05":               errTimestamp,
		"02-01-2006 15:04:05":              errTimestamp,
		"2026-01-01T00:00:00.Z":            errTimestamp,
		"2026-01-01T00:00:00+1":            errTimestamp,
		"2026-01-01T00:00:00+25:00":        errTimestamp,
		"2026-01-01T00:00:00 CET":          errZoneName,
		"2026-01-01T00:00:00 ":             errTimestamp,
		"2026-01-01T00:00:00  Z":           errTimestamp,
		"2026-01/01T00:00:00Z":             errTimestamp,
		"Jan 02 15:04:05":                  errTimestamp,
		"Mon Jan 02 15:04:05 MST 2006":     errZoneName,
		"Mon Jan 32 15:04:05 2006":         errNoSuchTime,
		"Mon Jan 02 15:04:05x 2006":        errTimestamp,
		"Mon, 02 Jan 06 15:04:05 GMT":      errTimestamp,
		"Mon Jan 02 15:04:05 +0000 2006 x": errTimestamp,
		"01/Jan/2026:00:00:00. +0000":      errTimestamp,
		"1e9":                              errTimestamp,
		"2026-1-1T00:00:00Z":               errTimestamp,
		"01/jan/2026:00:00:00 +0000":       errTimestamp,
		"01/Jan/2026:00:00:00.":            errTimestamp,
		"01/Jan/2026:00:00":                errTimestamp,
		"[01/Jan/2026:00:00:00 +0000":      errTimestamp,
		"01/Jan/2026:00:00:00 +00000":      errTimestamp,
		"2026-01-01T00:00:00.0000000001Z":  errDecimals,
		"2026-02-29T00:00:00Z":             errNoSuchTime,
		"1900-02-29T00:00:00Z":             errNoSuchTime,
		"2026-13-01T00:00:00Z":             errNoSuchTime,
		"2026-00-01T00:00:00Z":             errNoSuchTime,
		"2026-04-31T00:00:00Z":             errNoSuchTime,
		"2026-01-00T00:00:00Z":             errNoSuchTime,
		"2026-01-01T24:00:00Z":             errNoSuchTime,
		"2026-01-01T00:60:00Z":             errNoSuchTime,
		"2026-12-31T23:59:60Z":             errNoSuchTime,
		"9999-01-01T00:00:00Z":             errYears,
		"0000-01-01T00:00:00Z":             errYears,
		"9223372036854775808":              errRange,
		"1.0000000000":                     errDecimals,
	} {
		_, err := parseTimestamp([]byte(text))
		assert.Equal(t, want, err, text)
	}
}

// The oracle is package time.
func TestTimestampsAgreeWithPackageTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-9223372036, 9223372035).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns")).
			In(time.FixedZone("", 60*rapid.IntRange(-23*60-59, 23*60+59).Draw(t, "zone")))
		if at.Year() < 1000 {
			return
		}
		iso, err := parseTimestamp([]byte(at.Format(time.RFC3339Nano)))
		require.NoError(t, err)
		assert.Equal(t, at.UnixNano(), iso)
		log, err := parseTimestamp([]byte(at.Format("[02/Jan/2006:15:04:05 -0700]")))
		require.NoError(t, err)
		assert.Equal(t, at.Unix()*second, log)
	})
}

func FuzzTimestamp(f *testing.F) {
	for _, seed := range []string{
		"2026-01-01T00:00:00Z", "2026-02-29T00:00:00.5+01:00", "2023-11-16 18:15:46.6805900", "1700000000.25",
		"[10/Oct/2000:13:55:36 -0700]", "10/Oct/2000:13:55:36 -0700", "Mon Jan 02 15:04:05 -0700 2006", "Mon, 02 Jan 2006 22:04:05 GMT", "1700000000123", "2026/01/01 00:00:00,5 UTC",
		"0000-02-29T00:00:00Z", "2262-04-11T23:47:16.9Z", "2006-",
		"2026-01-01 00:00", "2026-01-01T00:00+01:00", "[10/Oct/2000:13:55:36.25]", "02-Jan-2006 15:04:05.25 +01",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseTimestamp([]byte(text))
		if err != nil {
			return
		}
		// Whatever is accepted is a time for package time too, the same one.
		for _, layout := range []string{
			"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999",
			"2006-01-02T15:04:05.999999999Z07", "2006-01-02T15:04:05.999999999 Z07:00", "2006-01-02T15:04:05.999999999 Z0700",
			"2006-01-02T15:04:05.999999999 Z07", "2006-01-02T15:04:05.999999999 MST",
			"2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04", "2006-01-02T15:04Z07",
			"2006-01-02T15:04 Z07:00", "2006-01-02T15:04 Z0700", "2006-01-02T15:04 Z07", "2006-01-02T15:04 MST",
			"02/Jan/2006:15:04:05.999999999 -0700", "02/Jan/2006:15:04:05.999999999",
			"Jan 2 15:04:05.999999999 2006", "Jan 2 15:04:05.999999999 -0700 2006", "Jan 2 15:04:05.999999999 -07:00 2006",
			"Jan 2 15:04:05.999999999 -07 2006", "Jan 2 15:04:05.999999999 Z07:00 2006", "Jan 2 15:04:05.999999999 MST 2006",
			"Jan 2 15:04:05.999999999 2006 -0700", "Jan 2 15:04:05.999999999 2006 -07:00",
			"Jan 2 15:04:05.999999999 2006 -07", "Jan 2 15:04:05.999999999 2006 Z07:00", "Jan 2 15:04:05.999999999 2006 MST",
			"2-Jan-2006 15:04:05.999999999", "2-Jan-2006 15:04:05.999999999 -0700", "2-Jan-2006 15:04:05.999999999 -07:00",
			"2-Jan-2006 15:04:05.999999999 -07", "2-Jan-2006 15:04:05.999999999 Z07:00", "2-Jan-2006 15:04:05.999999999 MST",
			"2 Jan 2006 15:04:05.999999999", "2 Jan 2006 15:04:05.999999999 -0700", "2 Jan 2006 15:04:05.999999999 -07:00",
			"2 Jan 2006 15:04:05.999999999 -07", "2 Jan 2006 15:04:05.999999999 Z07:00", "2 Jan 2006 15:04:05.999999999 MST",
		} {
			upper := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
			switch {
			case strings.HasPrefix(layout, "2006"):
				upper = strings.Replace(strings.ToUpper(strings.ReplaceAll(upper, "/", "-")), " ", "T", 1)
			case !strings.HasPrefix(layout, "02/"):
				words := strings.Fields(upper)
				if len(words) > 0 && isWeekday([]byte(strings.TrimSuffix(words[0], ","))) {
					words = words[1:]
				}
				upper = strings.ReplaceAll(strings.Join(words, " "), " z", " Z")
			}
			if want, err := time.Parse(layout, upper); err == nil {
				require.Equal(t, want.Unix(), FloorSeconds(got), text)
				require.Equal(t, int64(want.Nanosecond()), got-FloorSeconds(got)*second, text)
				return
			}
		}
		number := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
		want, ok := new(big.Rat).SetString(number)
		require.True(t, ok, "a time for nobody else")
		for _, unit := range unixUnits {
			if want := new(big.Rat).Mul(want, new(big.Rat).SetInt64(int64(unit.ns))); want.IsInt() && want.Num().IsInt64() {
				require.Equal(t, want.Num().Int64(), got)
				return
			}
		}
		t.Fatal("a time in no unit")
	})
}

func TestTheUnitOfUnixTimesIsThatOfTheFirst(t *testing.T) {
	var c timestamps
	for _, step := range []struct {
		text string
		want int64
		err  string
	}{
		{"1700000000123", 1700000000_123000000, ""},
		{"1700000000124.5", 1700000000_124500000, ""},
		{"1700000000", 0, "want Unix milliseconds, as before; this is of a larger unit"},
		{"1700000000123456", 0, "want Unix milliseconds, as before"},
		{"1700000000123.0000001", 0, "want Unix milliseconds, as before, with at most 6 decimals"},
		{"noon", 0, errTimestamp.Error()},
		{"2023-11-14T22:13:20", 1700000000_000000000, ""},
	} {
		got, err := c.read([]byte(step.text))
		if step.err != "" {
			assert.EqualError(t, err, step.err, step.text)
			continue
		}
		require.NoError(t, err, step.text)
		assert.Equal(t, step.want, got, step.text)
	}
	assert.Equal(t, "Unix milliseconds", c.form)
	assert.True(t, c.local, "one of them said no zone")
}

func TestALogLineNeedsItsZone(t *testing.T) {
	for text, zoned := range map[string]bool{
		"01/Jan/2026:00:00:00 +0000": true, "01/Jan/2026:00:00:00.123456 +0100": true,
		"01/Jan/2026:00:00:00": false, "01/Jan/2026:00:00:00.123456": false,
	} {
		_, err := parseLogTime([]byte(text))
		assert.Equal(t, zoned, err == nil, text)
		c := timestamps{}
		_, err = c.read([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, !zoned, c.local, text)
		var line logLine
		assert.Equal(t, zoned, parseCombined([]byte(`192.0.2.1 - - [`+text+`] "GET / HTTP/1.1" 200 1 "-" "x"`), &line) == nil, text)
	}
}
