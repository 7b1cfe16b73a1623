package sweep

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/plots/table"
)

func axis(factor string, values ...string) Axis { return Axis{Factor: factor, Values: values} }

func TestZippedAxesGoValueByValue(t *testing.T) {
	p := tiny(Grid{axis("wait", "1s", "2s"), Zip(axis("rule", "a", "b"), axis("servers", "10", "20"))})
	assert.Equal(t, []string{"rule=a,servers=10,wait=1s", "rule=a,servers=10,wait=2s", "rule=b,servers=20,wait=1s", "rule=b,servers=20,wait=2s"}, keys(t, p))
}

func TestFormulasAreComputedAtEachPoint(t *testing.T) {
	p := tiny(Grid{axis("wait", "{servers*1s}", "{2*servers*1s}"), axis("servers", "1", "3")})
	assert.Equal(t, []string{"servers=1,wait=1s", "servers=1,wait=2s", "servers=3,wait=3s", "servers=3,wait=6s"}, keys(t, p))
	p = tiny(Grid{axis("rule", "n{servers}")})
	assert.Equal(t, []string{"rule=n1,servers=1"}, keys(t, p), "from a default")
}

func TestFunctionsComputeAValueAtEachPoint(t *testing.T) {
	p := tiny(Grid{{Factor: "rule", From: func(get func(string) string) (string, error) { return strings.Repeat("x", len(get("servers"))), nil }}, axis("servers", "1", "10", "20")})
	assert.Equal(t, []string{"rule=x,servers=1", "rule=xx,servers=10", "rule=xx,servers=20"}, keys(t, p))
}

func TestWhatIsComputedMayBeComputedFromWhatIsComputed(t *testing.T) {
	p := tiny(Grid{axis("rule", "{wait}!"), axis("wait", "{servers*10ms}"), axis("servers", "1", "2")})
	assert.Equal(t, []string{"rule=10ms!,servers=1,wait=10ms", "rule=20ms!,servers=2,wait=20ms"}, keys(t, p))
}

func TestZippedValuesMayBeFormulas(t *testing.T) {
	p := tiny(Grid{Zip(axis("servers", "1", "2"), axis("wait", "{servers*1s}", "{servers*1m}"))})
	assert.Equal(t, []string{"servers=1,wait=1s", "servers=2,wait=2m"}, keys(t, p))
}

func TestComputedColumnsKnowTheirValues(t *testing.T) {
	p := tiny(Grid{axis("wait", "{2*servers}"), axis("servers", "9", "10")})
	require.Equal(t, table.Number, p.RunsColumns()[2].Type, "all computed values are numbers")
	assert.Equal(t, []string{"servers=9,wait=18", "servers=10,wait=20"}, keys(t, p), "and sorted as numbers")
	m, err := NewManifest(p)
	require.NoError(t, err)
	assert.Equal(t, axis("wait", "18", "20"), m.Grid[2], "the manifest has the values, not the formula")
}

