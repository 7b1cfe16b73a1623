package fleet

import (
	"time"

	"ratelab/internal/spec"
)

// shedConcurrency turns a call away if as many as most wait or are in service
// at its server.
type shedConcurrency struct{ most int }

func (l shedConcurrency) refuses(q *station, _ *callSlot) bool { return q.inFlight() >= l.most }
func (shedConcurrency) admits(*station, *callSlot)             {}
func (shedConcurrency) expires(*callSlot, time.Duration) bool  { return false }

func init() {
	sheds.Register(spec.Entry{
		Name:   "concurrency",
		Doc:    "by what is in flight at the server, waiting or in service",
		Params: []spec.Param{{Name: "most", Unit: "requests", Doc: "requests in flight that shed a request"}},
	}, func(v *spec.Values) shed { return shedConcurrency{atLeastOne(v, "most")} })
}
