package fit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSharesOfFewKeysAreSaidToBeAllOfThem(t *testing.T) {
	shares, err := ParseShares("0.99,0.999,1")
	require.NoError(t, err)
	say := func(keys int) string { return (&Analysis{Keys: keys, Frontier: &Frontier{Shares: shares}}).few() }
	assert.Equal(t, "99, 99.9 and 100 % of 1 key are that one.", say(1))
	assert.Equal(t, "99, 99.9 and 100 % of 99 keys are all of them.", say(99))
	assert.Equal(t, "99.9 and 100 % of 100 keys are all of them.", say(100))
	assert.Equal(t, "99.9 and 100 % of 999 keys are all of them.", say(999))
	assert.Empty(t, say(1000))
}

func TestAFigureNamesALineByTheSharesItIs(t *testing.T) {
	for want, shares := range map[string]map[Of][]string{
		"99 % keys":                        {Keys: {"99"}},
		"99.9 and 100 % requests":          {Requests: {"99.9", "100"}},
		"99 to 100 % keys; 100 % requests": {Keys: {"99", "99.9", "100"}, Requests: {"100"}},
		"100 % keys and requests":          {Keys: {"100"}, Requests: {"100"}},
	} {
		assert.Equal(t, want, labelOf(shares))
	}
}

func TestAFitEndsWithTheNextLinesToType(t *testing.T) {
	table := func(r *Report) string {
		var b bytes.Buffer
		require.NoError(t, r.WriteTable(&b))
		return b.String()
	}
	r := report(t, "t\n0.5\n1\n1.5\n2.25\n9\n", Options{Grain: -1, Rates: rates(t, "1/s")})
	require.NotNil(t, r.Raw.Knee)
	assert.NotContains(t, table(r), "Next:", "it is not known how the log was named")
	r.Typed = "a.csv --key ip"
	assert.True(t, strings.HasSuffix(table(r), "\nNext:\n  ratelab replay a.csv --key ip --limiter "+r.Raw.Knee.spec()+"\n"), "too few for advice")
	assert.Contains(t, table(r), noInterval)
	r.Raw.Requests = LeastRequests
	assert.True(t, strings.HasSuffix(table(r), "\n  ratelab advise a.csv --key ip\n"))
	r = report(t, "t\n1\n1\n", Options{Grain: -1, Rates: rates(t, "1/s")})
	r.Typed = "a.csv"
	assert.NotContains(t, table(r), "Next:", "it is unfit")
}