func TestAxesThatCanNotBe(t *testing.T) {
	self := Axis{Factor: "rule", From: func(get func(string) string) (string, error) { return get("rule"), nil }}
	for name, c := range map[string]struct {
		grid Grid
		want string
	}{
		"unequal":           {Grid{Zip(axis("rule", "a", "b"), axis("servers", "1"))}, `factors that go value by value need equally many: "rule" has 2, "servers" has 1`},
		"with itself":       {Grid{Zip(axis("rule", "a"), axis("rule", "b"))}, `factor "rule" is zipped with itself`},
		"zip and alone":     {Grid{Zip(axis("rule", "a"), axis("servers", "1")), axis("servers", "2")}, `a grid names factor "servers" twice`},
		"zipped function":   {Grid{Zip(axis("servers", "1"), self)}, `factor "rule" is zipped with others: give its values as a list`},
		"values, function":  {Grid{{Factor: "rule", Values: []string{"a"}, From: self.From}}, `factor "rule" has values and a function that computes them; want one`},
		"from itself":       {Grid{self}, `factor "rule" is computed from itself`},
		"formula of itself": {Grid{axis("rule", "{rule}x")}, `factor "rule" is computed from itself`},
		"from each other":   {Grid{axis("rule", "{wait}"), axis("wait", "{rule}")}, `factors "rule" and "wait" are computed from each other`},
		"unknown":           {Grid{axis("rule", "{server}")}, `factor "rule": value "{server}": expression "server": unknown factor "server" (did you mean "servers"?); known: rule, servers, wait; a text is quoted: 'server'`},
		"unknown, dash":     {Grid{axis("rule", "{servers-1}")}, "a difference has blanks around its minus"},
		"unknown, function": {Grid{{Factor: "rule", From: func(get func(string) string) (string, error) { return get("server"), nil }}}, `factor "rule" is computed from an unknown factor "server"`},
		"function fails":    {Grid{{Factor: "rule", From: func(func(string) string) (string, error) { return "", errors.New("no luck") }}}, `factor "rule": a function: no luck, at servers=1`},
		"absent":            {Grid{axis("rule", "{wait}")}, `factor "rule": {wait}: factor "wait" does not apply there, at servers=1`},
		"bad braces":        {Grid{axis("rule", "{wait")}, `factor "rule": value "{wait": { without }`},
	} {
		_, err := tiny(c.grid).Cells()
		assert.ErrorContains(t, err, c.want, name)
	}
}

func TestComputedValuesAreCheckedLikeOthers(t *testing.T) {
	p := tiny(Grid{axis("wait", "{servers}s"), axis("servers", "1", "2")})
	p.Factors[2].Check = func(v string) error {
		if v == "2s" {
			return errors.New("too long")
		}
		return nil
	}
	_, err := p.Cells()
	assert.EqualError(t, err, `factor "wait": {servers}s is "2s": too long, at servers=2,wait=2s`)
	require.NoError(t, p.Constrain("servers < 2"))
	assert.Equal(t, []string{"servers=1,wait=1s"}, keys(t, p), "what a constraint drops need not be right")
}

func TestAFormulaWithoutAValueIsNoPointThatIsDropped(t *testing.T) {
	p := tiny(Grid{axis("wait", "{1s/(servers - 1)}"), axis("servers", "1", "2")})
	p.Where = func(get func(string) string) bool { return get("wait") != "" }
	_, err := p.Cells()
	assert.ErrorContains(t, err, `factor "wait": {1s/(servers - 1)}: `)
	assert.ErrorContains(t, err, "division by 0, at servers=1")
	require.NoError(t, p.Constrain("servers > 1"))
	assert.Equal(t, []string{"servers=2,wait=1s"}, keys(t, p))

	p = tiny(Grid{axis("wait", "{servers/2}s"), axis("servers", "1", "2")})
	p.Where = func(get func(string) string) bool { return get("wait") != "" }
	p.Factors[2].Check = func(v string) error {
		if v == "0.5s" {
			return errors.New("too short")
		}
		return nil
	}
	_, err = p.Cells()
	assert.EqualError(t, err, `factor "wait": {servers/2}s is "0.5s": too short, at servers=1,wait=0.5s`)
	require.NoError(t, p.Constrain("wait >= 1s"))
	assert.Equal(t, []string{"servers=2,wait=1s"}, keys(t, p), "a condition sees the value")
}

func TestConditionsKeepPoints(t *testing.T) {
	p := tiny(Grid{axis("rule", "a", "b"), axis("servers", "1", "2", "8")}, Grid{axis("wait", "3s")})
	before := *p
	require.NoError(t, p.Constrain("servers <= 2 && rule != ''"))
	assert.Equal(t, []string{"rule=a,servers=1", "rule=a,servers=2", "rule=b,servers=1", "rule=b,servers=2"}, keys(t, p))
	require.NoError(t, p.Constrain("rule = 'b' || servers = 1"))
	assert.Equal(t, []string{"rule=a,servers=1", "rule=b,servers=1", "rule=b,servers=2"}, keys(t, p), "all of them hold")
	assert.Len(t, keys(t, &before), 7, "a copy of the plan is its own")
	require.NoError(t, p.Override("servers", []string{"2", "64"}))
	assert.Equal(t, []string{"rule=b,servers=2"}, keys(t, p), "a value that a condition drops was asked to be dropped")
}

