package metrics

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"ratelab/internal/random"
)

func TestNothingAllocatesInSteadyState(t *testing.T) {
	const gap = 10 * time.Millisecond
	always := Span{0, math.MaxInt64}
	var (
		counts       Counts
		delay        Delay
		window       = NewWindow(time.Second, 10)
		windows      = NewWindows(time.Second, 10)
		pages        = NewPages(time.Second, 10, always)
		list         [2]Admission
		ofLists      = NewWindow(time.Second, 10)
		pagesOfLists = NewPages(time.Second, 10, always)
		keyed        = NewKeyedPages(time.Second, 10, always)
		level        = NewLevel(10, 100, always)
		open         = NewOpenErrors(time.Second, always, gap, random.Stream(1, "look"))
		closed       = NewClosedErrors(time.Second, always)
		compare      = NewCompare(10, time.Second, always)
	)
	i := 0
	step := func() {
		i++
		at := time.Duration(i) * gap
		key := uint32(i % 5 * 50_000) // both sides of the dense keys
		list[0], list[1] = Admission{at, 1}, Admission{at, 2}
		ofLists.AdmitAll(list[:])
		pagesOfLists.AdmitAll(list[:])
		counts.Count(1, i%2 == 0)
		delay.Add(time.Duration(i%100) * gap)
		window.Admit(at, 1)
		windows.Admit(at, key, 1)
		pages.Admit(at, 1)
		keyed.Admit(at, key, 1)
		level.Observe(at, float64(i%10))
		open.Arrive(at, int64(i%7+1))
		closed.Decide(at, int64(i%7+1), i%3 == 0)
		compare.Decide(at, key, 1, i%2 == 0, i%3 == 0)
	}
	for range 20_000 {
		step()
	}
	assert.Zero(t, testing.AllocsPerRun(2000, step))
}
