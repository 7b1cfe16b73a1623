package clients

import (
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "greedy",
			Doc:  "takes whatever is admitted at the worst instants: all that is left just before a reset, all again at it",
			Params: []spec.Param{
				{Name: "else", Unit: "duration", Default: "1s", Doc: "the wait after a failure that says nothing"},
				{Name: "queue", Unit: "count", Default: "1000", Doc: "requests that may wait for their instant; one more is given up"},
			},
			More: "It holds its requests back. One is sent to learn what is left and until when; what is left is spent one nanosecond before that,\n" +
				"and what is there at that instant at once. Under a fixed window it passes twice the limit in a nanosecond, at every second edge;\n" +
				"under a bucket, the whole burst whenever it has filled.",
		},
		Examples: []string{"greedy", "greedy:queue=100,attempts=1"},
		read: func(v *spec.Values) policy {
			return greedy{paced{otherwise: v.Duration("else"), queue: readQueue(v)}}
		},
	}, true)
}

type greedy struct{ paced }

func (p greedy) ready(g *gate, now time.Duration, cost int64) time.Duration {
	if g.known && now >= g.reset {
		if g.known = g.armed; g.known {
			g.left, g.reset, g.renewed = g.limit, contract.Never, true
		}
		g.armed = false
	}
	switch {
	case !g.known:
		return g.probe()
	case g.left < cost:
		return g.reset
	case g.armed || g.renewed:
		return now
	}
	return g.reset - 1
}

func (p greedy) sent(g *gate, now time.Duration, cost int64) {
	g.latest, g.latestCost = now, cost
	if g.known {
		g.left -= cost
		g.armed = g.armed || !g.renewed
	}
}

func (p greedy) heard(g *gate, now time.Duration, r contract.Reply) {
	switch {
	case g.learn(now, r):
		g.renewed = g.renewed && g.left > 0
	case r.Outcome != contract.OK:
		g.next, g.renewed = plus(now, p.otherwise), false
	}
}
