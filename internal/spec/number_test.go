package spec

import (
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRatesAreReadExactly(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int64
		p    time.Duration
		back string
	}{
		{"10/s", 1, 100 * time.Millisecond, "10/s"},
		{"0.5/s", 1, 2 * time.Second, "30/m"},
		{".5/s", 1, 2 * time.Second, "30/m"},
		{"100/1m30s", 1, 900 * time.Millisecond, "4000/h"},
		{"10/13s", 1, 1300 * time.Millisecond, "10/13s"},
		{"1/3s", 1, 3 * time.Second, "20/m"},
		{"7/d", 7, 24 * time.Hour, "7/d"},
		{"1000000000/s", 1, 1, "1000000000/s"},
		{"3/ns", 3, 1, "3000000000/s"},
		{"0.000001/s", 1, 1e6 * time.Second, "1/1000000s"},
		{"1/1.000000001s", 1, 1000000001, "1/1.000000001s"},
		{"9007199254740991/ns", MaxCount, 1, "9007199254740991/1ns"},
		{"1/9007199254740991ns", 1, MaxCount, "1/2501h59m59.254740991s"},
	} {
		t.Run(c.text, func(t *testing.T) {
			r, err := ParseRate(c.text)
			require.NoError(t, err)
			assert.Equal(t, Rate{N: c.n, P: c.p}, r)
			again, err := ParseRate(r.String())
			require.NoError(t, err, "printed as %s", r)
			assert.Equal(t, r, again)
			same, err := ParseRate(c.back)
			require.NoError(t, err)
			assert.Equal(t, r, same)
		})
	}
	assert.Equal(t, "10/s", Rate{1, 100 * time.Millisecond}.String())
	assert.Equal(t, "30/m", Rate{1, 2 * time.Second}.String(), "the shortest period with a whole number")
	assert.Equal(t, "1/1.3s", Rate{1, 1300 * time.Millisecond}.String())
}

func TestBadRatesSayWhatWouldBeRight(t *testing.T) {
	const form = "must be <number>/<duration> like 10/s"
	for text, want := range map[string]string{
		"":                             form,
		"10":                           form,
		"/s":                           form,
		"ten/s":                        form,
		"1e3/s":                        form,
		"+1/s":                         form,
		"1.2.3/s":                      form,
		"--1/s":                        form,
		"1_000/s":                      form,
		"10/":                          `period must be a duration like 250ms, 1m30s or 1d (units ns, us, ms, s, m, h, d), got ""`,
		"10/w":                         `period must be a duration`,
		"10/+1s":                       `got "+1s"`,
		"10/s/s":                       `got "s/s"`,
		"1/0.5ns":                      `period must be a whole number of nanoseconds, got "0.5ns"`,
		"0/s":                          "must be > 0, got 0/s",
		"-1/s":                         "must be > 0, got -1/s",
		"1/0":                          "must be > 0, got 1/0",
		"1/-1s":                        "must be > 0, got 1/-1s",
		"9007199254740993/ns":          "use a coarser rate",
		"1/9007199254740993ns":         "use a coarser rate",
		"1.00000000000000001/s":        "use a coarser rate",
		strings.Repeat("1", 41) + "/s": form,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := ParseRate(text)
			require.ErrorContains(t, err, want)
		})
	}
}

// rates draws any rate that can be written: reduced, both parts in 1..MaxCount.
var rates = rapid.Custom(func(t *rapid.T) Rate {
	q := big.NewRat(rapid.Int64Range(1, MaxCount).Draw(t, "N"), rapid.Int64Range(1, MaxCount).Draw(t, "P"))
	return Rate{N: q.Num().Int64(), P: time.Duration(q.Denom().Int64())}
})

func TestEveryRateIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rates.Draw(t, "rate")
		back, err := ParseRate(r.String())
		if err != nil || back != r {
			t.Fatalf("%#v is printed as %q, read back as %#v (%v)", r, r.String(), back, err)
		}
	})
}

func TestTimesIsExactOrFails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rates.Draw(t, "rate")
		num, den := rapid.Int64Range(1, 1<<20).Draw(t, "num"), rapid.Int64Range(1, 1<<20).Draw(t, "den")
		want := new(big.Rat).Mul(big.NewRat(r.N, int64(r.P)), big.NewRat(num, den))
		got, err := r.Times(num, den)
		fits := want.Num().Cmp(big.NewInt(MaxCount)) <= 0 && want.Denom().Cmp(big.NewInt(MaxCount)) <= 0
		if fits != (err == nil) {
			t.Fatalf("%v × %d/%d: fits %v, error %v", r, num, den, fits, err)
		}
		if fits && want.Cmp(big.NewRat(got.N, int64(got.P))) != 0 {
			t.Fatalf("%v × %d/%d = %v, want %v", r, num, den, got, want)
		}
	})
	for _, ratio := range [][2]int64{{0, 1}, {1, 0}, {-1, 1}, {1, -1}} {
		_, err := Rate{1, 1}.Times(ratio[0], ratio[1])
		assert.ErrorContains(t, err, "positive ratio")
	}
}

func TestPerSecondIsTheNearestFloat(t *testing.T) {
	assert.Equal(t, 10.0, Rate{1, 100 * time.Millisecond}.PerSecond())
	assert.Equal(t, 1.0/3, Rate{1, 3 * time.Second}.PerSecond())
	assert.Equal(t, float64(MaxCount)*1e9, Rate{MaxCount, 1}.PerSecond())
	assert.Zero(t, Rate{}.PerSecond())
}

