package theory

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// machine is a limiter small enough to be searched exhaustively: the clock ticks through phases of a period.
type machine struct {
	phases int
	start  state
	room   func(s state, phase int) int  // how many it would admit now, one after another
	admit  func(s state, k int) state    // k <= room of them come
	tick   func(s state, next int) state // the clock moves on to phase next
}

type state [12]int

// reachable returns, for every phase, the states that some history leads to.
func (m machine) reachable() []map[state]bool {
	at := make([]map[state]bool, m.phases)
	for i := range at {
		at[i] = map[state]bool{}
	}
	type point struct {
		phase int
		s     state
	}
	todo := []point{{0, m.start}}
	at[0][m.start] = true
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		next := (p.phase + 1) % m.phases
		for k := 0; k <= m.room(p.s, p.phase); k++ {
			if s := m.tick(m.admit(p.s, k), next); !at[next][s] {
				at[next][s] = true
				todo = append(todo, point{next, s})
			}
		}
	}
	return at
}

// envelope returns the most that is admitted at any delta consecutive instants, for delta = 1..longest.
func (m machine) envelope(longest int) []int {
	at := m.reachable()
	after := make([]map[state]int, m.phases) // the most from here on, over one instant less
	for i := range after {
		after[i] = map[state]int{}
	}
	most := make([]int, longest+1)
	for delta := 1; delta <= longest; delta++ {
		now := make([]map[state]int, m.phases)
		for phase := range now {
			now[phase] = map[state]int{}
			next := (phase + 1) % m.phases
			for s := range at[phase] {
				for k := 0; k <= m.room(s, phase); k++ {
					total := k + after[next][m.tick(m.admit(s, k), next)]
					now[phase][s] = max(now[phase][s], total)
				}
				most[delta] = max(most[delta], now[phase][s])
			}
		}
		after = now
	}
	return most
}

func counterMachine(rule Rule, limit, window int) machine { // state: previous, current
	return machine{
		phases: window,
		room: func(s state, phase int) int {
			k := 0
			for {
				estimate := s[0]*(window-phase) + (s[1]+k)*window // times window
				if rule == Fits && estimate+window > limit*window || rule == Below && estimate >= limit*window {
					return k
				}
				k++
			}
		},
		admit: func(s state, k int) state { s[1] += k; return s },
		tick: func(s state, next int) state {
			if next == 0 {
				s[0], s[1] = s[1], 0
			}
			return s
		},
	}
}

func logMachine(limit, window int) machine { // state: admitted now, one ago, ... window-1 ago
	return machine{
		phases: 1,
		room: func(s state, _ int) int {
			k := limit
			for _, n := range s[:window] {
				k -= n
			}
			return k
		},
		admit: func(s state, k int) state { s[0] += k; return s },
		tick: func(s state, _ int) state {
			copy(s[1:window], s[:window-1])
			s[0] = 0
			return s
		},
	}
}

func fixedWindowMachine(limit, window int) machine {
	return machine{
		phases: window,
		room:   func(s state, _ int) int { return limit - s[0] },
		admit:  func(s state, k int) state { s[0] += k; return s },
		tick: func(s state, next int) state {
			if next == 0 {
				s[0] = 0
			}
			return s
		},
	}
}

func firstRequestWindowMachine(limit, window int) machine { // state: admitted, instants left including this one
	return machine{
		phases: 1,
		room:   func(s state, _ int) int { return limit - s[0] },
		admit: func(s state, k int) state {
			if s[1] == 0 && k > 0 {
				s[1] = window
			}
			s[0] += k
			return s
		},
		tick: func(s state, _ int) state {
			if s[1] > 0 {
				s[1]--
			}
			if s[1] == 0 {
				s[0] = 0
			}
			return s
		},
	}
}

func tokenBucketMachine(burst, tokens, per int) machine { // state: what the bucket lacks, in tokens/per
	return machine{
		phases: 1,
		room:   func(s state, _ int) int { return (burst*per - s[0]) / per },
		admit:  func(s state, k int) state { s[0] += k * per; return s },
		tick:   func(s state, _ int) state { s[0] = max(0, s[0]-tokens); return s },
	}
}

func tickBucketMachine(burst, tokens, per int) machine { // state: what the bucket lacks
	return machine{
		phases: per,
		room:   func(s state, _ int) int { return burst - s[0] },
		admit:  func(s state, k int) state { s[0] += k; return s },
		tick: func(s state, next int) state {
			if next == 0 {
				s[0] = max(0, s[0]-tokens)
			}
			return s
		},
	}
}

