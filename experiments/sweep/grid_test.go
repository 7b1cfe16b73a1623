package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func nothing(context.Context, Cell, *Row) error { return nil }

// tiny is a valid plan that measures nothing, to be changed by each test.
func tiny(grids ...Grid) *Plan {
	return &Plan{
		Name:    "tiny",
		Factors: []Factor{{Name: "rule"}, {Name: "servers", Default: "1"}, {Name: "wait"}},
		Metrics: []Metric{{Name: "share", Unit: "1"}, {Name: "count"}},
		Grids:   grids,
		Reps:    1,
		Seed:    1,
		Run:     nothing,
	}
}

func keys(t require.TestingT, p *Plan) []string {
	cells, err := p.Cells()
	require.NoError(t, err)
	var list []string
	for _, c := range cells {
		list = append(list, strings.TrimSuffix(c.Key(), ",rep=0"))
	}
	return list
}

func TestGridIsTheProductOfItsAxes(t *testing.T) {
	p := tiny(Grid{{Factor: "rule", Values: []string{"fits", "below"}}, {Factor: "servers", Values: []string{"2", "4", "8"}}})
	assert.Equal(t, []string{
		"rule=fits,servers=2", "rule=fits,servers=4", "rule=fits,servers=8",
		"rule=below,servers=2", "rule=below,servers=4", "rule=below,servers=8",
	}, keys(t, p))
}

func TestFactorsThatAGridDoesNotNameTakeTheirDefault(t *testing.T) {
	assert.Equal(t, []string{"servers=1,wait=3s"}, keys(t, tiny(Grid{{Factor: "wait", Values: []string{"3s"}}})))
	assert.Equal(t, []string{"servers=1"}, keys(t, tiny(Grid{})))
}

func TestUnionHasNoDuplicates(t *testing.T) {
	p := tiny(
		Grid{{Factor: "servers", Values: []string{"1", "2", "2"}}},
		Grid{{Factor: "rule", Values: []string{"", "fits"}}, {Factor: "servers", Values: []string{"2", "3"}}},
		Grid{},
	)
	assert.Equal(t, []string{"servers=1", "servers=2", "servers=3", "rule=fits,servers=2", "rule=fits,servers=3"}, keys(t, p))
}

func TestNumbersAndDurationsSortByValueOthersInGridOrder(t *testing.T) {
	for _, c := range []struct{ name, values, want string }{
		{"numbers", "10,9,-1.5,1e3", "-1.5,9,10,1e3"},
		{"durations", "1m,2s,1h,900ms", "900ms,2s,1m,1h"},
		{"texts", "zebra,ant,10", "zebra,ant,10"},
		{"what does not apply is first", "b,,a", ",b,a"},
		{"also among numbers", "2,,1", ",1,2"},
		{"equal numbers keep the order of the grid", "2.0,1,2", "1,2.0,2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := tiny(Grid{{Factor: "wait", Values: strings.Split(c.values, ",")}})
			cells, err := p.Cells()
			require.NoError(t, err)
			var got []string
			for _, cell := range cells {
				got = append(got, cell.Get("wait"))
			}
			assert.Equal(t, strings.Split(c.want, ","), got)
		})
	}
}

func TestConstraintDropsPoints(t *testing.T) {
	p := tiny(Grid{{Factor: "rule", Values: []string{"a", "b"}}, {Factor: "servers", Values: []string{"1", "2"}}})
	p.Where = func(get func(string) string) bool { return get("rule") == "a" || get("servers") == "1" }
	assert.Equal(t, []string{"rule=a,servers=1", "rule=a,servers=2", "rule=b,servers=1"}, keys(t, p))
	p.Where = func(func(string) string) bool { return false }
	_, err := p.Cells()
	assert.EqualError(t, err, `plan "tiny": the constraint keeps no point of the grids`)
	p.Where = func(get func(string) string) bool { return get("server") == "1" }
	_, err = p.Cells()
	assert.EqualError(t, err, `plan "tiny": constraint: unknown factor "server" (did you mean "servers"?); known: rule, servers, wait`)
}

func TestReplicationsFollowTheirPoint(t *testing.T) {
	p := tiny(Grid{{Factor: "servers", Values: []string{"1", "2"}}})
	p.Reps, p.Seed = 2, 7
	cells, err := p.Cells()
	require.NoError(t, err)
	var got []string
	for _, c := range cells {
		assert.Equal(t, uint64(7), c.Seed)
		got = append(got, c.Key())
	}
	assert.Equal(t, []string{"servers=1,rep=0", "servers=1,rep=1", "servers=2,rep=0", "servers=2,rep=1"}, got)
}

