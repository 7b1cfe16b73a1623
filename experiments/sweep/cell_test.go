package sweep

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCellReadsItsFactors(t *testing.T) {
	c := Cell{Rep: 3, Seed: 9, names: []string{"rule", "servers", "load", "wait", "none"}, values: []string{"fits", "64", "0.25", "1m30s", ""}}
	assert.Equal(t, "fits", c.Get("rule"))
	assert.Equal(t, int64(64), c.Int("servers"))
	assert.Equal(t, 0.25, c.Float("load"))
	assert.Equal(t, 64.0, c.Float("servers"))
	assert.Equal(t, 90*time.Second, c.Duration("wait"))
	assert.Equal(t, "", c.Get("none"))
	assert.Equal(t, "rule=fits,servers=64,load=0.25,wait=1m30s,rep=3", c.Key())
	for want, f := range map[string]func(){
		`unknown factor "server" (did you mean "servers"?); known: rule, servers, load, wait, none`: func() { c.Get("server") },
		`factor "rule": want an integer, got "fits"`:                                                func() { c.Int("rule") },
		`factor "none": want an integer, got ""`:                                                    func() { c.Int("none") },
		`factor "wait": want a number, got "1m30s"`:                                                 func() { c.Float("wait") },
		`factor "servers": want a duration like 250ms, got "64"`:                                    func() { c.Duration("servers") },
	} {
		assert.PanicsWithError(t, want, f)
	}
}

func TestKeysQuoteWhatWouldBeAmbiguous(t *testing.T) {
	names := []string{"a", "b"}
	for _, c := range []struct{ a, b, want string }{
		{"1", "2", "a=1,b=2,rep=0"},
		{"", "2", "b=2,rep=0"},
		{"", "", "rep=0"},
		{"x:y=1/s", "", `a="x:y=1/s",rep=0`},
		{"1,b=2", "", `a="1,b=2",rep=0`},
		{"\"", "ü", `a="\"",b=ü,rep=0`},
	} {
		assert.Equal(t, c.want, Cell{names: names, values: []string{c.a, c.b}}.Key())
	}
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune(`ab=,"\ 1`))), 2, 2).Draw(t, "one")
		two := rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune(`ab=,"\ 1`))), 2, 2).Draw(t, "two")
		same := one[0] == two[0] && one[1] == two[1]
		assert.Equal(t, same, pointKey(names, one) == pointKey(names, two))
	})
}

func TestFindReturnsTheCellOfAKey(t *testing.T) {
	p := tiny(Grid{{Factor: "rule", Values: []string{"a,b", "c"}}, {Factor: "servers", Values: []string{"1", "2"}}})
	p.Reps = 3
	cells, err := p.Cells()
	require.NoError(t, err)
	for _, c := range cells {
		found, err := p.Find(c.Key())
		require.NoError(t, err)
		assert.Equal(t, c, found)
	}
	_, err = p.Find("servers=3,rep=0")
	assert.EqualError(t, err, `no cell "servers=3,rep=0" in "tiny"; the first of its 12 cells is rule="a,b",servers=1,rep=0`)
}

func TestRowTakesFiniteValuesOfKnownMetrics(t *testing.T) {
	r := newRow([]Metric{{Name: "share"}, {Name: "count"}})
	assert.True(t, math.IsNaN(r.Get("share")), "not set is missing")
	r.Set("share", 0.5)
	assert.Equal(t, 0.5, r.Get("share"))
	r.Set("share", math.NaN())
	assert.True(t, math.IsNaN(r.Get("share")))
	r.Set("count", math.Copysign(0, -1))
	assert.False(t, math.Signbit(r.Get("count")), "there is one zero")
	for want, f := range map[string]func(){
		`unknown metric "shar" (did you mean "share"?); known: share, count`:      func() { r.Set("shar", 1) },
		`unknown metric "x"; known: share, count`:                                 func() { r.Get("x") },
		`metric "count": want a finite number, or NaN if it is missing, got +Inf`: func() { r.Set("count", math.Inf(1)) },
	} {
		assert.PanicsWithError(t, want, f)
	}
}

func TestPointsAreWrittenAsKeysAre(t *testing.T) {
	assert.Equal(t, `part=flood,limiter=gcra`, PointKey("part", "flood", "limiter", "gcra"))
	assert.Equal(t, `spec="a:b=1",limiter=''`, PointKey("spec", "a:b=1", "limiter", ""))
}
