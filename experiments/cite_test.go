package experiments

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCitedNumbersHaveTheDigitsThatTheirIntervalBearsOut(t *testing.T) {
	for _, c := range []struct {
		mean, low, high, factor float64
		text, withInterval      string
	}{
		{197, 197, 197, 1, "197", "197"},
		{0.5, 0.5, 0.5, 1, "0.5", "0.5"},
		{0.5, 0.5, 0.5, 100, "50", "50"},
		{66.18103, 66.18103, 66.18103, 1, "66.18", "66.18"},
		{0, 0, 0, 1, "0", "0"},
		{7.757, 7.7235, 7.7905, 1, "7.76", "7.757 ± 0.034"},
		{0.33342, 0.33312, 0.33372, 100, "33.34", "33.342 ± 0.030"},
		{15661.4, 15601.4, 15721.4, 1, "15660", "15661 ± 60"},
		{15661.4, 15061.4, 16261.4, 1, "15700", "15660 ± 600"},
		{-0.0001, -0.0301, 0.0299, 1, "0.00", "0.000 ± 0.030"},
		{1.099992, 1.099972, 1.100012, 1, "1.100", "1.1"},
		{1.002442, 1.002394, 1.00249, 1, "1.002", "1.0024"},
		{4.8, 3.6, 6, 1, "5", "4.8 ± 1.2"},
	} {
		cited := Cited{Mean: c.mean, Low: c.low, High: c.high}
		assert.Equal(t, c.text, cited.Text(c.factor))
		assert.Equal(t, c.withInterval, cited.TextWithInterval(c.factor))
	}
}

func TestPlacesAreReadAsCellsAreWritten(t *testing.T) {
	at, err := ParsePlace(`part=story,limiter="token-bucket:rate=2/s,burst=20",servers=8`)
	require.NoError(t, err)
	assert.Equal(t, []string{"part", "story", "limiter", "token-bucket:rate=2/s,burst=20", "servers", "8"}, at)
	for text, want := range map[string]string{
		"part":           `want FACTOR=VALUE,…, got "part"`,
		"=story":         `want FACTOR=VALUE,…, got "=story"`,
		`part="a"b,x=1`:  `after part="a" want a comma, got "b,x=1"`,
		"part=a,servers": `want FACTOR=VALUE,…, got "servers"`,
	} {
		_, err := ParsePlace(text)
		assert.EqualError(t, err, want)
	}
}

// What git keeps can be cited in a clone, where nothing was run.
func TestAnyClonesResultsAreCited(t *testing.T) {
	e, err := Lookup("boundary-burst")
	require.NoError(t, err)
	out := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(out, e.Name), 0o755))
	text, err := os.ReadFile(filepath.Join("..", "results", e.Name, "summary.csv"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(out, e.Name, "summary.csv"), text, 0o600))

	d, err := Published(e, out, "any")
	require.NoError(t, err)
	_, err = d.Cite("admitted", "part", "straddle")
	assert.ErrorContains(t, err, "name also")
	_, err = d.Cite("admited", "part", "straddle")
	assert.ErrorContains(t, err, `did you mean "admitted"`)
	c, err := d.Cite("admitted_in_blink", "part", "straddle", "limiter", "fixed-window", "limit", "100", "window", "1s")
	require.NoError(t, err)
	assert.Equal(t, "200", c.Text(1))
	assert.Equal(t, "part=straddle,limiter=fixed-window,limit=100,window=1s", c.At)
	assert.Len(t, c.SHA256, 64)

	_, err = Published(e, t.TempDir(), "any")
	var stale *StaleError
	require.ErrorAs(t, err, &stale)
	assert.ErrorContains(t, err, "run: ratelab run boundary-burst --out ")
}

func TestAPowerOfTenHasItsOwnPlace(t *testing.T) {
	for place := -300; place <= 300; place++ {
		x, err := strconv.ParseFloat(fmt.Sprintf("1e%d", place), 64)
		require.NoError(t, err)
		assert.Equal(t, place, exponent(x), "%g", x)
		assert.Equal(t, place, exponent(-2*x), "%g", -2*x)
		assert.Equal(t, place-1, exponent(math.Nextafter(x, 0)), "below %g", x)
	}
}

func TestNamesInASentence(t *testing.T) {
	assert.Empty(t, andLast(nil))
	assert.Equal(t, "a", andLast([]string{"a"}))
	assert.Equal(t, "a and b", andLast([]string{"a", "b"}))
	assert.Equal(t, "a, b and c", andLast([]string{"a", "b", "c"}))
}
