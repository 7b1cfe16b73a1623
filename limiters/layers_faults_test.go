package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
)

// Faults that users reported of several limits on one request.

// animir/node-rate-limiter-flexible#280, boinkor-net/governor#117, boinkor-net/governor#167
func TestALimitDoesNotPayForWhatAnotherRefuses(t *testing.T) {
	for _, other := range threes {
		l := parseLayers(t, "admitted", "global="+other, "user=fixed-window:limit=1,window=1h").New(1, nil)
		require.True(t, l.Take(0, []uint32{0, 7}, 1).Admitted, other)
		for range 10 {
			d := l.Take(0, []uint32{0, 7}, 1)
			require.False(t, d.Admitted, other)
			require.EqualValues(t, 1, d.Layer, "the user's own limit refuses: %s", other)
			require.Equal(t, time.Hour, d.RetryAfter, "and its wait is told: %s", other)
		}
		require.EqualValues(t, 2, l.Limiter(0).Ask(0, 0, 1).Remaining, other)
		for user := range uint32(2) {
			require.True(t, l.Take(0, []uint32{0, user}, 1).Admitted, other)
		}
		_, by := l.Admit(0, []uint32{0, 3}, 1)
		require.Zero(t, by, other)
	}
}

// ravangen/graphql-rate-limit#129
func TestASecondLimitDoesNotCountCallsThatTheFirstRefused(t *testing.T) {
	for _, charge := range []string{"admitted", "in-order"} {
		for _, second := range threes {
			l := parseLayers(t, charge, "user=fixed-window:limit=1,window=1s", "user="+second).New(1, nil)
			for i := range 10 {
				require.Equal(t, i == 0, l.Take(0, []uint32{0, 0}, 1).Admitted)
			}
			assert.EqualValues(t, 2, l.Limiter(1).Ask(0, 0, 1).Remaining, "%s: %s", charge, second)
		}
	}
}

// envoyproxy/ratelimit#348, #427, #430: what a narrow rule refuses still uses
// up the wide rule's budget, in the mode that is named for it and in no other.
func TestRefusalsOfANarrowRuleCostTheWideRuleOnlyIfAlwaysCharged(t *testing.T) {
	for charge, want := range map[string]int64{"admitted": 7, "always": 5} {
		l := parseLayers(t, charge, "group=fixed-window:limit=10,window=1m", "special=fixed-window:limit=3,window=1m").New(1, nil)
		for range 5 {
			l.Take(0, []uint32{0, 0}, 1)
		}
		assert.Equal(t, want, l.Limiter(0).Ask(0, 0, 1).Remaining, charge)
	}
	l := parseLayers(t, "in-order", "special=fixed-window:limit=3,window=1m", "group=fixed-window:limit=10,window=1m").New(1, nil)
	for range 5 {
		l.Take(0, []uint32{0, 0}, 1)
	}
	assert.EqualValues(t, 7, l.Limiter(1).Ask(0, 0, 1).Remaining, "the narrow rule first")
}

// symfony/symfony#65796
func TestOneUserCanNotDrainTheSharedQuotaWithRefusedHits(t *testing.T) {
	layers := []string{"user=fixed-window:limit=1,window=1h", "global=fixed-window:limit=10,window=1h"}
	for charge, passes := range map[string]bool{"admitted": true, "in-order": true, "always": false} {
		l := parseLayers(t, charge, layers...).New(1, nil)
		for range 20 {
			l.Admit(0, []uint32{1, 0}, 1)
		}
		_, by := l.Admit(0, []uint32{2, 0}, 1)
		assert.Equal(t, passes, by < 0, charge)
	}
}

// dotnet/runtime#113314
func TestARequestThatTheInnerLimitDelaysIsChargedToTheOuterOnce(t *testing.T) {
	for _, mode := range chargeModes {
		l := parseLayers(t, string(mode), "global=token-bucket:rate=1/h,burst=5", "global=leaky-queue:rate=1/s,queue=4").New(1, nil)
		for i := range time.Duration(5) {
			d := l.Take(0, []uint32{0, 0}, 1)
			require.True(t, d.Admitted, string(mode))
			require.Equal(t, i*time.Second, d.Delay, string(mode))
			require.Equal(t, int64(4-i), l.Limiter(0).Ask(0, 0, 1).Remaining, string(mode))
		}
	}
}

// The clock of a layer that was not asked does not move, so that a clock that
// steps back costs it nothing; and nothing shows that a key was looked at.
func TestALayerBehindARefusalIsNotTouched(t *testing.T) {
	for _, behind := range threes {
		l := parseLayers(t, "in-order", "user=fixed-window:limit=0,window=1s", "user="+behind).New(1, nil)
		for key := range uint32(3000) {
			d := l.Take(time.Hour, []uint32{key * 1000003, key * 1000003}, 1)
			require.False(t, d.Admitted)
			require.Equal(t, limiters.Never, d.RetryAfter)
		}
		require.Zero(t, l.Limiter(1).Keys(), behind)
		require.Less(t, l.Limiter(1).Bytes(), int64(4200*64), "no room for each of them: %s", behind)
		require.True(t, l.Limiter(1).Take(0, 0, 3).Admitted, behind)
		l.Take(time.Hour, []uint32{0, 0}, 1)
		require.False(t, l.Limiter(1).Take(0, 0, 1).Admitted, "an hour has not passed: %s", behind)
	}
}