func TestConditionsThatMeanNothingAreRefused(t *testing.T) {
	p := tiny(Grid{axis("rule", "a", "b")})
	for condition, want := range map[string]string{
		"servers":      `expression "servers" is a value; want a comparison, like servers*burst <= 100`,
		"1 < 2":        `expression "1 < 2" names no factor: it would keep all points or none`,
		"server < 2":   `expression "server < 2": unknown factor "server" (did you mean "servers"?); known: rule, servers, wait; a text is quoted: 'server'`,
		"rule == gcra": `a text is quoted: 'gcra'`,
		"":             `it ends where`,
	} {
		assert.ErrorContains(t, p.Constrain(condition), want, condition)
	}
	require.NoError(t, p.Constrain("servers > 1"))
	_, err := p.Cells()
	assert.EqualError(t, err, `plan "tiny": "servers > 1" keeps none of its 2 points`)
	p = tiny(Grid{axis("rule", "a", "b")})
	require.NoError(t, p.Constrain("rule > 1"))
	_, err = p.Cells()
	assert.EqualError(t, err, `expression "rule > 1": "a" > 1: only numbers and durations have an order, at rule=a,servers=1`)
}

func TestOverrideOfZippedAndComputedFactors(t *testing.T) {
	zipped := func() *Plan {
		return tiny(Grid{Zip(axis("rule", "a", "b"), axis("servers", "1", "2"))}, Grid{axis("wait", "1s")})
	}
	p := zipped()
	assert.EqualError(t, p.Override("servers", []string{"4"}),
		`factors "rule" and "servers" go value by value here: set them together, as in rule=…,… & servers=…,…`)
	require.NoError(t, p.OverrideZipped(axis("servers", "4", "5"), axis("rule", "c", "d")))
	assert.Equal(t, []string{"servers=1,wait=1s", "rule=c,servers=4", "rule=d,servers=5"}, keys(t, p))
	require.NoError(t, p.OverrideZipped(axis("servers", "6"), axis("rule", "e"), axis("wait", "9s")))
	assert.Equal(t, []string{"rule=e,servers=6,wait=9s"}, keys(t, p), "the last one counts")

	p = tiny(Grid{axis("rule", "a", "b"), axis("wait", "{servers*1s}")}, Grid{axis("rule", "c")})
	require.NoError(t, p.Override("servers", []string{"3"}))
	assert.Equal(t, []string{"rule=a,servers=3,wait=3s", "rule=b,servers=3,wait=3s", "rule=c,servers=3"}, keys(t, p), "what is computed follows")
	require.NoError(t, p.Override("wait", []string{"7s"}))
	assert.Equal(t, []string{"rule=a,servers=3,wait=7s", "rule=b,servers=3,wait=7s", "rule=c,servers=3"}, keys(t, p), "values take the place of what is computed")
	require.NoError(t, p.Override("wait", []string{"{servers*2s}"}))
	assert.Equal(t, []string{"rule=a,servers=3,wait=6s", "rule=b,servers=3,wait=6s", "rule=c,servers=3"}, keys(t, p), "and formulas the place of values")
	require.NoError(t, p.OverrideZipped(axis("servers", "1", "2"), axis("rule", "x", "y")))
	assert.Equal(t, []string{"rule=x,servers=1", "rule=x,servers=1,wait=2s", "rule=y,servers=2", "rule=y,servers=2,wait=4s"}, keys(t, p))

	for want, err := range map[string]error{
		`no factors given`:                            p.OverrideZipped(),
		`factor "rule": no values given`:              p.OverrideZipped(axis("rule"), axis("servers")),
		`unknown factor "ruel"`:                       p.OverrideZipped(axis("ruel", "a"), axis("servers", "1")),
		`"rule" has 1, "servers" has 2`:               p.OverrideZipped(axis("rule", "a"), axis("servers", "1", "2")),
		`expression "2*": it ends where`:              p.Override("wait", []string{"{2*}"}),
		`unknown factor "server" (did you mean "serv`: p.Override("wait", []string{"{server}"}),
	} {
		assert.ErrorContains(t, err, want)
	}
}

