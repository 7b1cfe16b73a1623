package clients

import (
	"math/rand/v2"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "paced",
			Doc:  "reads Remaining and Reset, spreads what is left until then, and never sends at Remaining 0",
			Params: []spec.Param{
				{Name: "else", Unit: "duration", Default: "1s", Doc: "the wait after a failure that says nothing"},
				{Name: "queue", Unit: "count", Default: "1000", Doc: "requests that may wait for their turn; one more is given up"},
			},
			More: "It holds back first tries too. Until it has a reply it has one request under way; after a reset it asks again. Alone under a\n" +
				"limiter with exact hints it is never refused.",
		},
		Examples: []string{"paced", "paced:queue=10,attempts=2", "paced:timeout=1s,users=3,think=1s"},
		read: func(v *spec.Values) policy {
			return paced{otherwise: v.Duration("else"), queue: readQueue(v)}
		},
	}, true)
}

func readQueue(v *spec.Values) int64 {
	n := v.Count("queue")
	if n < 1 {
		v.Fail("queue", "must be >= 1, got %s", v.Text("queue"))
	}
	return n
}

type paced struct {
	otherwise time.Duration // > 0
	queue     int64
}

func (p paced) wait(f failure, _ *rand.Rand) (time.Duration, bool) {
	pause, said := told(f.reply.Decision)
	return 0, !said || pause != contract.Never
}

func (p paced) room() int64 { return p.queue }

func (p paced) ready(g *gate, now time.Duration, cost int64) time.Duration {
	if g.known && now >= g.reset {
		g.known = false
	}
	switch {
	case !g.known:
		return g.probe()
	case g.left < cost:
		return g.reset
	}
	return g.next
}

func (p paced) sent(g *gate, now time.Duration, cost int64) {
	g.latest, g.latestCost = now, cost
	if g.known {
		g.next = g.spread()
		g.left -= cost
	}
}

func (p paced) heard(g *gate, now time.Duration, r contract.Reply) {
	switch {
	case g.learn(now, r):
		g.next = g.spread()
	case r.Outcome != contract.OK:
		g.next = plus(now, p.otherwise)
	}
}
