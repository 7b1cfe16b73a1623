package scenario

import (
	"time"

	"ratelab/fleet"
)

// trouble counts what faults do, and what passes meanwhile.
type trouble struct {
	faults            fleet.Faults
	store             bool // the store is down at some time
	offered, admitted int64
}

func newTrouble(faults fleet.Faults) trouble {
	return trouble{faults: faults, store: faults.Has(fleet.StoreDown)}
}

// decided counts a request that arrived while the store was down.
func (t *trouble) decided(arrival time.Duration, admitted bool) {
	if !t.faults.StoreDownAt(arrival) {
		return
	}
	t.offered++
	if admitted {
		t.admitted++
	}
}

// emit reads out what was counted; start is what the fleet had counted at the
// beginning of the span, now at the end.
func (m *meter) emitTrouble(start, now fleet.Trouble, emit func(name string, value float64)) {
	faults := m.cfg.Faults
	if faults.Has(fleet.StoreDown) {
		emit("offered_store_down", float64(m.trouble.offered))
		emit("admitted_store_down", float64(m.trouble.admitted))
	}
	if faults.Has(fleet.Restart) {
		emit("restarts", float64(faults.Restarts(m.span.Start, m.span.End)))
	}
	if faults.Has(fleet.Lost) || faults.Has(fleet.Partition) {
		emit("lost_messages", float64(now.Lost-start.Lost))
	}
	if faults.Has(fleet.Doubled) {
		emit("doubled_messages", float64(now.Doubled-start.Doubled))
	}
	if m.cfg.Clocks.Differ() {
		emit("clock_spread", m.fleet.ClockSpread(m.span.End).Seconds())
	}
}
