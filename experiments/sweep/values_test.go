package sweep

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseValuesReads(t *testing.T) {
	for text, want := range map[string][]string{
		"1":                 {"1"},
		"1,2,4,8":           {"1", "2", "4", "8"},
		" a , b ":           {"a", "b"},
		"1.50":              {"1.50"},
		"0.5..1.5 step 0.1": {"0.5", "0.6", "0.7", "0.8", "0.9", "1", "1.1", "1.2", "1.3", "1.4", "1.5"},
		"1..1024 *2":        {"1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1024"},
		"1..4*2":            {"1", "2", "4"},
		"-1 .. 1 step 0.5":  {"-1", "-0.5", "0", "0.5", "1"},
		"1..10 step 4":      {"1", "5", "9"},
		"1..3 *1.5":         {"1", "1.5", "2.25"},
		"0.1..1 *10":        {"0.1", "1"},
		"7..7 step 1":       {"7"},
		"1..5":              {"1", "2", "3", "4", "5"},
		"7..7":              {"7"},
		"1,2,4..16 *2,100":  {"1", "2", "4", "8", "16", "100"},
		"99999999999999999999..100000000000000000001 step 1": {"99999999999999999999", "100000000000000000000", "100000000000000000001"},
		"poisson:rate=1/s":                              {"poisson:rate=1/s"},
		"gcra:rate=1/s,burst=2":                         {"gcra:rate=1/s,burst=2"},
		"gcra:rate=1/s,burst=2 ; log:limit=2,window=1s": {"gcra:rate=1/s,burst=2", "log:limit=2,window=1s"},
		"local ; quota":                                 {"local", "quota"},
		"store-down=10s..20s":                           {"store-down=10s..20s"},
	} {
		got, err := ParseValues(text)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, got, text)
		}
	}
}

func TestParseValuesRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "none given",
		"  ":                   "none given",
		"1,,2":                 `values "1,,2": value 2 is empty`,
		"1,":                   "value 2 is empty",
		"a:b=1 ; ":             "value 2 is empty",
		"0.5..5":               "want 0.5..5 step 1 or 0.5..5 *2",
		"-1..5":                "how does it go on?",
		"8..4":                 "the end, 4, is below the start, 8",
		"1..x step 1":          `the end must be a decimal number, got "x"`,
		"1..5 step x":          `what it goes by must be a decimal number, got "x"`,
		"1..5 step":            `what it goes by must be a decimal number, got ""`,
		"1..5 step 0":          "a step must be above 0, got 0",
		"1..5 step -1":         "a step must be above 0, got -1",
		"5..1 step 1":          "the end, 1, is below the start, 5",
		"1..5 *1":              "a factor must be above 1, got 1",
		"0..5 *2":              "must start above 0, got 0",
		"0..10000 step 1":      "more than 10000 values",
		"1..2 *1.0000001":      "has more than 40 digits",
		"1..2 step 1 step 1":   `got "1 step 1"`,
		"1e3..1e4 *2,1..2..3":  "how does it go on?",
		"1..1e3 step 1":        `the end must be a decimal number, got "1e3"`,
		"0..0.1 step 0.000001": "more than 10000 values",
	} {
		got, err := ParseValues(text)
		if assert.ErrorContains(t, err, want, text) {
			assert.Nil(t, got, text)
		}
	}
}

func FuzzParseValues(f *testing.F) {
	for _, text := range []string{"1,2", "0.5..1.5 step 0.1", "1..1024 *2", "a:b=1,c=2 ; d", "..", "1..", "-0..0 step .1", "1..9 *1.1", ";", "a,b;"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, err := ParseValues(text)
		if err != nil {
			return
		}
		require.NotEmpty(t, values)
		for _, v := range values {
			require.NotEmpty(t, v)
			require.Equal(t, strings.TrimSpace(v), v)
		}
		if len(values) > 1 {
			again, err := ParseValues(strings.Join(values, " ; "))
			require.NoError(t, err)
			require.Equal(t, values, again)
		}
	})
}
