package contract

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestThePolicyOfALimiter(t *testing.T) {
	for name, c := range map[string]struct {
		capacity, n int64
		period      time.Duration
		want        Policy
	}{
		"a window":                         {100, 5, 3 * time.Second, Policy{Quota: 100, Seconds: 60}},
		"a bucket of 20 at 2/s":            {20, 2, time.Second, Policy{Quota: 20, Seconds: 10}},
		"half a second":                    {1, 2, time.Second, Policy{Quota: 1}},
		"a third of a second":              {1, 3, time.Second, Policy{Quota: 1}},
		"a day":                            {5000, 5000, 24 * time.Hour, Policy{Quota: 5000, Seconds: 86400}},
		"nothing":                          {0, 1, time.Second, Policy{}},
		"no rate":                          {7, 0, 0, Policy{Quota: 7}},
		"more than a structured field has": {1<<53 - 1, 1<<53 - 1, time.Second, Policy{Quota: 999_999_999_999_999}},
		"longer than time":                 {1e14, 1, math.MaxInt64, Policy{Quota: 1e14}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, NewPolicy("", c.capacity, c.n, c.period)) })
	}
	assert.Equal(t, "a?b ~?", NewPolicy("a\x00b ~ü", 1, 1, 1).Name)
}

func TestWrittenPoliciesAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var under []Standing
		var want []Policy
		for range rapid.IntRange(0, 3).Draw(t, "policies") {
			p := NewPolicy(rapid.String().Draw(t, "name"), rapid.Int64Range(0, math.MaxInt64).Draw(t, "quota"),
				rapid.Int64Range(0, 1e6).Draw(t, "n"), time.Duration(rapid.Int64Range(0, 1e13).Draw(t, "period")))
			p.Unit = rapid.SampledFrom([]string{"", "content-bytes"}).Draw(t, "unit")
			want = append(want, p)
			under = append(under, Standing{p, Decision{Has: HintLimit}})
		}
		got, err := ParsePolicies(formatPolicies(under))
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

func TestAMalformedFieldIsIgnoredAsAWhole(t *testing.T) {
	for text, want := range map[string]string{
		`"a";r=1,`:               "RateLimit: ",
		`"a;r=1`:                 "RateLimit: ",
		`"a";r=1 "b";r=1`:        "RateLimit: ",
		`"a";r=1000000000000000`: "RateLimit: integer or decimal out of range",
		`("a" "b");r=1`:          "RateLimit: member 1 must be a string, got a list",
		`"a";r=1, b;r=1`:         "RateLimit: member 2 must be a string, got b",
		`100;r=1`:                "RateLimit: member 1 must be a string, got 100",
		`"a"`:                    `RateLimit: "a": has no r`,
		`"a";t=5`:                `RateLimit: "a": has no r`,
		`"a";r`:                  `RateLimit: "a": r must be an integer >= 0, got true`,
		`"a";r=1.0`:              `RateLimit: "a": r must be an integer >= 0, got 1`,
		`"a";r=-1`:               `RateLimit: "a": r must be an integer >= 0, got -1`,
		`"a";r="1"`:              `RateLimit: "a": r must be an integer >= 0, got 1`,
		`"a";r=1;t=-1`:           `RateLimit: "a": t must be an integer >= 0, got -1`,
		`"a";r=1;t=@5`:           `RateLimit: "a": t must be an integer >= 0`,
		`"a";r=1;pk=k`:           `RateLimit: "a": pk must be a byte sequence`,
		`"a";a=-1`:               `RateLimit: "a": a must be an integer >= 0, got -1`,
		`limit=1, r=2`:           "RateLimit: ",
	} {
		got, err := ParseLimits(text)
		require.ErrorContains(t, err, want, text)
		assert.Nil(t, got, text)
	}
	for text, want := range map[string]string{
		`"a"`:             `RateLimit-Policy: "a": has no q`,
		`"a";q=-1`:        `RateLimit-Policy: "a": q must be an integer >= 0, got -1`,
		`"a";q=1;w=0`:     `RateLimit-Policy: "a": w must be an integer >= 1, got 0`,
		`"a";q=1;qu=bits`: `RateLimit-Policy: "a": qu must be a string`,
		`"a";q=1,,`:       "RateLimit-Policy: ",
		`a;q=1`:           "RateLimit-Policy: member 1 must be a string, got a",
	} {
		got, err := ParsePolicies(text)
		require.ErrorContains(t, err, want, text)
		assert.Nil(t, got, text)
	}
}

func TestTheExamplesOfTheDraft(t *testing.T) {
	policies, err := ParsePolicies(`"burst";q=100;w=60,"daily";q=1000;w=86400`)
	require.NoError(t, err)
	assert.Equal(t, []Policy{{Name: "burst", Quota: 100, Seconds: 60}, {Name: "daily", Quota: 1000, Seconds: 86400}}, policies)
	policies, err = ParsePolicies(`"peruser";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUA==:;acme-burst=3`)
	require.NoError(t, err)
	assert.Equal(t, []Policy{{Name: "peruser", Quota: 65535, Unit: "content-bytes", Seconds: 10}}, policies)
	limits, err := ParseLimits(`"default";r=999;pk=:dHJpYWwxMjEzMjM=:`)
	require.NoError(t, err)
	assert.Equal(t, []ServiceLimit{{Name: "default", Available: 999}}, limits)
	limits, err = ParseLimits(`  "default";r=50;  t=30 , "x";r=0	`)
	require.NoError(t, err)
	assert.Equal(t, []ServiceLimit{{Name: "default", Available: 50, Window: 30, Windowed: true}, {Name: "x"}}, limits)
}

func FuzzParseLimits(f *testing.F) {
	for _, seed := range []string{`"default";r=50;t=30`, `"a";a=5;w=3, "b";r=1`, `"x";r=1;pk=:AA==:`, `(1 2)`, `"\"";r=999999999999999`, ``} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		limits, err := ParseLimits(text)
		if err != nil && limits != nil {
			t.Fatalf("%q: a part of a malformed field", text)
		}
		var under []Standing
		for _, l := range limits {
			if l.Available < 0 || l.Window < 0 {
				t.Fatalf("%q: %+v", text, l)
			}
			d := Decision{Remaining: l.Available, Has: HintRemaining}
			if l.Windowed && l.Window <= longest {
				d.Reset, d.Has = time.Duration(l.Window)*time.Second, d.Has|HintReset
			}
			under = append(under, Standing{Policy{Name: l.Name}, d})
		}
		again, err := ParseLimits(formatStandings(under, longest))
		if err != nil || len(again) != len(limits) {
			t.Fatalf("%q came back as %v, %v", text, again, err)
		}
	})
}

func FuzzParsePolicies(f *testing.F) {
	for _, seed := range []string{`"burst";q=100;w=60,"daily";q=1000;w=86400`, `"a";q=0;qu="requests"`, `"a";q=1;w=0`, `t;q=1`, ``} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		policies, err := ParsePolicies(text)
		if err != nil && policies != nil {
			t.Fatalf("%q: a part of a malformed field", text)
		}
		var under []Standing
		for _, p := range policies {
			under = append(under, Standing{p, Decision{Has: HintLimit}})
		}
		again, err := ParsePolicies(formatPolicies(under))
		if err != nil || len(again) != len(policies) {
			t.Fatalf("%q came back as %v, %v", text, again, err)
		}
		for i := range policies {
			if policies[i] != again[i] {
				t.Fatalf("%q: %+v came back as %+v", text, policies[i], again[i])
			}
		}
	})
}
