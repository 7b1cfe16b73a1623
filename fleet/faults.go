package fleet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/spec"
)

// FaultKind is what goes wrong.
type FaultKind string

// The kinds of faults. Times are half-open intervals of the simulated time.
const (
	StoreDown FaultKind = "store-down" // messages that reach the store meanwhile are lost
	Partition FaultKind = "partition"  // messages between these servers and the store or the other servers are lost meanwhile
	Down      FaultKind = "down"       // these servers take no requests meanwhile, and end what they have
	Restart   FaultKind = "restart"    // these servers forget at this time what they hold of the limit
	Lost      FaultKind = "lost"       // this share of messages is lost, each by itself
	Doubled   FaultKind = "doubled"    // this share of messages arrives twice, each by itself
)

// faultKinds says how each kind is written, in the order in which it is told.
var faultKinds = []struct {
	kind    FaultKind
	servers bool // names servers, from 0
	until   bool // has an end
	share   bool // has a share, and no time
	usage   string
}{
	{StoreDown, false, true, false, "store-down=10s..20s"},
	{Partition, true, true, false, "partition=0-3@10s..20s"},
	{Down, true, true, false, "down=3@30s..40s"},
	{Restart, true, false, false, "restart=3@30s"},
	{Lost, false, false, true, "lost=0.01"},
	{Doubled, false, false, true, "doubled=0.01"},
}

// FaultUsages returns an example of each kind of faults, as it is written.
func FaultUsages() (usages []string) {
	for _, k := range faultKinds {
		usages = append(usages, k.usage)
	}
	return usages
}

// Fault is one thing that goes wrong while a fleet runs.
type Fault struct {
	Kind        FaultKind
	First, Last int           // servers, from 0
	From, To    time.Duration // 0 <= From < To; a restart has only From
	Share       float64       // 0..1
}

// Faults are what goes wrong while a fleet runs; none if nothing does.
type Faults []Fault

// ParseFaults reads faults separated by commas, as in
// store-down=10s..20s,restart=3@30s. The empty text has none. Faults of one
// kind must not overlap in servers and time.
func ParseFaults(text string) (Faults, error) {
	var faults Faults
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		f, err := parseFault(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		for _, other := range faults {
			if f.overlaps(other) {
				return nil, fmt.Errorf("fault %q overlaps %q", f, other)
			}
		}
		faults = append(faults, f)
	}
	return faults, nil
}

func parseFault(text string) (Fault, error) {
	name, rest, _ := strings.Cut(text, "=")
	var names []string
	for _, k := range faultKinds {
		names = append(names, string(k.kind))
	}
	i := slices.Index(names, name)
	if i < 0 {
		return Fault{}, fmt.Errorf("unknown fault %q%s; write %s", name, spec.DidYouMean(name, names), strings.Join(FaultUsages(), ", "))
	}
	kind := faultKinds[i]
	f := Fault{Kind: kind.kind}
	fail := func(format string, args ...any) (Fault, error) {
		return Fault{}, fmt.Errorf("fault %q: %s, as in %s", text, fmt.Sprintf(format, args...), kind.usage)
	}
	if kind.share {
		share, err := spec.ParseNumber(rest)
		if err != nil || share <= 0 || share > 1 {
			return fail("share must be a number above 0, at most 1")
		}
		f.Share = share
		return f, nil
	}
	if kind.servers {
		servers, when, ok := strings.Cut(rest, "@")
		if !ok {
			return fail("needs servers and a time")
		}
		first, last, isRange := strings.Cut(servers, "-")
		if !isRange {
			last = first
		}
		a, errA := spec.ParseCount(first)
		b, errB := spec.ParseCount(last)
		if errA != nil || errB != nil || a > b || b >= MaxServers {
			return fail("servers must be one or a range, counted from 0")
		}
		f.First, f.Last, rest = int(a), int(b), when
	}
	from, to, hasEnd := strings.Cut(rest, "..")
	if hasEnd != kind.until {
		if kind.until {
			return fail("needs a beginning and an end")
		}
		return fail("happens at one time")
	}
	var err error
	if f.From, err = spec.ParseDuration(from); err != nil {
		return fail("time %s", err)
	}
	if kind.until {
		if f.To, err = spec.ParseDuration(to); err != nil {
			return fail("time %s", err)
		}
		if f.To <= f.From {
			return fail("must end after it begins")
		}
	}
	if f.From < 0 {
		return fail("must not begin before 0")
	}
	return f, nil
}

// String writes the fault as [ParseFaults] reads it.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(string(f.Kind) + "=")
	for _, k := range faultKinds {
		if k.kind != f.Kind {
			continue
		}
		if k.share {
			b.WriteString(strconv.FormatFloat(f.Share, 'f', -1, 64))
			break
		}
		if k.servers {
			b.WriteString(strconv.Itoa(f.First))
			if f.Last > f.First {
				b.WriteString("-" + strconv.Itoa(f.Last))
			}
			b.WriteString("@")
		}
		b.WriteString(spec.FormatDuration(f.From))
		if k.until {
			b.WriteString(".." + spec.FormatDuration(f.To))
		}
	}
	return b.String()
}

// String writes the faults as [ParseFaults] reads them.
func (f Faults) String() string {
	texts := make([]string, len(f))
	for i, one := range f {
		texts[i] = one.String()
	}
	return strings.Join(texts, ",")
}

func (f Fault) overlaps(other Fault) bool {
	if f.Kind != other.Kind || f.First > other.Last || other.First > f.Last {
		return false
	}
	if f.Kind == Restart {
		return f.From == other.From
	}
	return f.Share > 0 || f.From < other.To && other.From < f.To
}

func (f *Fault) names(server int) bool { return f.First <= server && server <= f.Last }

// Has reports whether one of the faults is of this kind.
func (f Faults) Has(kind FaultKind) bool { return f.first(kind) != nil }

// first returns the first fault of one of these kinds, nil if there is none.
func (f Faults) first(kinds ...FaultKind) *Fault {
	for i := range f {
		if slices.Contains(kinds, f[i].Kind) {
			return &f[i]
		}
	}
	return nil
}

// StoreDownAt reports whether the store is down at a time.
func (f Faults) StoreDownAt(t time.Duration) bool { return f.at(t, StoreDown, 0) }

// Restarts returns how many servers restart in from..to, half-open, each time
// it does.
func (f Faults) Restarts(from, to time.Duration) (n int) {
	for _, one := range f {
		if one.Kind == Restart && from <= one.From && one.From < to {
			n += one.Last - one.First + 1
		}
	}
	return n
}

// at returns whether a fault of this kind holds for the server at a time.
func (f Faults) at(now time.Duration, kind FaultKind, server int) bool {
	for i := range f {
		if one := &f[i]; one.Kind == kind && one.From <= now && now < one.To && one.names(server) {
			return true
		}
	}
	return false
}

// check refuses what the fleet has not got.
func (f Faults) check(servers int) error {
	for _, one := range f {
		if one.Last >= servers {
			return fmt.Errorf("fault %q: the fleet has servers 0 to %d", one, servers-1)
		}
	}
	for _, one := range f {
		if one.Kind == Down && f.allDown(one.From, servers) {
			return fmt.Errorf("fault %q: with it all %d servers are down at %s; one at least must serve", one, servers, spec.FormatDuration(one.From))
		}
	}
	return nil
}

func (f Faults) allDown(now time.Duration, servers int) bool {
	for server := range servers {
		if !f.at(now, Down, server) {
			return false
		}
	}
	return true
}
