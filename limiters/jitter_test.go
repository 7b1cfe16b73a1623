package limiters_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/random"
)

func TestJitterIsTheFirstDrawOfTheKeysOwnStream(t *testing.T) {
	s := parse(t, "fixed-window:limit=1,window=1m,jitter=30s")
	for _, c := range []struct {
		name string
		text func(uint32) string
	}{
		{"decimal", nil},
		{"named", func(k uint32) string { return fmt.Sprintf("user-%d", k) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := s.New(7, c.text)
			for key := range uint32(50) {
				text := fmt.Sprint(key)
				if c.text != nil {
					text = c.text(key)
				}
				offset := time.Duration(random.Stream(7, "window-phase", text).Int64N(int64(30 * time.Second)))
				require.Less(t, offset, 30*time.Second)
				// At the offset a window has just begun, 1 ns before it ends.
				assert.Equal(t, time.Minute, l.Ask(offset, key, 1).Reset)
				l.Forget(key)
				assert.Equal(t, time.Duration(1), l.Ask(offset-1, key, 1).Reset)
				l.Forget(key)
				assert.Equal(t, time.Duration(1), l.Ask(offset-1-1000*time.Minute, key, 1).Reset)
			}
		})
	}
}

func TestJitterOfTheWholeWindowSpreadsTheEdgesOverIt(t *testing.T) {
	const keys = 2000
	l := parse(t, "fixed-window:limit=1,window=1h,jitter=1h").New(1, nil)
	var quarters [4]int
	for key := range uint32(keys) {
		quarters[l.Ask(0, key, 1).Reset*4/(time.Hour+1)]++
	}
	for _, n := range quarters {
		assert.InDelta(t, keys/4, n, 100) // five standard deviations
	}
}

func TestSeedsAndKeysHavePhasesOfTheirOwn(t *testing.T) {
	s := parse(t, "fixed-window:limit=1,window=1h,jitter=1h")
	a, b, c := s.New(1, nil), s.New(1, nil), s.New(2, nil)
	assert.Equal(t, a.Ask(0, 5, 1), b.Ask(0, 5, 1))
	assert.NotEqual(t, a.Ask(0, 5, 1), a.Ask(0, 6, 1))
	assert.NotEqual(t, a.Ask(0, 5, 1), c.Ask(0, 5, 1))
}

// A jittered key decides as one without jitter on a clock that is shifted.
func TestJitterIsAShiftOfTheClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := drawCount(t, tiny), drawDuration(t, tiny)
		plain := parse(t, fmt.Sprintf("fixed-window:limit=%d,window=%dns", n, d))
		s := parse(t, fmt.Sprintf("%s,jitter=%dns", plain, rapid.Int64Range(1, int64(d)).Draw(t, "jitter")))
		l, shifted := s.New(3, nil), plain.New(3, nil)
		j := s.String()[len(plain.String())+len(",jitter="):]
		width, err := time.ParseDuration(j)
		require.NoError(t, err)
		for _, o := range drawOps(t, plain, tiny, 20, true) {
			p := o
			p.now -= time.Duration(random.Stream(3, "window-phase", fmt.Sprint(o.key)).Int64N(int64(width)))
			require.Equal(t, run(shifted, p), run(l, o))
		}
	})
}
