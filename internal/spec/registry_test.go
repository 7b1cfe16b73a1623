package spec

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func testRegistry() *Registry[int] {
	r := &Registry[int]{Kind: "limiter"}
	r.Register(Entry{Name: "plain"}, 1)
	r.Register(Entry{Name: "door", Params: []Param{
		{Name: "rate", Unit: "rate"},
		{Name: "burst", Unit: "requests", Default: "1"},
		{Name: "delay", Unit: "duration", Default: "0"},
		{Name: "rule", Unit: "fits|below", Default: "fits"},
		{Name: "nodelay", Unit: Flag},
	}}, 2)
	r.Register(Entry{Name: "file", Params: []Param{{Name: "name", Unit: "file"}, {Name: "share", Unit: "share", Default: "0.5"}}}, 3)
	return r
}

func TestParseKeepsTextsAndFillsDefaults(t *testing.T) {
	v, build, err := testRegistry().Parse(" door: burst=5 , rate=10/s,nodelay ")
	require.NoError(t, err)
	assert.Equal(t, 2, build)
	assert.Equal(t, "door:rate=10/s,burst=5,nodelay", v.String(), "declared order, given parameters only")
	assert.Equal(t, Rate{1, 100 * time.Millisecond}, v.Rate("rate"))
	assert.Equal(t, int64(5), v.Count("burst"))
	assert.Equal(t, time.Duration(0), v.DurationOrZero("delay"))
	assert.Equal(t, "fits", v.Choice("rule", "fits", "below"))
	assert.True(t, v.Given("nodelay"))
	assert.False(t, v.Given("delay"))
	require.NoError(t, v.Err())

	v, _, err = testRegistry().Parse("file:name=a=b:c")
	require.NoError(t, err)
	assert.Equal(t, "a=b:c", v.Text("name"), "only the first = and : divide")
	assert.Equal(t, 0.5, v.Number("share"))
	assert.Panics(t, func() { v.Text("undeclared") })
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                          `unknown limiter ""; known: door, file, plain`,
		"dor:rate=1/s":              `unknown limiter "dor" (did you mean "door"?); known: door, file, plain`,
		"xyz":                       `unknown limiter "xyz"; known: door, file, plain`,
		"door":                      `limiter "door" needs rate; write door:rate=…[,burst=…][,delay=…][,rule=fits|below][,nodelay]`,
		"door:":                     `limiter "door": "" is not param=value; write door:rate=…`,
		"door:rate=1/s,":            `limiter "door": "" is not param=value`,
		"door:=1":                   `limiter "door": "=1" is not param=value`,
		"door:rte=1/s":              `limiter "door" has no parameter "rte" (did you mean "rate"?); it takes rate, burst, delay, rule, nodelay`,
		"door:rate":                 `limiter "door": rate needs a value, as in rate=…`,
		"door:rate=1/s,rate=2/s":    `limiter "door": rate is given twice`,
		"door:rate=1/s,nodelay=yes": `limiter "door": nodelay stands alone and takes no value`,
		"plain:rate=1/s":            `limiter "plain" takes no parameters, got "rate"`,
	} {
		t.Run(text, func(t *testing.T) {
			_, build, err := testRegistry().Parse(text)
			require.ErrorContains(t, err, want)
			assert.Zero(t, build)
		})
	}
}

func TestGettersKeepTheFirstFault(t *testing.T) {
	for text, want := range map[string]string{
		"door:rate=fast":            `limiter "door": rate must be <number>/<duration> like 10/s, 0.5/m or 100/1m30s, got "fast"`,
		"door:rate=0/s":             `limiter "door": rate must be > 0, got 0/s`,
		"door:rate=1/s,burst=-1":    `limiter "door": burst must be a whole number >= 0, got "-1"`,
		"door:rate=1/s,delay=-1s":   `limiter "door": delay must be >= 0, got -1s`,
		"door:rate=1/s,delay=1w":    `limiter "door": delay must be a duration like 250ms, 1m30s or 1d (units ns, us, ms, s, m, h, d), got "1w"`,
		"door:rate=1/s,rule=above":  `limiter "door": rule must be fits or below, got "above"`,
		"door:rate=0/s,burst=-1":    `limiter "door": rate must be > 0, got 0/s`,
		"file:name=x,share=a third": `limiter "file": share must be a decimal number like 0.5, got "a third"`,
	} {
		t.Run(text, func(t *testing.T) {
			v, _, err := testRegistry().Parse(text)
			require.NoError(t, err)
			if v.Entry.Name == "door" {
				v.Rate("rate")
				v.Count("burst")
				v.DurationOrZero("delay")
				v.Choice("rule", "fits", "below")
			} else {
				v.Number("share")
			}
			require.EqualError(t, v.Err(), want)
			v.Fail("later", "fault")
			require.EqualError(t, v.Err(), want)
		})
	}
	v, _, err := testRegistry().Parse("door:rate=1/s,delay=0")
	require.NoError(t, err)
	v.Duration("delay")
	require.EqualError(t, v.Err(), `limiter "door": delay must be > 0, got 0`)
}

