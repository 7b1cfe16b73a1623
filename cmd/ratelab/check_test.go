package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments"
)

func TestClaimsAreOneLineEachAndPointsThatDoNotHoldFollow(t *testing.T) {
	at := func(text, point string, v experiments.Verdict, outside bool) experiments.Checked {
		return experiments.Checked{Text: text, Claim: text + " [" + point + "]", Relation: "=", Observed: 1, Low: 0.5, High: 1.5, Expected: 2, Verdict: v, Outside: outside}
	}
	checked := []experiments.Checked{
		at("A", "x=1", experiments.Holds, false), at("A", "x=2", experiments.Holds, false), at("A", "x=9", experiments.Holds, true),
		at("B", "x=1", experiments.Holds, false), at("B", "x=2", experiments.Undecided, false), at("B", "x=9", experiments.Holds, true),
		at("C", "x=1", experiments.Undecided, false), at("C", "x=9", experiments.Fails, true),
	}
	var out strings.Builder
	printClaims(&out, checked)
	assert.Equal(t, `  holds      2 of 2 points hold  1 of 1 outside differ  A
  undecided  1 of 2 points hold  1 of 1 outside differ  B
  fails      0 of 1 points hold  0 of 1 outside differ  C
`, out.String())
	out.Reset()
	printPoints(&out, checked, false)
	assert.Equal(t, `  undecided  1  [0.5, 1.5]  = 2  B [x=2]
  undecided  1  [0.5, 1.5]  = 2  C [x=1]
  fails      1  [0.5, 1.5]  = 2  C [x=9]
`, out.String())
	out.Reset()
	printPoints(&out, checked, true)
	assert.Equal(t, len(checked), strings.Count(out.String(), "\n"))
}

func TestCheckSaysWhatWouldMakeAClaimFalseWhereOneFails(t *testing.T) {
	e := experiments.Experiment{
		Claims:  []experiments.Claim{{Text: "A", Domain: "here", Wrong: "a slip"}, {Text: "B", Domain: "there", Wrong: "a lapse"}},
		Threats: []string{"it is small"},
	}
	checked := []experiments.Checked{{Text: "A", Verdict: experiments.Holds}, {Text: "B", Verdict: experiments.Fails}, {Text: "B", Verdict: experiments.Holds}}
	var out strings.Builder
	printDoubts(&out, e, checked, false)
	assert.Equal(t, "  B\n    where: there\n    false if: a lapse\n", out.String())
	out.Reset()
	printDoubts(&out, e, checked, true)
	assert.Equal(t, "  A\n    where: here\n    false if: a slip\n  B\n    where: there\n    false if: a lapse\n  Threats to validity\n    - it is small\n", out.String())
	out.Reset()
	printDoubts(&out, e, nil, true)
	assert.Empty(t, out.String(), "nothing was judged")
}

func TestCheckPrintsClaimsOrPoints(t *testing.T) {
	t.Chdir(t.TempDir())
	status, _, errOut := ratelab(t, "", strings.Fields(small)...)
	require.Equal(t, 0, status, errOut)
	_, brief, _ := ratelab(t, "", "check", "boundary-burst")
	_, long, _ := ratelab(t, "", "check", "boundary-burst", "--points")
	assert.Regexp(t, `(?m)^  holds +1 of 1 points hold +no point outside  A fixed window`, brief)
	assert.NotContains(t, brief, "limit=10")
	assert.Contains(t, long, "limit=10")
	for _, doubt := range []string{"\n    where: windows aligned", "\n    false if: a count that outlives its window", "\n  Threats to validity\n    - "} {
		assert.Contains(t, long, doubt)
		assert.NotContains(t, brief, doubt, "nothing fails")
	}
	last := func(s string) string { return s[strings.LastIndex(strings.TrimSuffix(s, "\n"), "\n")+1:] }
	assert.Regexp(t, `^claims: \d+ hold, 0 fail, 0 undecided\n$`, last(brief))
	assert.Equal(t, last(brief), last(long))
}

func TestValuesThatNoClaimCovers(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{"run boundary-burst --quick --reps 2 --set part=straddle --set limit=7 --set window=7s", "check boundary-burst"} {
		status, _, errOut := ratelab(t, "", strings.Fields(line)...)
		assert.Equal(t, 0, status, line)
		assert.True(t, strings.HasSuffix(errOut, "boundary-burst: no claim covers these values\n"), errOut)
	}
}
