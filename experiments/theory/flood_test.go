package theory

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFloodIsWhatAGreedyCallerGets(t *testing.T) {
	for _, rule := range []Rule{Fits, Below} {
		for limit := 1; limit <= 8; limit++ {
			const window, windows = 1000, 40
			m := counterMachine(rule, limit, window)
			s, admitted := m.start, 0
			for tick := range window * (windows + 1) {
				s = m.tick(s, tick%window)
				k := m.room(s, tick%window)
				s = m.admit(s, k)
				if tick >= window { // the first window has no predecessor
					admitted += k
				}
			}
			assert.Equal(t, FloodCounter(rule, int64(limit)), float64(admitted)/windows, "rule %v, L=%d", rule, limit)
		}
	}
	assert.Equal(t, 20.0, FloodTokenBucket(2, 10))
}