func TestEnvelopesOnAClockAreWhatExhaustiveSearchFinds(t *testing.T) {
	check := func(found []int, longest int, want func(delta time.Duration) float64, of ...any) {
		for delta := 1; delta <= longest; delta++ {
			assert.Equal(t, float64(found[delta]), want(time.Duration(delta)), "δ=%d of %v", delta, of)
		}
	}
	for window := 2; window <= 9; window++ {
		w := time.Duration(window)
		for limit := 1; limit <= 4; limit++ {
			l := int64(limit)
			for _, rule := range []Rule{Fits, Below} {
				found := counterMachine(rule, limit, window).envelope(2 * window)
				check(found, window, func(d time.Duration) float64 { return CounterEnvelopeOnClock(rule, l, w, d) }, "counter", rule, limit, window)
				if window > 2*limit {
					assert.Equal(t, float64(found[2*window]), CounterTwoWindowEnvelope(rule, l), "two windows of %v, L=%d T=%d", rule, limit, window)
				}
			}
			check(fixedWindowMachine(limit, window).envelope(3*window), 3*window, func(d time.Duration) float64 { return FixedWindowEnvelopeOnClock(l, w, d) }, "fixed", limit, window)
			check(firstRequestWindowMachine(limit, window).envelope(window), window, func(d time.Duration) float64 { return FirstRequestWindowEnvelopeOnClock(l, w, d) }, "first", limit, window)
			if window <= 5 {
				check(logMachine(limit, window).envelope(3*window), 3*window, func(d time.Duration) float64 { return LogEnvelope(l, w, d) }, "log", limit, window)
			}
			for tokens := 1; tokens <= 5; tokens++ {
				n := int64(tokens)
				if tokens <= window {
					check(tokenBucketMachine(limit, tokens, window).envelope(3*window), 3*window, func(d time.Duration) float64 { return TokenBucketEnvelopeOnClock(l, n, w, d) }, "bucket", limit, tokens, window)
				}
				check(tickBucketMachine(limit, tokens, window).envelope(3*window), 3*window, func(d time.Duration) float64 { return TickBucketEnvelopeOnClock(l, n, w, d) }, "ticks", limit, tokens, window)
			}
		}
	}
}

func TestCounterEnvelopeIsThatOfATokenBucketUpToOneWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(1, 1e6).Draw(t, "L")
		window := time.Duration(rapid.Int64Range(1, 1e14).Draw(t, "T"))
		delta := time.Duration(rapid.Int64Range(1, int64(window)).Draw(t, "delta"))
		fits, below := CounterEnvelope(Fits, limit, window, delta), CounterEnvelope(Below, limit, window, delta)
		if bucket := TokenBucketEnvelope(limit, limit, window, delta); fits != bucket || below != bucket+1 {
			t.Fatalf("fits %v, below %v, bucket %v", fits, below, bucket)
		}
		for _, rule := range []Rule{Fits, Below} {
			if delta <= 2 || limit > int64(window) {
				continue
			}
			onClock := CounterEnvelopeOnClock(rule, limit, window, delta)
			least, most := CounterEnvelope(rule, limit, window, delta-2), CounterEnvelope(rule, limit, window, delta)
			if onClock < least || onClock > most {
				t.Fatalf("rule %v: %v on a clock, between %v and %v in time", rule, onClock, least, most)
			}
		}
	})
}

func TestEnvelopesByHand(t *testing.T) {
	const second, day = time.Second, 24 * time.Hour
	assert.Equal(t, 200.0, FixedWindowEnvelope(100, second, 1))
	assert.Equal(t, 200.0, FixedWindowEnvelopeOnClock(100, day, 2))
	assert.Equal(t, 200.0, FixedWindowEnvelope(100, second, second))
	assert.Equal(t, 300.0, FixedWindowEnvelope(100, second, second+1))
	assert.Equal(t, 100.0, LogEnvelope(100, day, day))
	assert.Equal(t, 200.0, LogEnvelope(100, day, day+1))
	assert.Equal(t, 199.0, CounterEnvelope(Fits, 100, second, second))
	assert.Equal(t, 200.0, CounterEnvelope(Below, 100, second, second))
	assert.Equal(t, 149.0, CounterEnvelope(Fits, 100, second, second/2))
	assert.Equal(t, 150.0, CounterEnvelope(Fits, 100, second, second/2+1))
	assert.Equal(t, 149.0, CounterEnvelopeOnClock(Fits, 100, second, second/2+1))
	assert.Equal(t, 150.0, CounterEnvelopeOnClock(Fits, 100, second, second/2+2))
	assert.Equal(t, 20.0, TokenBucketEnvelope(20, 2, second, second/2))
	assert.Equal(t, 21.0, TokenBucketEnvelope(20, 2, second, second/2+1))
	assert.Equal(t, 21.0, TokenBucketEnvelopeOnClock(20, 2, second, second/2+1))
	assert.Equal(t, 22.0, TickBucketEnvelopeOnClock(20, 2, second, 2))
	assert.Equal(t, 20.0, TickBucketEnvelopeOnClock(20, 2, second, 1))
	// Products beyond 64 bits are exact, values beyond 2⁵³ are refused.
	assert.Equal(t, float64(1<<41+1<<40), CounterEnvelopeOnClock(Fits, 1<<41, 1<<50, 1<<49+2))
	assert.True(t, math.IsNaN(TokenBucketEnvelope(1, 1e6, 1, 1<<62)))
	assert.True(t, math.IsNaN(LogEnvelope(1<<52, 1, 1<<62)))
}
