package metrics

import (
	"fmt"
	"time"
)

// Span is the half-open interval [Start, End) of simulated time that is counted.
type Span struct{ Start, End time.Duration }

// Contains reports whether t lies in the span.
func (s Span) Contains(t time.Duration) bool { return s.Start <= t && t < s.End }

// Length returns End - Start, and 0 for a span that ends before it starts.
func (s Span) Length() time.Duration { return max(0, s.End-s.Start) }

// mustBePositive panics for a window that no caller can mean: specs are checked
// where they are read.
func mustBePositive(what string, d time.Duration) {
	if d <= 0 {
		panic(fmt.Sprintf("metrics: %s must be > 0, got %v", what, d))
	}
}

// floorEdge returns the last multiple of w at or before t.
func floorEdge(t, w time.Duration) time.Duration {
	m := t % w
	if m < 0 {
		m += w
	}
	return t - m
}
