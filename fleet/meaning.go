package fleet

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// skewed is what clocks that differ are to a coordination, among its faults.
const skewed FaultKind = "skew and drift"

// meaningless says which faults mean nothing to a coordination, and why. A row
// with a condition is for the coordination with that parameter only, of which
// alternatives are separated by |. What is not here has a meaning; a server that
// is down has one everywhere.
var meaningless = []struct {
	coordination, condition string
	faults                  []FaultKind
	why                     string
}{
	{"local", "", []FaultKind{StoreDown, Partition, Lost, Doubled}, "its servers ask no store and tell each other nothing"},
	{"quota", "", []FaultKind{StoreDown, Partition, Lost, Doubled}, "its servers ask no store and tell each other nothing"},
	{"adaptive", "", []FaultKind{StoreDown, Partition, Lost, Doubled}, "its servers change their shares at one instant, without a message that could be lost"},
	{"synced", "", []FaultKind{StoreDown}, "its servers ask no store"},
	{"leased", "fail=open|closed", []FaultKind{skewed}, "a lease lasts for a length of time that the store tells, and the store has a clock of its own"},
	{"central", "fail=open|closed", []FaultKind{Restart, skewed}, "its servers hold no limit, and the store has a clock of its own"},
	{"central-racy", "fail=open|closed", []FaultKind{Restart, skewed}, "its servers hold no limit, and the store has a clock of its own"},
	{"sharded", "fail=open|closed", []FaultKind{Restart, skewed}, "its servers hold no limit, and the store has a clock of its own"},
}

// bearsTrouble refuses faults and clocks that the fleet has not got, or that
// would change nothing, or leave a call without an end.
func (c Config) bearsTrouble() error {
	if err := c.Faults.check(c.Servers); err != nil {
		return err
	}
	for _, m := range meaningless {
		if m.coordination != c.Coordination.kind() || !c.Coordination.meets(m.condition) {
			continue
		}
		if slices.Contains(m.faults, skewed) && c.Clocks.Differ() {
			return fmt.Errorf("clocks that differ (%s) mean nothing under coordination %q: %s", c.Clocks, c.Coordination, m.why)
		}
		if f := c.Faults.first(m.faults...); f != nil {
			return fmt.Errorf("fault %q means nothing under coordination %q: %s", f, c.Coordination, m.why)
		}
	}
	if f := c.Faults.first(StoreDown, Partition, Lost); f != nil && c.Coordination.store.fail != "" && c.Coordination.store.timeout == 0 {
		return fmt.Errorf("fault %q needs a timeout under coordination %q: without one a server waits for ever for an answer that is lost", f, c.Coordination)
	}
	if c.Faults.Has(Restart) && c.Eviction.Forgets() {
		return errors.New("a restart forgets all keys of a server, eviction some: have one or the other")
	}
	return nil
}

// kind is the coordination's name.
func (c CoordinationSpec) kind() string {
	if c.new == nil {
		return "local"
	}
	return c.name
}

// meaninglessText says which faults mean nothing under a coordination.
func meaninglessText(coordination string) (lines []string) {
	for _, m := range meaningless {
		if m.coordination != coordination {
			continue
		}
		var names []string
		for _, f := range m.faults {
			names = append(names, string(f))
		}
		with := ""
		if m.condition != "" {
			with = " with " + m.condition
		}
		lines = append(lines, fmt.Sprintf("Faults that mean nothing%s: %s: %s.", with, strings.Join(names, ", "), m.why))
	}
	return lines
}
