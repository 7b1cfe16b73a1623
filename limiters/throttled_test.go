package limiters_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestThrottledLetsAWrappedCostPass(t *testing.T) {
	l := parse(t, "throttled:rate=1/d,burst=0").New(1, nil)
	d := l.Take(1700000000e9, 0, 106751)
	assert.False(t, d.Admitted, "106751 days fit into 63 bits")
	assert.True(t, l.Take(1700000000e9, 0, 106752).Admitted, "106752 days do not")
}
