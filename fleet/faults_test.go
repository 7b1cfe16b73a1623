package fleet

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"ratelab/limiters/contract"
)

// Fleets in the field have decided wrongly in ways that their users reported.
// Each test here is one kind of those faults.

// envoyproxy/ratelimit#377, envoyproxy/ratelimit#427, Kong/kong#2127,
// udecode/kitcn#319: each node or shard has the whole limit, so the total is
// multiplied
func TestANodeWithTheWholeLimitMultipliesIt(t *testing.T) {
	for servers, want := range map[int]int{1: 10, 2: 20, 5: 50} {
		b := newBuilt(t, config(t, "fixed-window:limit=10,window=1s", "round-robin", "local", servers, 0))
		assert.Equal(t, want, b.burst(20*servers))
	}
}

// envoyproxy/envoy#34276, kyma-project/api-gateway#2829: a share for each node
// keeps the total, and refuses below it when traffic is uneven
func TestSharesRefuseBelowTheTotalWhenTrafficIsUneven(t *testing.T) {
	even := newBuilt(t, config(t, "fixed-window:limit=10,window=1s", "round-robin", "quota", 2, 0))
	assert.Equal(t, 10, even.burst(10))
	uneven := newBuilt(t, config(t, "fixed-window:limit=10,window=1s", "weighted:shares=1000000/1", "quota", 2, 0))
	assert.Equal(t, 5, uneven.burst(10), "all on one node")
}

// zalando/skipper#1895: shares must add up to the limit
func TestSharesAddUpToTheLimit(t *testing.T) {
	for coordination, want := range map[string][]int64{"quota": {4, 3, 3}, "quota:remainder=drop": {3, 3, 3}} {
		var got []int64
		for _, s := range newBuilt(t, config(t, "fixed-window:limit=10,window=1s", "round-robin", coordination, 3, 0)).Shares() {
			got = append(got, s.Capacity())
		}
		assert.Equal(t, want, got, coordination)
	}
}

// cortexproject/cortex#3367: a limit divided by all nodes although a tenant
// uses a subset
func TestAShareOfTheWholeFleetStarvesAKeyThatStaysOnOneNode(t *testing.T) {
	b := newBuilt(t, config(t, "fixed-window:limit=12,window=1s", "hash", "quota", 6, 0))
	assert.Equal(t, 2, b.burst(12), "a sixth of what it was promised")
}

// sourcegraph/sourcegraph-public-snapshot#56826, spring-cloud/spring-cloud-gateway#1117:
// the store decides by its own clock, whatever the request says
func TestTheStoreDecidesByItsOwnClock(t *testing.T) {
	b := newBuilt(t, config(t, "token-bucket:rate=1/s,burst=2", "round-robin", "central", 2, 0))
	for range 2 {
		b.Send(b.sim, contract.Request{At: 0, Cost: 1})
		b.Send(b.sim, contract.Request{At: 30e9, Cost: 1})
	}
	admitted := 0
	for _, r := range b.replies {
		if r.Decision.Admitted {
			admitted++
		}
	}
	assert.Equal(t, 2, admitted)
}
