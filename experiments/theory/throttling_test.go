package theory

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestThrottledClientsSendWhatTheirOwnRuleLetsThrough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.Float64Range(0.1, 100).Draw(t, "c")
		lambda := rapid.Float64Range(0.1, 1000).Draw(t, "λ")
		k := rapid.Float64Range(1, 4).Draw(t, "K")
		const window = 1e9 // s: the 1 in the denominator does not matter
		sent := ThrottleSent(lambda, capacity, k)
		refusal := ThrottleRefusal(lambda*window, min(sent, capacity)*window, k)
		if got := lambda * (1 - refusal); math.Abs(got-sent) > 1e-6*lambda {
			t.Fatalf("sent %v, by the rule %v", sent, got)
		}
	})
	assert.Equal(t, 0.5, ThrottleRefusal(19, 4.5, 2))
	assert.Equal(t, 1.0, ThrottleSentPerAccept(50, 100, 2))
	assert.Equal(t, 1.5, ThrottleSentPerAccept(150, 100, 2))
}
