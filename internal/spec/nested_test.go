package spec

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func nestedRegistry() *Registry[int] {
	r := testRegistry()
	r.Register(Entry{Name: "half", Params: []Param{{Name: "of", Unit: "(door)"}, {Name: "share", Unit: "share", Default: "0.5"}}}, 4)
	return r
}

func TestSpecsStandInParentheses(t *testing.T) {
	for text, want := range map[string][]string{
		"half:(plain)":                                                    {"plain"},
		"half:(door:rate=1/s,burst=2),share=0.1":                          {"door:rate=1/s,burst=2"},
		"half:share=0.1,(door:rate=1/s,burst=2)":                          {"door:rate=1/s,burst=2"},
		"half: ( plain ) + (door:rate=1/s,burst=2)":                       {"plain", "door:rate=1/s,burst=2"},
		"half:(half:(door:rate=1/s,nodelay),share=0.2)+(plain),share=0.1": {"half:(door:rate=1/s,nodelay),share=0.2", "plain"},
	} {
		v, _, err := nestedRegistry().Parse(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, v.Nested("of"), text)
		require.NoError(t, v.Err())
		again, _, err := nestedRegistry().Parse(v.String())
		require.NoError(t, err, v.String())
		assert.Equal(t, want, again.Nested("of"), v.String())
		other, err := v.With("of", "(door:rate=9/s,burst=1)")
		require.NoError(t, err)
		assert.Equal(t, []string{"door:rate=9/s,burst=1"}, other.Nested("of"))
	}
}

func TestParenthesesAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"half":                      `limiter "half" needs of; write half:(door)[,share=…]`,
		"half:of=(plain)":           `limiter "half": of is written in parentheses, without its name; write half:(door)[,share=…]`,
		"half:(plain":               `limiter "half": of must be (name:param=value,…), in closed parentheses, or several joined by +, got "(plain"`,
		"half:()":                   `in closed parentheses, or several joined by +, got "()"`,
		"half:(plain)(plain)":       `limiter "half": of must have + between parentheses, got "(plain)(plain)"`,
		"half:(plain)+":             `in closed parentheses, or several joined by +, got "(plain)+"`,
		"half:(plain),(plain)":      `limiter "half": of is given twice`,
		"half:(((((((((a)))))))))":  `limiter "half": of must be at most 8 parentheses deep, got 9`,
		"door:rate=1/s,(plain)":     `limiter "door" has no parameter "(plain)"`,
		"door:rate=1/s,(a,nodelay)": `limiter "door" has no parameter "(a,nodelay)"`,
	} {
		_, _, err := nestedRegistry().Parse(text)
		assert.ErrorContains(t, err, want, text)
	}
	v, _, err := nestedRegistry().Parse("half:(plain)")
	require.NoError(t, err)
	_, err = v.With("of", "plain")
	assert.EqualError(t, err, `limiter "half": of must be (name:param=value,…), in closed parentheses, or several joined by +, got "plain"`)
}

func TestAParenthesisInAValueMeansNothing(t *testing.T) {
	v, _, err := nestedRegistry().Parse("file:name=a(b.csv,share=0.1")
	require.NoError(t, err)
	assert.Equal(t, "a(b.csv", v.Text("name"))
	assert.Equal(t, 0.1, v.Number("share"))
}

func TestRatiosAreExact(t *testing.T) {
	for text, want := range map[string][2]int64{"0.5": {1, 2}, "3": {3, 1}, "1.25": {5, 4}} {
		v, _, err := testRegistry().Parse("file:name=x,share=" + text)
		require.NoError(t, err)
		num, den := v.Ratio("share")
		require.NoError(t, v.Err())
		assert.Equal(t, want, [2]int64{num, den})
	}
	for text, want := range map[string]string{
		"0": "must be > 0, got 0", "-1": "must be > 0, got -1", "x": `must be a decimal number like 0.5, got "x"`,
		"9007199254740993": "must be a ratio of whole numbers below 2^53, got 9007199254740993",
	} {
		v, _, err := testRegistry().Parse("file:name=x,share=" + text)
		require.NoError(t, err)
		v.Ratio("share")
		assert.ErrorContains(t, v.Err(), want)
	}
}
