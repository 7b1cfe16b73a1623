package logs

import (
	"math"
	"math/big"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSecondsAreReadExactly(t *testing.T) {
	for text, want := range map[string]int64{
		"0":                     0,
		"-0":                    0,
		"00":                    0,
		"12.5":                  12_500_000_000,
		"12.500000000":          12_500_000_000,
		"0.000000001":           1,
		"-0.000000001":          -1,
		"-1.5":                  -1_500_000_000,
		"0000000000000000001":   1_000_000_000,
		"1521911720.615923":     1521911720615923000,
		"9223372036.854775807":  math.MaxInt64,
		"-9223372036.854775808": math.MinInt64,
	} {
		got, err := ParseSeconds(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestSecondsThatAreNotExactAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                       `want decimal seconds like 12.5, got ""`,
		"-":                      "want decimal seconds",
		".":                      "want decimal seconds",
		".5":                     "want decimal seconds",
		"5.":                     "want decimal seconds",
		"+1":                     "want decimal seconds",
		"--1":                    "want decimal seconds",
		"1e3":                    "want decimal seconds",
		" 1":                     "want decimal seconds",
		"1 ":                     "want decimal seconds",
		"1.5s":                   "want decimal seconds",
		"0x10":                   "want decimal seconds",
		"NaN":                    "want decimal seconds",
		"Inf":                    "want decimal seconds",
		"1_000":                  "want decimal seconds",
		"1.2.3":                  "want decimal seconds",
		"١":                      "want decimal seconds",
		"0.0000000001":           "at most 9 decimals",
		"0.1000000000":           "at most 9 decimals",
		"9223372036.854775808":   "9223372036.854775807",
		"-9223372036.854775809":  "9223372036.854775807",
		"9223372037":             "9223372036.854775807",
		"18446744073.709551616":  "9223372036.854775807",
		"99999999999999999999.5": "9223372036.854775807",
	} {
		_, err := ParseSeconds(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestFormattedSecondsHaveNoTrailingZeros(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0", 1: "0.000000001", -1: "-0.000000001", 12_500_000_000: "12.5", 100: "0.0000001", 1_000_000_000: "1",
		-1_000_000_010: "-1.00000001", math.MaxInt64: "9223372036.854775807", math.MinInt64: "-9223372036.854775808",
	} {
		assert.Equal(t, want, FormatSeconds(ns))
	}
}

func TestFormattedSecondsReadBackTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64().Draw(t, "ns")
		back, err := ParseSeconds(FormatSeconds(ns))
		require.NoError(t, err)
		assert.Equal(t, ns, back)
	})
}

var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]{1,9})?$`)

// The oracle is big.Rat behind a regular expression.
func FuzzSeconds(f *testing.F) {
	for _, seed := range []string{"0", "-1.5", "9223372036.854775807", "-9223372036.854775808", "9223372036.854775808", ".", "1.0000000000", "00012.30"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseSeconds(text)
		if !decimal.MatchString(text) {
			require.Error(t, err)
			return
		}
		exact, ok := new(big.Rat).SetString(text)
		require.True(t, ok)
		exact.Mul(exact, big.NewRat(second, 1))
		require.True(t, exact.IsInt())
		if !exact.Num().IsInt64() {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, exact.Num().Int64(), got)
	})
}
