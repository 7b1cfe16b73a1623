package sweep

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWarningsAreARowForEachDoubtOfEachEstimate(t *testing.T) {
	p := tiny(Grid{axis("servers", "1", "2"), axis("rule", "a,b")})
	p.Reps = 3
	p.Run = func(_ context.Context, c Cell, out *Row) error {
		if c.Get("servers") == "1" {
			out.Set("share", float64(c.Rep)) // 0, 1, 2
		} else {
			out.Set("share", 1000+float64(c.Rep))
		}
		if c.Rep == 1 {
			out.Set("count", 1)
		}
		return nil
	}
	r, err := Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	runs, err := r.Runs()
	require.NoError(t, err)
	warnings, err := Warn(p, runs)
	require.NoError(t, err)
	// t with 2 degrees of freedom is 4.30265272975: half-width 4.30265272975/√3.
	assert.Equal(t, `rule,servers,wait,metric,n,warning,found,allowed
"a,b",1,,share,3,few,3,5
"a,b",1,,share,3,wide,2.48413771175,0.1
"a,b",1,,count,1,single,1,5
"a,b",2,,share,3,few,3,5
"a,b",2,,count,1,single,1,5
`, text(t, warnings))
	groups, err := GroupWarnings(p, warnings)
	require.NoError(t, err)
	var lines []string
	for _, g := range groups {
		lines = append(lines, g.String())
	}
	assert.Equal(t, []string{
		`2 single: one replication has no interval; most: 1 replication (count at rule="a,b",servers=1)`,
		`2 few: the interval rests on few replications, and on their being normal; most: 3 replications (share at rule="a,b",servers=1)`,
		`1 wide: the interval is wider than ±10 % of the mean; most: ± 248 % of the mean (share at rule="a,b",servers=1)`,
	}, lines)
}

func TestAMeanOf0IsWideWithoutANumber(t *testing.T) {
	p := tiny(Grid{})
	p.Reps = 6
	p.Run = func(_ context.Context, c Cell, out *Row) error {
		out.Set("share", float64(2*(c.Rep%2)-1))
		return nil
	}
	r, err := Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	runs, err := r.Runs()
	require.NoError(t, err)
	warnings, err := Warn(p, runs)
	require.NoError(t, err)
	assert.Equal(t, "rule,servers,wait,metric,n,warning,found,allowed\n,1,,share,6,wide,,0.1\n", text(t, warnings))
	groups, err := GroupWarnings(p, warnings)
	require.NoError(t, err)
	require.Len(t, groups, 1)
	assert.Equal(t, "1 wide: the interval is wider than ±10 % of the mean; most: the mean is 0 (share at servers=1)", groups[0].String())
}
