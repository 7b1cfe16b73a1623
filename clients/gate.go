package clients

import (
	"math/bits"
	"time"

	"ratelab/des"
	"ratelab/limiters/contract"
)

// holding is a policy that says when a client's next request may be sent, by
// what it knows of its allowance. A failed request of such a client goes to
// the head of its queue again.
type holding interface {
	policy
	// ready returns when a request that costs so much may be sent: not after
	// now, if now; Never, if not before a reply is heard.
	ready(g *gate, now time.Duration, cost int64) time.Duration
	// sent is told that one was sent, heard how it ended.
	sent(g *gate, now time.Duration, cost int64)
	heard(g *gate, now time.Duration, r contract.Reply)
	// room is how many requests may wait.
	room() int64
}

// gate is where a client's requests wait, and what the client believes.
type gate struct {
	first, last uint32 // of the queue, slots + 1; 0: nobody waits
	waiting     int64
	wake        des.Event
	releasing   bool // requests are being sent right now

	flying      int64 // attempts without an answer
	flyingUnits int64 // what they cost

	known      bool // the server has said what is left and until when
	left       int64
	limit      int64
	reset      time.Duration // when left is limit again
	next       time.Duration // not before
	latest     time.Duration // when the latest attempt was sent
	latestCost int64
	armed      bool // greedy: has spent what was left at the last instant
	renewed    bool // greedy: spends the new allowance
}

// learn takes in a reply's hints. It reports false if there are none of use:
// then nothing is known. A refusal is of use if it says when to come back, or
// that nothing is left until a time that lies ahead.
func (g *gate) learn(now time.Duration, r contract.Reply) bool {
	d := r.Decision
	pause, said := told(d)
	refused := r.Outcome != contract.OK
	const both = contract.HintRemaining | contract.HintReset
	switch {
	case refused && said && pause != contract.Never:
		g.left, g.reset = 0, plus(now, pause)
	case d.Has&both != both, d.Reset < 0, d.Reset == contract.Never, refused && (d.Remaining > 0 || d.Reset == 0):
		g.known = false
		return false
	default:
		g.left, g.reset = max(0, d.Remaining-g.flyingUnits), plus(now, d.Reset)
	}
	if d.Has&contract.HintLimit != 0 {
		g.limit = d.Limit
	}
	g.known = true
	return true
}

// probe returns when a client that knows nothing may send: one at a time.
func (g *gate) probe() time.Duration {
	if g.flying > 0 {
		return contract.Never
	}
	return g.next
}

// spread returns when the next request may be sent if what is left is spread
// evenly from the latest attempt to the reset, which is at the latest.
func (g *gate) spread() time.Duration {
	if g.left == 0 {
		return g.reset
	}
	hi, lo := bits.Mul64(uint64(max(0, g.reset-g.latest)), uint64(g.latestCost))
	if hi >= uint64(g.left) {
		return g.reset
	}
	gap, _ := bits.Div64(hi, lo, uint64(g.left))
	if gap > uint64(max(0, g.reset-g.latest)) {
		return g.reset
	}
	return g.latest + time.Duration(gap)
}
