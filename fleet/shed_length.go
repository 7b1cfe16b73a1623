package fleet

import (
	"time"

	"ratelab/internal/spec"
)

// shedLength turns a call away if as many as most wait that go before it: those
// of its own tier and of those above. So the tiers below are shed first.
type shedLength struct{ most int }

func (l shedLength) refuses(q *station, c *callSlot) bool { return q.before(c.tier) >= l.most }
func (shedLength) admits(*station, *callSlot)             {}
func (shedLength) expires(*callSlot, time.Duration) bool  { return false }

func init() {
	sheds.Register(spec.Entry{
		Name:   "length",
		Doc:    "by the length of the queue: none waits behind most others that go first",
		Params: []spec.Param{{Name: "most", Unit: "requests", Doc: "waiting requests of its own tier or above that shed a request"}},
	}, func(v *spec.Values) shed { return shedLength{atLeastOne(v, "most")} })
}

func atLeastOne(v *spec.Values, name string) int {
	n := v.Count(name)
	if n < 1 {
		v.Fail(name, "must be >= 1, got %s", v.Text(name))
	}
	return int(n)
}
