package fleet

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"ratelab/des"
)

// Trouble is what faults have done so far.
type Trouble struct {
	Restarts int64 // servers that restarted, each time
	Lost     int64 // messages between servers and the store or their peers that were lost on the way
	Doubled  int64 // messages that arrived twice
}

// trouble is the faults of a fleet under way. Those that begin and end are
// changes, each made once, before the first thing that happens at its time or
// later: a request that comes, a message that arrives, a time that is out.
type trouble struct {
	faults  Faults
	changes []change
	made    int           // of the changes
	next    time.Duration // of the next change, des.Never if there is none
	lose    chance        // that a message is lost
	double  chance        // that it arrives twice
	count   Trouble
}

// chance is a share of messages, drawn for each from a stream of its own. What a
// server tells all others is one message to each, drawn by its name.
type chance struct {
	share float64
	r     *rand.Rand // nil: none
	named uint64
}

func newChance(share float64, r *rand.Rand) chance { return chance{share, r, r.Uint64()} }

func (c *chance) draw() bool { return c.r != nil && c.r.Float64() < c.share }

func (c *chance) of(message uint64) bool {
	return c.r != nil && float64(mix(c.named^message)>>11)*0x1p-53 < c.share
}

// change is a fault that begins, or ends.
type change struct {
	at    time.Duration
	fault Fault
	ends  bool
}

func newTrouble(faults Faults, stream func(string) *rand.Rand) trouble {
	t := trouble{faults: faults, next: des.Never}
	for _, f := range faults {
		switch f.Kind {
		case Restart:
			t.changes = append(t.changes, change{at: f.From, fault: f})
		case StoreDown, Down:
			t.changes = append(t.changes, change{at: f.From, fault: f}, change{at: f.To, fault: f, ends: true})
		case Lost:
			t.lose = newChance(f.Share, stream("lost"))
		case Doubled:
			t.double = newChance(f.Share, stream("doubled"))
		}
	}
	// What ends at a time does so before anything begins then; otherwise as
	// given.
	slices.SortStableFunc(t.changes, func(a, b change) int {
		if c := cmp.Compare(a.at, b.at); c != 0 || a.ends == b.ends {
			return c
		}
		if a.ends {
			return -1
		}
		return 1
	})
	if len(t.changes) > 0 {
		t.next = t.changes[0].at
	}
	return t
}

// messages reports whether messages may be lost or doubled.
func (t *trouble) messages() bool { return t.faults.first(StoreDown, Partition, Lost, Doubled) != nil }

// cut reports whether a partition holds for the server at any time of from..to,
// both included.
func (t *trouble) cut(server int, from, to time.Duration) bool {
	for i := range t.faults {
		if f := &t.faults[i]; f.Kind == Partition && f.From <= to && from < f.To && f.names(server) {
			return true
		}
	}
	return false
}

// carry returns how many copies arrive of a message that a server sends now to
// the store or a peer, where it would arrive at the given time: none, 1 or 2.
func (t *trouble) carry(server int, now, arrives time.Duration) int {
	if len(t.faults) == 0 {
		return 1
	}
	lost, doubled := t.lose.draw(), t.double.draw()
	n := copies(lost || t.cut(server, now, arrives), doubled)
	t.add(n)
	return n
}

func copies(lost, doubled bool) int {
	switch {
	case lost:
		return 0
	case doubled:
		return 2
	}
	return 1
}

// add counts a message of which so many copies arrive.
func (t *trouble) add(copies int) {
	switch copies {
	case 0:
		t.count.Lost++
	case 2:
		t.count.Doubled++
	}
}

// reach returns how many copies reach one server of a message that another sends
// to all. A server always reaches itself.
func (t *trouble) reach(from, to int, sent, arrives time.Duration) int {
	if len(t.faults) == 0 || from == to {
		return 1
	}
	message := mix(uint64(sent)) + uint64(from)<<32 + uint64(to)
	return copies(t.lose.of(message) || t.apart(from, to, sent, arrives), t.double.of(message))
}

// countPeers counts what becomes of a message that a server sends to all
// others.
func (t *trouble) countPeers(from, servers int, sent, arrives time.Duration) {
	if len(t.faults) == 0 {
		return
	}
	for to := range servers {
		t.add(t.reach(from, to, sent, arrives))
	}
}

// apart reports whether a partition holds between two servers, one within it
// and one not, at any time of from..to, both included.
func (t *trouble) apart(a, b int, from, to time.Duration) bool {
	for i := range t.faults {
		if f := &t.faults[i]; f.Kind == Partition && f.From <= to && from < f.To && f.names(a) != f.names(b) {
			return true
		}
	}
	return false
}

// carryBack reports whether the answer that is sent to a server now arrives.
// Answers are lost in partitions only.
func (t *trouble) carryBack(server int, now, arrives time.Duration) bool {
	if len(t.faults) == 0 || !t.cut(server, now, arrives) {
		return true
	}
	t.count.Lost++
	return false
}

// Trouble returns what faults have done up to now, which must not lie before
// the latest request.
func (f *Fleet) Trouble(now time.Duration) Trouble {
	f.keepUp(now)
	return f.trouble.count
}

// keepUp makes the changes that are due.
func (f *Fleet) keepUp(now time.Duration) {
	if now >= f.trouble.next {
		f.change(now)
	}
}

func (f *Fleet) change(now time.Duration) {
	t := &f.trouble
	for t.made < len(t.changes) && t.changes[t.made].at <= now {
		c := t.changes[t.made]
		t.made++
		switch c.fault.Kind {
		case StoreDown:
			f.store.setDown(c.at, !c.ends)
		case Down:
			for server := c.fault.First; server <= c.fault.Last; server++ {
				f.balancer.serve(server, c.ends)
				f.setServing(c.at, server, c.ends)
			}
		case Restart:
			for server := c.fault.First; server <= c.fault.Last; server++ {
				f.coordination.(restarter).restart(c.at, server)
				t.count.Restarts++
			}
		}
	}
	t.next = des.Never
	if t.made < len(t.changes) {
		t.next = t.changes[t.made].at
	}
}

// restarter is a coordination whose servers hold something that a restart
// forgets.
type restarter interface {
	restart(now time.Duration, server int)
}
