package sweep

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// world is a point: some factors have numbers, some durations, some texts, and one does not apply.
func world(factor string) string {
	return map[string]string{
		"servers": "4", "rate": "2.5", "tiny": "1e-06", "window": "1m30s", "gap": "100ms", "limiter": "gcra",
		"round-trip": "20ms", "round": "3", "trip": "1",
	}[factor]
}

func TestFormulasAreExact(t *testing.T) {
	for text, want := range map[string]string{
		"{2*rate}":                "5",
		"{rate}":                  "2.5",
		"{0.1+0.2}":               "0.3",
		"{1/8}":                   "0.125",
		"{servers - 1 - 1}":       "2",
		"{servers / 2 / 2}":       "1",
		"{1+2*servers}":           "9",
		"{(1+2)*servers}":         "12",
		"{-servers}":              "-4",
		"{--servers}":             "4",
		"{2*-servers}":            "-8",
		"{tiny*1000000}":          "1",
		"{tiny}":                  "1e-06", // what stands alone stays as it is written
		"{floor(rate)}":           "2",
		"{ceil(rate)}":            "3",
		"{floor(-rate)}":          "-3",
		"{ceil(-rate)}":           "-2",
		"{floor(servers)}":        "4",
		"{min(servers,rate,3)}":   "2.5",
		"{max(servers, rate)}":    "4",
		"{floor(servers/3)}":      "1",
		"{9999999999999999999*3}": "29999999999999999997",
		"{window}":                "1m30s",
		"{2*window}":              "3m",
		"{window/4}":              "22.5s",
		"{window/1s*rate}":        "225",
		"{window+gap}":            "1m30.1s",
		"{gap - window}":          "-1m29.9s",
		"{max(window,1h)}":        "1h",
		"{limiter}":               "gcra",
		"{'a b'}":                 "a b",
		"{round-trip}":            "20ms", // a name may hold dashes
		"{round - trip}":          "2",
		"{limiter}:rate={rate}/s,burst={2*servers}": "gcra:rate=2.5/s,burst=8",
	} {
		f, err := parseFormula(text)
		require.NoError(t, err, text)
		got, err := f.at(world)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, got, text)
		}
	}
}

func TestFormulasThatCanNotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"{":                                    "{ without }; a formula is written {2*rate}",
		"2*rate}":                              "} without {; a formula is written {2*rate}",
		"{}":                                   `expression "": it ends where a number, a duration, a factor, a 'text' or ( should be`,
		"{2*}":                                 `expression "2*": it ends where a number, a duration, a factor, a 'text' or ( should be`,
		"{2rate}":                              `expression "2rate": "2rate" is neither a number like 0.5 nor a duration like 250ms; a product is written 2*x`,
		"{2 rate}":                             `expression "2 rate": want the end, or an operator like + or <=, got "rate"`,
		"{rate^2}":                             `want the end, or an operator like + or <=, got "^"`,
		"{(rate}":                              "it ends where ) should be",
		"{rate)}":                              `want the end, or an operator like + or <=, got ")"`,
		"{sqrt(rate)}":                         `unknown function "sqrt"; known: ceil, floor, max, min`,
		"{floor(1,2)}":                         "floor takes one value, got 2",
		"{floor()}":                            `want a number, a duration, a factor, a 'text' or (, got ")"`,
		"{min(rate 2)}":                        `want , or ), got "2"`,
		"{rate < 2}":                           `expression "rate < 2" is a comparison; a formula is a value, like {2*rate}`,
		"{'a}":                                 "the text 'a has no closing quote",
		"{1.2.3}":                              `"1.2.3" is neither a number`,
		"{%}":                                  `want a number, a duration, a factor, a 'text' or (, got "%"`,
		"{" + strings.Repeat("1+", 600) + "1}": "an expression may have 1000 bytes, got 1201",
	} {
		_, err := parseFormula(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestFormulasThatHaveNoValue(t *testing.T) {
	for text, want := range map[string]string{
		"{1/3}":                "1/3 is no finite decimal; want floor(…) or ceil(…)",
		"{1/(servers - 4)}":    "1 / 0: division by 0",
		"{limiter*2}":          `"gcra" is neither a number nor a duration`,
		"{-limiter}":           `"gcra" is neither a number nor a duration`,
		"{window*window}":      "1m30s * 1m30s: a duration times a duration is none",
		"{window+1}":           "1m30s + 1: one is a duration, the other a number",
		"{1/window}":           "1 / 1m30s: a number can not be divided by a duration; divide by window/1s",
		"{floor(window)}":      "floor takes a number, got 1m30s; window/1s is a duration as a number of seconds",
		"{min(window,2)}":      "2 < 1m30s: one is a duration, the other a number",
		"{1ns/2}":              "1/2 ns is not a whole number of nanoseconds within ±292 years",
		"{window*99999999999}": "is not a whole number of nanoseconds within ±292 years",
		"{absent}":             `factor "absent" does not apply there`,
		"{2*absent+1}":         `factor "absent" does not apply there`,
		"{-floor(absent)}":     `factor "absent" does not apply there`,
		"{max(1,absent)}":      `factor "absent" does not apply there`,
		"{99999999999999999999*99999999999999999999*10}": "has more than 40 digits",
	} {
		f, err := parseFormula(text)
		require.NoError(t, err, text)
		_, err = f.at(world)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestComparisonsHold(t *testing.T) {
	for text, want := range map[string]bool{
		"servers = 4":                             true,
		"servers == 4.0":                          true,
		"servers != 4":                            false,
		"servers*rate <= 10":                      true,
		"servers*rate < 10":                       false,
		"servers > 3 && rate > 3":                 false,
		"servers > 3 || rate > 3":                 true,
		"servers < 3 && rate > 3 || round >= 3":   true, // && binds more
		"servers < 3 && (rate > 3 || round >= 3)": false,
		"!(servers < 3)":                          true,
		"!servers < 3":                            true, // of the comparison
		"!!(servers < 3)":                         false,
		"window <= 1m30s":                         true,
		"window > 0":                              true,
		"window/gap = 900":                        true,
		"limiter = 'gcra'":                        true,
		`limiter == "gcra"`:                       true,
		"limiter != 'token-bucket'":               true,
		"limiter = 3":                             false,
		"servers = '4'":                           true, // as it is written
		"servers = '4.0'":                         false,
		"tiny = 0.000001":                         true,
		"absent < 3":                              false,
		"absent >= 3":                             false,
		"absent = 3":                              false,
		"absent != 3":                             true,
		"absent = ''":                             true,
		"absent != ''":                            false,
		"limiter != ''":                           true,
		"2*absent <= 100":                         false,
		"absent = '' || absent <= 8":              true,
		"servers = 4 || limiter < 3":              true, // what does not count is not computed
		"servers = 5 && limiter < 3":              false,
		"min(servers,rate)*2 = 5":                 true,
		"gap<window&&window<1h":                   true,
		"round - trip = 2":                        true,
		"limiter = 'a' || rate = 5/2":             true,
		"-servers < -3":                           true,
		"servers <= 4 && servers >= 4 ":           true,
	} {
		e, err := parseExpression(text)
		require.NoError(t, err, text)
		require.True(t, e.truth, text)
		v, err := e.eval(world)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, v.truth, text)
		}
	}
}

func TestComparisonsThatMeanNothing(t *testing.T) {
	for text, want := range map[string]string{
		"1 < servers < 8":           "comparisons do not chain; write 1 < x && x < 8 for 1 < x < 8",
		"servers < 3 & rate > 2":    `want the end, or an operator like + or <=, got "&"; and is &&, or is ||`,
		"servers && rate":           "&& joins comparisons, like a < 2 && b < 3",
		"servers < 3 || rate":       "|| joins comparisons, like a < 2 || b < 3",
		"!servers":                  "! turns a comparison around, like !(a < 2)",
		"(servers < 3) + 1 = 2":     "+ computes with values, not with comparisons",
		"-(servers < 3) = 2":        "- computes with values, not with comparisons",
		"(servers < 3) = (1 < 2)":   "= compares values, not comparisons",
		"min((servers < 3), 2) = 2": "min takes values, not comparisons",
		"servers <":                 "it ends where a number, a duration, a factor, a 'text' or ( should be",
		"servers => 3":              `want a number, a duration, a factor, a 'text' or (, got ">"`,
		"servers in (1, 2)":         `got "in"`,
		"rate < 3 and servers < 5":  `got "and"`,
	} {
		_, err := parseExpression(text)
		assert.ErrorContains(t, err, want, text)
	}
	for text, want := range map[string]string{
		"limiter < 3":   `"gcra" < 3: only numbers and durations have an order`,
		"limiter < 'x'": `"gcra" < "x": only numbers and durations have an order`,
		"window < 3":    "1m30s < 3: one is a duration, the other a number",
		"window = 90":   "1m30s = 90: one is a duration, the other a number",
		"limiter*2 = 4": `"gcra" is neither a number nor a duration`,
	} {
		e, err := parseExpression(text)
		require.NoError(t, err, text)
		_, err = e.eval(world)
		assert.EqualError(t, err, want, text)
	}
}

// Sums, differences and products of drawn expressions against big.Rat itself.
func TestArithmeticAgreesWithRationals(t *testing.T) {
	type term struct {
		text string
		x    *big.Rat
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func() term {
			text := rapid.StringMatching(`[0-9]{1,4}(\.[0-9]{1,3})?`).Draw(t, "number")
			x, _ := new(big.Rat).SetString(text)
			return term{text, x}
		}
		at := draw()
		for range rapid.IntRange(0, 6).Draw(t, "operations") {
			b := draw()
			switch rapid.SampledFrom([]string{"+", "-", "*"}).Draw(t, "operator") {
			case "+":
				at = term{"(" + at.text + "+" + b.text + ")", new(big.Rat).Add(at.x, b.x)}
			case "-":
				at = term{"(" + at.text + " - " + b.text + ")", new(big.Rat).Sub(at.x, b.x)}
			case "*":
				at = term{b.text + "*" + at.text, new(big.Rat).Mul(at.x, b.x)}
			}
		}
		e, err := parseExpression(at.text)
		require.NoError(t, err)
		v, err := e.eval(world)
		require.NoError(t, err)
		require.Zero(t, at.x.Cmp(v.x), at.text)
		if text, err := v.write(); err == nil {
			back, _ := new(big.Rat).SetString(text)
			require.Zero(t, at.x.Cmp(back), "what is written is the value: %s", text)
		}
	})
}

func TestLongNestedExpressionsTakeNoLongTime(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("-", 990) + "1",
		strings.Repeat("(", 400) + "1" + strings.Repeat(")", 400),
		strings.Repeat("floor(", 140) + "1" + strings.Repeat(")", 140),
		strings.Repeat("!", 900) + "(1<2)",
		strings.Repeat("9*", 490) + "9",
	} {
		e, err := parseExpression(text)
		require.NoError(t, err)
		_, err = e.eval(world)
		require.NoError(t, err)
	}
}

func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		"servers*rate <= 100 && limiter != 'gcra'", "-(1+2)*3/4", "min(rate, 1m)", "floor(window/1s)", "a || b", "1e5", "((", "'", "\"x\" = absent",
		"!!!1<2", "1<2<3", "µ", "..", "1..2", "9s/1ns", "&& ||",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseExpression(text)
		if err != nil {
			return
		}
		v, err := e.eval(world)
		if err != nil {
			return
		}
		require.Equal(t, e.truth, v.kind == aTruth)
		if v.x != nil {
			if text, err := v.write(); err == nil {
				require.Zero(t, v.x.Cmp(readValue(text).x), "what is written is the value: %s", text)
			}
		}
		again, err := e.eval(world)
		require.NoError(t, err)
		require.Equal(t, v.truth, again.truth)
	})
}
