package limiters_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestGubernatorLeakyLosesAFractionWheneverItIsEmptied(t *testing.T) {
	l := parse(t, "gubernator-leaky:limit=3,duration=1s").New(1, nil)
	verdicts(t, l, spent{today, 3})
	admitted := 0
	for at := today; at < today+10*time.Second; at += 400 * ms {
		if at > today && l.Take(at, 1, 1).Admitted {
			admitted++
		}
	}
	assert.Equal(t, 24, admitted, "2.5/s: each takes 1 of 1.2")
}

func TestGubernatorLeakyFirstRequestAboveTheBurstEmptiesIt(t *testing.T) {
	l := parse(t, "gubernator-leaky:limit=3,duration=1s").New(1, nil)
	assert.Equal(t, "nny", verdicts(t, l, spent{today, 5}, spent{today, 1}, spent{today + 400*ms, 1}))
	assert.Equal(t, "ynnn", verdicts(t, parse(t, "gubernator-leaky:limit=3,duration=1s").New(1, nil),
		spent{today, 3}, spent{today, 5}, spent{today, 1}, spent{today + 333*ms, 1}), "0.999 of a hit")
}

func TestGubernatorLeakyIdleKeyIsNewAfterADuration(t *testing.T) {
	spec := "gubernator-leaky:limit=1,duration=1s,burst=5"
	l := parse(t, spec).New(1, nil)
	verdicts(t, l, spent{today, 5})
	assert.Equal(t, "yn", verdicts(t, l, spent{today + time.Second, 1}, spent{today + time.Second, 1}), "one has leaked")
	l = parse(t, spec).New(1, nil)
	verdicts(t, l, spent{today, 5})
	assert.Equal(t, "y", verdicts(t, l, spent{today + time.Second + ms, 5}))
}

func TestGubernatorLeakyResetMayLieInThePast(t *testing.T) {
	l := parse(t, "gubernator-leaky:limit=2,duration=1s,burst=5").New(1, nil)
	d := l.Take(today+999, 1, 1)
	assert.EqualValues(t, 4, d.Remaining)
	assert.Equal(t, -2*500*ms-999, d.Reset)
}

func TestGubernatorLeakyWithLimitZeroRefusesAll(t *testing.T) {
	l := parse(t, "gubernator-leaky:limit=0,duration=1s").New(1, nil)
	assert.Equal(t, "nn", verdicts(t, l, spent{today, 1}, spent{today + time.Second, 1}))
	assert.Zero(t, l.Ask(today, 1, 1).Reset)
}