func TestOverrideReplacesTheAxisWhereItIsNamed(t *testing.T) {
	p := tiny(Grid{{Factor: "rule", Values: []string{"a", "b"}}, {Factor: "servers", Values: []string{"1", "2"}}}, Grid{{Factor: "wait", Values: []string{"1s"}}})
	before := *p
	require.NoError(t, p.Override("servers", []string{"5"}))
	assert.Equal(t, []string{"servers=1,wait=1s", "rule=a,servers=5", "rule=b,servers=5"}, keys(t, p))
	require.NoError(t, p.Override("servers", []string{"6"}), "the last one counts")
	assert.Equal(t, []string{"servers=1,wait=1s", "rule=a,servers=6", "rule=b,servers=6"}, keys(t, p))
	assert.Len(t, keys(t, &before), 5, "a copy of the plan is its own")
}

func TestOverrideAddsAnAxisThatNoGridNames(t *testing.T) {
	p := tiny(Grid{{Factor: "rule", Values: []string{"a"}}}, Grid{{Factor: "rule", Values: []string{"b"}}})
	require.NoError(t, p.Override("servers", []string{"3", "2"}))
	assert.Equal(t, []string{"rule=a,servers=2", "rule=a,servers=3", "rule=b,servers=2", "rule=b,servers=3"}, keys(t, p))
}

func TestOverrideRefuses(t *testing.T) {
	p := tiny(Grid{{Factor: "rule", Values: []string{"a", "b"}}, {Factor: "servers", Values: []string{"1", "2"}}})
	p.Factors[1].Check = func(v string) error {
		if v == "0" {
			return errors.New("must be at least 1")
		}
		return nil
	}
	want := keys(t, p)
	assert.EqualError(t, p.Override("server", []string{"1"}), `unknown factor "server" (did you mean "servers"?); known: rule, servers, wait`)
	assert.EqualError(t, p.Override("servers", []string{"1", "0"}), `factor "servers": value "0": must be at least 1`)
	assert.EqualError(t, p.Override("servers", nil), `factor "servers": no values given`)
	assert.Equal(t, want, keys(t, p))
}

func TestAnOverriddenValueThatNoCellHasIsAnError(t *testing.T) {
	p := tiny(Grid{{Factor: "rule", Values: []string{"a", "b"}}, {Factor: "servers", Values: []string{"1", "2"}}})
	p.Where = func(get func(string) string) bool { return get("servers") != "4" || get("rule") == "c" }
	require.NoError(t, p.Override("servers", []string{"2", "4"}))
	_, err := p.Cells()
	assert.EqualError(t, err, `factor "servers": no cell has value "4": it goes with none of the values of the other factors`)
	require.NoError(t, p.Override("rule", []string{"c"}))
	assert.Equal(t, []string{"rule=c,servers=2", "rule=c,servers=4"}, keys(t, p))
}

func TestPlansThatCannotRunAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		break_ func(p *Plan)
		want   string
	}{
		"name":           {func(p *Plan) { p.Name = "Not This" }, "a name must be of lower-case letters"},
		"replications":   {func(p *Plan) { p.Reps = 0 }, "replications must be at least 1, got 0"},
		"seed":           {func(p *Plan) { p.Seed = 1 << 63 }, "seed must be below 2^63"},
		"run":            {func(p *Plan) { p.Run = nil }, "no function to run"},
		"metrics":        {func(p *Plan) { p.Metrics = nil }, "no metrics"},
		"grids":          {func(p *Plan) { p.Grids = nil }, "no grids"},
		"factor twice":   {func(p *Plan) { p.Factors[1].Name = "rule" }, `factor "rule": a name must be`},
		"factor is rep":  {func(p *Plan) { p.Factors[1].Name = "rep" }, `factor "rep"`},
		"factor is mean": {func(p *Plan) { p.Factors[1].Name = "mean" }, `factor "mean"`},
		"factor =":       {func(p *Plan) { p.Factors[1].Name = "a=b" }, `factor "a=b"`},
		"metric twice":   {func(p *Plan) { p.Metrics[1].Name = "share" }, `metric "share"`},
		"metric, factor": {func(p *Plan) { p.Metrics[1].Name = "rule" }, `factor "rule"`},
		"metric is seed": {func(p *Plan) { p.Metrics[1].Name = "seed" }, `metric "seed"`},
		"unknown axis":   {func(p *Plan) { p.Grids = []Grid{{{Factor: "ruel", Values: []string{"a"}}}} }, `unknown factor "ruel" (did you mean "rule"?)`},
		"axis twice": {func(p *Plan) {
			p.Grids = []Grid{{{Factor: "rule", Values: []string{"a"}}, {Factor: "rule", Values: []string{"b"}}}}
		}, `names factor "rule" twice`},
		"empty axis":  {func(p *Plan) { p.Grids = []Grid{{{Factor: "rule", Values: nil}}} }, `no values to factor "rule"`},
		"bad value":   {func(p *Plan) { p.Factors[0].Check = refuse }, `factor "rule": value "x": refused`},
		"bad default": {func(p *Plan) { p.Factors[1].Check = refuse }, `factor "servers": value "1": refused`},
		"too large": {func(p *Plan) {
			many := make([]string, 1001)
			for i := range many {
				many[i] = fmt.Sprint(i)
			}
			p.Grids = []Grid{{{Factor: "rule", Values: many}, {Factor: "servers", Values: many}}}
		}, "more than 1000000 points"},
	} {
		t.Run(name, func(t *testing.T) {
			p := tiny(Grid{{Factor: "rule", Values: []string{"x"}}})
			c.break_(p)
			_, err := p.Cells()
			require.ErrorContains(t, err, c.want)
			_, err = Execute(t.Context(), p, Options{})
			require.ErrorContains(t, err, c.want)
		})
	}
}

func refuse(string) error { return errors.New("refused") }

func drawGrids(t *rapid.T) []Grid {
	values := rapid.SliceOfN(rapid.SampledFrom([]string{"", "1", "2", "10", "0.5"}), 1, 4)
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c=d,e"}), 1, 4)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Grid {
		var g Grid
		if rapid.Bool().Draw(t, "rule") {
			g = append(g, Axis{Factor: "rule", Values: words.Draw(t, "rules")})
		}
		if rapid.Bool().Draw(t, "servers") {
			g = append(g, Axis{Factor: "servers", Values: values.Draw(t, "servers")})
		}
		if rapid.Bool().Draw(t, "wait") {
			g = append(g, Axis{Factor: "wait", Values: values.Draw(t, "waits")})
		}
		return g
	}), 1, 4).Draw(t, "grids")
}

// The union is checked against a plain enumeration, each grid by itself.
func TestCellsAreTheUnionOfTheGridsEachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grids := drawGrids(t)
		p := tiny(grids...)
		p.Reps = rapid.IntRange(1, 3).Draw(t, "reps")
		want := make(map[[3]string]bool)
		for _, g := range grids {
			at := map[string][]string{"rule": {""}, "servers": {"1"}, "wait": {""}}
			for _, a := range g {
				at[a.Factor] = a.Values
			}
			for _, rule := range at["rule"] {
				for _, servers := range at["servers"] {
					for _, wait := range at["wait"] {
						want[[3]string{rule, servers, wait}] = true
					}
				}
			}
		}
		cells, err := p.Cells()
		require.NoError(t, err)
		require.Len(t, cells, len(want)*p.Reps)
		seen := make(map[string]bool)
		for i, c := range cells {
			require.True(t, want[[3]string{c.Get("rule"), c.Get("servers"), c.Get("wait")}])
			require.False(t, seen[c.Key()], c.Key())
			seen[c.Key()] = true
			require.Equal(t, i%p.Reps, c.Rep)
		}
	})
}

// Numbers end up in the same order whatever the order of the grids and of their values.
func TestOrderOfNumbersDoesNotDependOnTheGrids(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grids := drawGrids(t)
		for i := range grids {
			grids[i] = slices.DeleteFunc(grids[i], func(a Axis) bool { return a.Factor == "rule" })
		}
		want := keys(t, tiny(grids...))
		shuffled := rapid.Permutation(grids).Draw(t, "shuffled")
		for i := range shuffled {
			shuffled[i] = slices.Clone(shuffled[i])
			for k := range shuffled[i] {
				shuffled[i][k].Values = rapid.Permutation(shuffled[i][k].Values).Draw(t, "values")
			}
		}
		require.Equal(t, want, keys(t, tiny(shuffled...)))
	})
}
