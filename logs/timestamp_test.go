package logs

import (
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
	} {
		got, err := parseTimestamp([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestTimestampsThatAreNoneAreRefused(t *testing.T) {
	for text, want := range map[string]error{
		"":                                errTimestamp,
		"noon":                            errTimestamp,
		"2026-01-01":                      errTimestamp,
		"2026-01-01T00:00":                errTimestamp,
		"2026-01-01T00:00:00.Z":           errTimestamp,
		"2026-01-01T00:00:00,5Z":          errTimestamp,
		"2026-01-01T00:00:00+1":           errTimestamp,
		"2026-01-01T00:00:00+25:00":       errTimestamp,
		"2026-01-01T00:00:00 UTC":         errTimestamp,
		"2026-1-1T00:00:00Z":              errTimestamp,
		"2026/01/01 00:00:00":             errTimestamp,
		"01/jan/2026:00:00:00 +0000":      errTimestamp,
		"01/Jan/2026:00:00:00":            errTimestamp,
		"[01/Jan/2026:00:00:00 +0000":     errTimestamp,
		"2026-01-01T00:00:00.0000000001Z": errDecimals,
		"2026-02-29T00:00:00Z":            errNoSuchTime,
		"1900-02-29T00:00:00Z":            errNoSuchTime,
		"2026-13-01T00:00:00Z":            errNoSuchTime,
		"2026-00-01T00:00:00Z":            errNoSuchTime,
		"2026-04-31T00:00:00Z":            errNoSuchTime,
		"2026-01-00T00:00:00Z":            errNoSuchTime,
		"2026-01-01T24:00:00Z":            errNoSuchTime,
		"2026-01-01T00:60:00Z":            errNoSuchTime,
		"2026-12-31T23:59:60Z":            errNoSuchTime,
		"9999-01-01T00:00:00Z":            errYears,
		"0000-01-01T00:00:00Z":            errYears,
		"1700000000000":                   errRange, // milliseconds
		"1.0000000000":                    errDecimals,
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
		"[10/Oct/2000:13:55:36 -0700]", "10/Oct/2000:13:55:36 -0700", "0000-02-29T00:00:00Z", "2262-04-11T23:47:16.9Z", "2006-",
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
			"02/Jan/2006:15:04:05 -0700",
		} {
			upper := strings.Trim(text, "[]")
			if layout[0] == '2' {
				upper = strings.Replace(strings.ToUpper(text), " ", "T", 1)
			}
			if want, err := time.Parse(layout, upper); err == nil {
				require.Equal(t, want.Unix(), FloorSeconds(got), text)
				require.Equal(t, int64(want.Nanosecond()), got-FloorSeconds(got)*second, text)
				return
			}
		}
		want, err := ParseSeconds(text)
		require.NoError(t, err, "a time for nobody else")
		require.Equal(t, want, got)
	})
}