func TestHalvesReadMultiplesOfAHalf(t *testing.T) {
	r := Registry[int]{Kind: "part"}
	r.Register(Entry{Name: "p", Params: []Param{{Name: "s", Unit: "exponent", Default: "1"}}}, 0)
	for text, want := range map[string]int64{"p": 2, "p:s=0": 0, "p:s=0.5": 1, "p:s=8": 16} {
		v, _, err := r.Parse(text)
		require.NoError(t, err)
		assert.Equal(t, want, v.Halves("s", 8), text)
		assert.NoError(t, v.Err())
	}
	for text, want := range map[string]string{
		"p:s=0.3": "must be a multiple of 0.5 from 0 to 8, got 0.3", "p:s=8.5": "got 8.5", "p:s=-1": "got -1", "p:s=x": `must be a decimal number like 0.5, got "x"`,
	} {
		v, _, err := r.Parse(text)
		require.NoError(t, err)
		v.Halves("s", 8)
		assert.ErrorContains(t, v.Err(), want)
	}
}

func TestWithSetsOneParameter(t *testing.T) {
	v, _, err := testRegistry().Parse("door:rate=bad,burst=5")
	require.NoError(t, err)
	v.Rate("rate")
	require.Error(t, v.Err())

	c, err := v.With("rate", " 2/s ")
	require.NoError(t, err)
	assert.Equal(t, "door:rate=2/s,burst=5", c.String())
	assert.NoError(t, c.Err(), "the fault stays with the spec that has it")
	assert.Equal(t, "door:rate=bad,burst=5", v.String(), "the original keeps its texts")

	c, err = c.With("nodelay", "")
	require.NoError(t, err)
	assert.Equal(t, "door:rate=2/s,burst=5,nodelay", c.String())

	for _, bad := range [][3]string{
		{"rates", "1/s", `has no parameter "rates" (did you mean "rate"?)`},
		{"nodelay", "yes", `nodelay stands alone and takes no value, got "yes"`},
		{"rate", "1/s,burst=2", `rate must have no comma in it, got "1/s,burst=2"`},
	} {
		_, err := v.With(bad[0], bad[1])
		assert.ErrorContains(t, err, bad[2])
	}
}

func TestEntriesAreSortedAndUnique(t *testing.T) {
	r := testRegistry()
	names := []string{}
	for _, e := range r.Entries() {
		names = append(names, e.Name)
	}
	assert.Equal(t, []string{"door", "file", "plain"}, names)
	e, ok := r.Lookup("file")
	assert.True(t, ok)
	assert.Equal(t, "file:name=…[,share=…]", e.Usage())
	_, ok = r.Lookup("fil")
	assert.False(t, ok)
	assert.PanicsWithValue(t, `spec: limiter "door" is registered twice`, func() { r.Register(Entry{Name: "door"}, 4) })
	assert.Equal(t, "x[:a=…][,b]", Entry{Name: "x", Params: []Param{{Name: "a", Default: "1"}, {Name: "b", Unit: Flag}}}.Usage())
}

func TestDidYouMean(t *testing.T) {
	known := []string{"fixed-window", "gcra", "on", "off", "sliding-log"}
	for name, want := range map[string]string{
		"gcr": "gcra", "sliding-lgo": "sliding-log", "fixedwindow": "fixed-window", "fixd-windw": "fixed-window", "offf": "off",
		"": "", "zz": "", "xyz": "", "token": "", "window": "",
	} {
		if want != "" {
			want = ` (did you mean "` + want + `"?)`
		}
		assert.Equal(t, want, DidYouMean(name, known), name)
	}
}

func TestDistanceIsAMetric(t *testing.T) {
	words := rapid.StringMatching(`[a-c]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := words.Draw(t, "a"), words.Draw(t, "b"), words.Draw(t, "c")
		ab := distance(a, b)
		if (ab == 0) != (a == b) || ab != distance(b, a) || ab > distance(a, c)+distance(c, b) {
			t.Fatalf("%q %q %q", a, b, c)
		}
		if d := distance(a, a+b); d != len(b) {
			t.Fatalf("from %q to %q: %d", a, a+b, d)
		}
	})
}

func TestEverySpecIsReadBack(t *testing.T) {
	r := testRegistry()
	value := rapid.StringMatching(`[a-z0-9/.=:-]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		v, _, err := r.Parse("door:rate=1/s")
		require.NoError(t, err)
		for _, name := range rapid.SliceOf(rapid.SampledFrom([]string{"rate", "burst", "delay", "rule", "nodelay"})).Draw(t, "names") {
			text := ""
			if name != "nodelay" {
				text = value.Draw(t, name)
			}
			v, err = v.With(name, text)
			require.NoError(t, err)
			require.Equal(t, text, v.given[name])
		}
		back, _, err := r.Parse(v.String())
		require.NoError(t, err, v.String())
		require.Equal(t, v, back)
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"plain", "door:rate=10/s,burst=5,nodelay", "door:rate=1/s,delay=1m30s,rule=below", "file:name=a=b:c", "dor", "door:", ":", "door:rate", " file : name = x "} {
		f.Add(s)
	}
	r := testRegistry()
	f.Fuzz(func(t *testing.T, text string) {
		v, _, err := r.Parse(text)
		if err != nil {
			require.False(t, strings.Contains(err.Error(), "%!") && !strings.Contains(text, "%!"), "a format fault: %s", err)
			return
		}
		for _, p := range v.Entry.Params {
			switch p.Unit {
			case "rate":
				v.Rate(p.Name)
			case "requests":
				v.Count(p.Name)
			case "duration":
				v.Duration(p.Name)
			case "share":
				v.Number(p.Name)
			case "fits|below":
				v.Choice(p.Name, strings.Split(p.Unit, "|")...)
			}
		}
		back, _, err := r.Parse(v.String())
		require.NoError(t, err, "%q is printed as %q", text, v)
		require.Equal(t, v.given, back.given)
		require.True(t, slices.ContainsFunc(r.Entries(), func(e Entry) bool { return e.Name == back.Entry.Name }))
	})
}