func TestDurationsAreReadExactly(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0":                           0,
		"-0":                          0,
		"0s":                          0,
		"1ns":                         1,
		"1us":                         1000,
		"1µs":                         1000,
		"1μs":                         1000,
		"250ms":                       250 * time.Millisecond,
		"1.5s":                        1500 * time.Millisecond,
		".5s":                         500 * time.Millisecond,
		"1m30s":                       90 * time.Second,
		"-1m30s":                      -90 * time.Second,
		"1d":                          24 * time.Hour,
		"1d2h3m4s5ms6us7ns":           26*time.Hour + 3*time.Minute + 4005006007,
		"0.1h":                        6 * time.Minute,
		"0.000000001s":                1,
		"0.5ns0.5ns":                  1, // the sum is whole
		"2562047h47m16.854775807s":    math.MaxInt64,
		"-2562047h47m16.854775808s":   math.MinInt64,
		"106751d":                     106751 * 24 * time.Hour,
		"9223372036854775807ns":       math.MaxInt64,
		"0000000000000000000000001ms": time.Millisecond,
	} {
		t.Run(text, func(t *testing.T) {
			d, err := ParseDuration(text)
			require.NoError(t, err)
			assert.Equal(t, want, d)
		})
	}
}

func TestBadDurationsSayWhatWouldBeRight(t *testing.T) {
	const form = "must be a duration like 250ms, 1m30s or 1d"
	for text, want := range map[string]string{
		"": form, "-": form, "--1s": form, "+1s": form, "1": form, "s": form, "1w": form, "1 s": form, "1s ": form,
		"1S": form, "1.2.3s": form, ".s": form, "1e3s": form, "1s-1s": form, "1d1": form, "1s\xff": form,
		strings.Repeat("0", 41) + "s": form,
		"0.5ns":                       "must be a whole number of nanoseconds",
		"9223372036854775808ns":       "must lie within ±2562047h47m16.854775807s",
		"-9223372036854775809ns":      "must lie within ±",
		"106752d":                     "must lie within ±",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := ParseDuration(text)
			require.ErrorContains(t, err, want)
		})
	}
}

func TestDurationsArePrintedShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1: "1ns", 90 * time.Second: "1m30s", time.Minute: "1m", time.Hour: "1h", 24 * time.Hour: "1d",
		36 * time.Hour: "36h", 10 * time.Minute: "10m", 70 * time.Minute: "1h10m", time.Hour + time.Second: "1h0m1s",
		-48 * time.Hour: "-2d", 250 * time.Millisecond: "250ms", 1500: "1.5µs",
	} {
		assert.Equal(t, want, FormatDuration(d))
	}
}

func TestEveryDurationIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64().Draw(t, "d"))
		d -= d % time.Duration(rapid.SampledFrom([]int64{1, 1e3, 1e6, 1e9, 60e9, 3600e9, 86400e9}).Draw(t, "unit"))
		for _, text := range []string{d.String(), FormatDuration(d)} {
			back, err := ParseDuration(text)
			if err != nil || back != d {
				t.Fatalf("%d ns is printed as %q, read back as %d (%v)", d, text, back, err)
			}
		}
	})
}

func TestCountsAndNumbers(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "1": 1, "007": 7, "9007199254740991": MaxCount, strings.Repeat("0", 99) + "5": 5} {
		n, err := ParseCount(text)
		require.NoError(t, err)
		assert.Equal(t, want, n)
	}
	for text, want := range map[string]string{
		"": "whole number >= 0", "-1": "whole number >= 0", "1.5": "whole number >= 0", "+1": "whole number", "1e3": "whole number", "٣": "whole number",
		"9007199254740992": "below 2^53", "99999999999999999999": "below 2^53",
	} {
		_, err := ParseCount(text)
		assert.ErrorContains(t, err, want, "%q", text)
	}
	for text, want := range map[string]float64{"0": 0, "0.5": 0.5, "-1.25": -1.25, ".1": 0.1, "2.": 2} {
		x, err := ParseNumber(text)
		require.NoError(t, err)
		assert.Equal(t, want, x)
	}
	for _, text := range []string{"", ".", "-", "1e3", "0x1", "NaN", "Inf", "1/2", "1_0", strings.Repeat("9", 41)} {
		_, err := ParseNumber(text)
		assert.ErrorContains(t, err, "must be a decimal number like 0.5, got", "%q", text)
	}
}

func FuzzParseRate(f *testing.F) {
	for _, s := range []string{"10/s", "0.5/s", "100/1m30s", "1/0", "-1/s", "/", "1/9007199254740991ns", "3/ns", "10/-s", "1/µs"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRate(text)
		if err != nil {
			return
		}
		require.True(t, 1 <= r.N && r.N <= MaxCount && 1 <= r.P && r.P <= MaxCount, "%q gives %#v", text, r)
		again, err := ParseRate(r.String())
		require.NoError(t, err)
		require.Equal(t, r, again)
		_, ok := new(big.Rat).SetString(strings.Split(text, "/")[0])
		require.True(t, ok, "%q is no number", text)
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"0", "1d", "-1m30s", "1.5s", "0.5ns", "1s1s", "9223372036854775808ns", "-9223372036854775808ns", "1µs", "1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDuration(text)
		// Where both read a text whose nanoseconds are whole, Go's reader agrees.
		if g, gerr := time.ParseDuration(text); gerr == nil && err == nil && !strings.Contains(text, ".") {
			require.Equal(t, g, d)
		}
		if err != nil {
			return
		}
		again, err := ParseDuration(FormatDuration(d))
		require.NoError(t, err)
		require.Equal(t, d, again)
	})
}
