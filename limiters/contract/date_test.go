package contract

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTheThreeFormsOfADate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		instant := time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "instant"), 0).UTC() // years 1 to 9999
		for _, layout := range []string{http.TimeFormat, time.ANSIC, "Mon Jan 02 15:04:05 2006"} {
			got, ok := parseDate(instant.Format(layout), sunday)
			require.True(t, ok, instant.Format(layout))
			require.True(t, instant.Equal(got), instant.Format(layout))
		}
	})
}

func TestAYearOfTwoDigits(t *testing.T) {
	for _, c := range []struct{ now, text, want string }{
		{"2033-11-06", "Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06"},
		{"2033-11-06", "Sunday, 06-Nov-33 00:00:00 GMT", "2033-11-06"},
		{"2033-11-06", "Sunday, 06-Nov-83 00:00:00 GMT", "2083-11-06"},
		{"2033-11-06", "Monday, 07-Nov-83 00:00:00 GMT", "1983-11-07"},
		{"1994-11-06", "Saturday, 01-Jan-00 00:00:00 GMT", "2000-01-01"},
		{"1994-11-06", "Saturday, 01-Jan-45 00:00:00 GMT", "1945-01-01"},
		{"1994-11-06", "Saturday, 01-Jan-44 00:00:00 GMT", "2044-01-01"},
		{"2033-11-06", "Tuesday, 29-Feb-84 00:00:00 GMT", "1984-02-29"},
	} {
		now, err := time.Parse(time.DateOnly, c.now)
		require.NoError(t, err)
		got, ok := parseDate(c.text, time.Duration(now.UnixNano()))
		require.True(t, ok, c.text)
		assert.Equal(t, c.want, got.Format(time.DateOnly), "%s in %s", c.text, c.now)
	}
}

func TestALeapSecondIsTheNextMinute(t *testing.T) {
	got, ok := parseDate("Sat, 31 Dec 2016 23:59:60 GMT", sunday)
	require.True(t, ok)
	assert.Equal(t, time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC), got)
}

func TestWhatIsNoDate(t *testing.T) {
	for _, text := range []string{
		"", "Sun", "now",
		"Sun, 6 Nov 1994 08:49:37 GMT",       // day of one digit
		"Sun, 06 nov 1994 08:49:37 GMT",      // case counts
		"sun, 06 Nov 1994 08:49:37 GMT",      //
		"Sun, 06 Nov 1994 08:49:37 gmt",      //
		"Sun, 06 Nov 1994 08:49:37 UTC",      // always GMT
		"Sun, 06 Nov 1994 08:49:37 +0000",    //
		"Sun, 06 Nov 1994 08:49:37",          //
		"Sun, 06 Nov 1994 08:49:37.5 GMT",    // no fractions
		"Sun,  06 Nov 1994 08:49:37 GMT",     // one blank
		" Sun, 06 Nov 1994 08:49:37 GMT",     //
		"Sun, 06 Nov 1994 08:49:37 GMT\n",    //
		"Sun, 06 Nov 94 08:49:37 GMT",        // four digits
		"Sun, 31 Nov 1994 08:49:37 GMT",      // no such day
		"Sun, 00 Nov 1994 08:49:37 GMT",      //
		"Wed, 29 Feb 2023 08:49:37 GMT",      //
		"Sun, 06 Nov 1994 24:00:00 GMT",      // no such time
		"Sun, 06 Nov 1994 08:60:37 GMT",      //
		"Sun, 06 Nov 1994 08:49:61 GMT",      //
		"Sun, 06-Nov-94 08:49:37 GMT",        // the day in full
		"Sunday, 06-Nov-1994 08:49:37 GMT",   // two digits
		"Sun Nov 6 08:49:37 1994",            // a blank or two digits
		"Sun Nov  6 08:49:37 1994 GMT",       //
		"Sun, 06 Nov 1994 08:49:37 GMT, Sun", //
	} {
		_, ok := parseDate(text, sunday)
		assert.False(t, ok, text)
	}
}
