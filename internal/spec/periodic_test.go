package spec

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPeriodicRatesKeepTheirPeriod(t *testing.T) {
	for _, c := range []struct {
		text     string
		num, den int64
		every    time.Duration
		back     string
	}{
		{"100/m", 100, 1, time.Minute, "100/m"},
		{"5/3s", 5, 1, 3 * time.Second, "5/3s"},
		{"0.5/s", 1, 2, time.Second, "0.5/s"},
		{"100/3/m", 100, 3, time.Minute, "100/3/m"},
		{"6/4/1m30s", 3, 2, 90 * time.Second, "1.5/1m30s"},
		{"300/3/m", 100, 1, time.Minute, "100/m"},
		{"1/7/us", 1, 7, time.Microsecond, "1/7/us"},
	} {
		t.Run(c.text, func(t *testing.T) {
			p, err := ParsePeriodic(c.text)
			require.NoError(t, err)
			assert.Equal(t, Periodic{c.num, c.den, c.every}, p)
			assert.Equal(t, c.back, p.String())
		})
	}
	assert.Equal(t, "0/s", Periodic{}.String())
	assert.Equal(t, Rate{}, Periodic{}.Rate(), "what a refused text leaves behind")
}

func TestBadPeriodicRatesSayWhatWouldBeRight(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "must be <number>/<duration>",
		"10":                     "must be <number>/<duration>",
		"0/s":                    "must be > 0, got 0/s",
		"10/w":                   "period must be a duration",
		"1/2/3/s":                "or a ratio of whole numbers like 100/3/m",
		"1.5/2/s":                "or a ratio of whole numbers",
		"1/0/s":                  "or a ratio of whole numbers",
		"0/1/s":                  "or a ratio of whole numbers",
		"1/-1/s":                 "or a ratio of whole numbers",
		"1/2/-1s":                "or a ratio of whole numbers",
		"1/9007199254740991/s":   "use a coarser rate",
		"9007199254740991/ns/ns": "or a ratio of whole numbers",
		"9007199254740991/2ns":   "",
		"4503599627370497/3/ns":  "",
	} {
		t.Run(text, func(t *testing.T) {
			p, err := ParsePeriodic(text)
			if want == "" {
				require.NoError(t, err)
				require.Equal(t, text, p.String())
				return
			}
			require.ErrorContains(t, err, want)
		})
	}
}

func TestEveryPeriodicRateIsReadBackAndScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rates.Draw(t, "rate")
		every := time.Duration(rapid.Int64Range(1, 1e15).Draw(t, "every"))
		p, err := newPeriodic(r, every, "drawn")
		if err != nil {
			t.Skip("beyond 2^53")
		}
		require.Equal(t, r, p.Rate())
		back, err := ParsePeriodic(p.String())
		require.NoError(t, err, p.String())
		require.Equal(t, p, back)
		if third, err := p.Times(1, 3); err == nil {
			require.Equal(t, every, third.Every)
			want := new(big.Rat).Mul(big.NewRat(p.Num, p.Den), big.NewRat(1, 3))
			require.Zero(t, want.Cmp(big.NewRat(third.Num, third.Den)))
		}
	})
}

func FuzzParsePeriodic(f *testing.F) {
	for _, s := range []string{"100/m", "100/3/m", "0.5/s", "6/4/1m30s", "1/0/s", "//", "1/2/3/s", "1/7/us"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePeriodic(text)
		if err != nil {
			return
		}
		back, err := ParsePeriodic(p.String())
		require.NoError(t, err)
		require.Equal(t, p, back)
		if strings.Count(text, "/") == 1 {
			r, err := ParseRate(text)
			require.NoError(t, err)
			require.Equal(t, r, p.Rate())
		}
	})
}