func TestAnOverriddenRowThatNoCellHasIsAnError(t *testing.T) {
	p := tiny(Grid{axis("rule", "a", "b"), axis("servers", "1", "2")})
	p.Where = func(get func(string) string) bool { return get("rule") != "b" || get("servers") != "4" }
	require.NoError(t, p.OverrideZipped(axis("rule", "a", "b"), axis("servers", "4", "4")))
	_, err := p.Cells()
	assert.EqualError(t, err, `factor "rule & servers": no cell has value "b & 4": it goes with none of the values of the other factors`)
}

func TestParseSettingReads(t *testing.T) {
	for text, want := range map[string][]Axis{
		"servers=1,2":                  {axis("servers", "1", "2")},
		" servers = 1..4 *2 ":          {axis("servers", "1", "2", "4")},
		"burst={2*rate}":               {axis("burst", "{2*rate}")},
		"burst={min(rate,3)},7":        {axis("burst", "{min(rate,3)}", "7")},
		"rate=1,2 & burst=10,20":       {axis("rate", "1", "2"), axis("burst", "10", "20")},
		"rate=1..2 step 1 & burst=3,4": {axis("rate", "1", "2"), axis("burst", "3", "4")},
		"limiter=gcra:rate=1/s,burst=2 ; log:limit=3,window=1s & servers=1,2": {axis("limiter", "gcra:rate=1/s,burst=2", "log:limit=3,window=1s"), axis("servers", "1", "2")},
		"limiter=gcra:rate={rate}/s,burst={max(2,rate)}":                      {axis("limiter", "gcra:rate={rate}/s,burst={max(2,rate)}")},
		"log=trace:file=a&b=c.csv":                                            {axis("log", "trace:file=a&b=c.csv")}, // no blank before it
		"log=a & b":                                                           {axis("log", "a & b")},                // no setting behind it
		"a=1 & b=2 & c=3":                                                     {axis("a", "1"), axis("b", "2"), axis("c", "3")},
	} {
		got, err := ParseSetting(text)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, got, text)
		}
	}
}

func TestParseSettingRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                       `takes FACTOR=VALUE,VALUE…, got ""`,
		"servers":                `takes FACTOR=VALUE,VALUE…, got "servers"`,
		"=3":                     `takes FACTOR=VALUE,VALUE…, got "=3"`,
		"rate,burst=1,10 ; 2,20": `"rate,burst" is no factor; factors whose values go together are written rate=1,2 & burst=10,20`,
		"rate|burst=1|10":        `"rate|burst" is no factor; factors whose values go together`,
		"rate=1,2 & burst=10":    `factors that go value by value need equally many: "rate" has 2, "burst" has 1`,
		"rate=1 & rate=2":        `factor "rate" is zipped with itself`,
		"rate=1 & burst=":        "burst: values: none given",
		"burst={2*rate":          `burst: values "{2*rate": value "{2*rate": { without }`,
		"burst={2*rate}},{rate}": `} without {`,
		"burst={rate..2}":        `got "..2"`,
		"burst=1..{rate} step 1": `the end must be a decimal number, got "{rate}"`,
	} {
		_, err := ParseSetting(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func FuzzParseSetting(f *testing.F) {
	for _, text := range []string{"a=1,2 & b=3,4", "a={2*b},{min(b,1)}", "a=b:c={d},e=f ; g", "a=1..8 *2 & b={a},{a},{a},{a}", "&", "a=& b=", "{=}", "a={'&'} & b=1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		axes, err := ParseSetting(text)
		if err != nil {
			return
		}
		for _, a := range axes {
			require.NotEmpty(t, a.Factor)
			require.Len(t, a.Values, len(axes[0].Values))
			for _, v := range a.Values {
				_, err := parseFormula(v)
				require.NoError(t, err)
			}
		}
	})
}
