package clients

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ratelab/des"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// server is one for the tests: it decides when an attempt comes, and answers
// after a delay, or at once.
type server struct {
	sim    *des.Sim
	p      *Population
	decide func(now time.Duration, req contract.Request) contract.Reply
	delay  time.Duration

	sends   []time.Duration // of all attempts
	replies []answerDue     // by call
	quiet   bool            // keeps no list of sends, and reuses replies
	free    []uint64
}

type answerDue struct {
	id        uint64
	reply     contract.Reply
	cancelled bool
}

func (v *server) Send(s *des.Sim, req contract.Request) Call {
	if !v.quiet {
		v.sends = append(v.sends, s.Now())
	}
	r := v.decide(s.Now(), req)
	if v.delay == 0 {
		v.p.Done(s, req.ID, r)
		return 0
	}
	var call uint64
	if n := len(v.free); n > 0 {
		call = v.free[n-1]
		v.free = v.free[:n-1]
		v.replies[call] = answerDue{req.ID, r, false}
	} else {
		call = uint64(len(v.replies))
		v.replies = append(v.replies, answerDue{req.ID, r, false})
	}
	s.After(v.delay, v, call)
	return Call(call)
}

func (v *server) Handle(s *des.Sim, call uint64) {
	due := v.replies[call]
	if v.quiet {
		v.free = append(v.free, call)
	}
	if !due.cancelled {
		v.p.Done(s, due.id, due.reply)
	}
}

func (v *server) Cancel(call Call) bool {
	if int(call) >= len(v.replies) || v.replies[call].cancelled {
		return false
	}
	v.replies[call].cancelled = true
	return true
}

// limited lets a limiter decide, and remembers what it has charged.
func (v *server) limited(t testing.TB, text string) *server {
	t.Helper()
	l, err := limiters.Parse(text)
	require.NoError(t, err)
	v.decide = limit(func() *Population { return v.p }, l.New(1, nil))
	return v
}

func limit(p func() *Population, l limiters.Limiter) func(time.Duration, contract.Request) contract.Reply {
	var ledger Ledger
	return func(now time.Duration, req contract.Request) contract.Reply {
		if ledger.Charged(req.Idempotency) {
			return contract.Reply{}
		}
		d := l.Take(now, req.Key, req.Cost)
		p().Decided(req, d.Admitted)
		if !d.Admitted {
			return contract.Reply{Outcome: contract.Throttled, Decision: d}
		}
		ledger.Charge(req.Idempotency)
		return contract.Reply{Decision: d}
	}
}

// failing fails each attempt with the same chance, for no reason that a client
// could know.
func failing(p float64, r *rand.Rand) func(time.Duration, contract.Request) contract.Reply {
	return func(time.Duration, contract.Request) contract.Reply {
		if r.Float64() < p {
			return contract.Reply{Outcome: contract.Shed}
		}
		return contract.Reply{}
	}
}

// refuse refuses everything, and says the same to all.
func refuse(wait time.Duration) func(time.Duration, contract.Request) contract.Reply {
	d := contract.Decision{RetryAfter: wait, Has: contract.HintRetryAfter}
	return func(time.Duration, contract.Request) contract.Reply {
		return contract.Reply{Outcome: contract.Throttled, Decision: d}
	}
}

// together is n arrivals at each of some times.
type together struct {
	n    int
	at   []time.Duration
	done int
}

func (w *together) Next() (workloads.Arrival, bool) {
	burst := w.done / w.n
	if burst >= len(w.at) {
		return workloads.Arrival{}, false
	}
	w.done++
	return workloads.Arrival{At: w.at[burst], Cost: 1}, true
}

// events keeps everything that an observer hears.
type events struct {
	sent  []sentEvent
	heard []heardEvent
	ended []endedEvent
}

type sentEvent struct {
	at      time.Duration
	policy  int
	req     contract.Request
	attempt int64
}

type heardEvent struct {
	at     time.Duration
	policy int
	reply  contract.Reply
}

type endedEvent struct {
	at time.Duration
	Ended
}

func (e *events) Sent(now time.Duration, policy int, req contract.Request, attempt int64) {
	e.sent = append(e.sent, sentEvent{now, policy, req, attempt})
}

func (e *events) Heard(now time.Duration, policy int, _ contract.Request, r contract.Reply) {
	e.heard = append(e.heard, heardEvent{now, policy, r})
}

func (e *events) Ended(now time.Duration, x Ended) { e.ended = append(e.ended, endedEvent{now, x}) }

func mustMix(t testing.TB, texts ...string) Mix {
	t.Helper()
	m, err := ParseMix(texts...)
	require.NoError(t, err)
	return m
}

func workload(t testing.TB, text string, seed uint64) workloads.Workload {
	t.Helper()
	s, err := workloads.Parse(text)
	require.NoError(t, err)
	w, err := s.New(workloads.Env{Stream: workloads.Streams(seed, 0, "")})
	require.NoError(t, err)
	return w
}

// start builds a population and lets it begin. The server may be changed
// before time passes.
func start(t testing.TB, c Config, seed uint64) (*server, *Population) {
	t.Helper()
	if c.Stream == nil {
		c.Stream = workloads.Streams(seed, 0, "")
	}
	p, err := New(c)
	require.NoError(t, err)
	v := &server{sim: des.New(), p: p}
	p.Start(v.sim, v)
	return v, p
}

// once fails the test if a request makes too many attempts, or one out of
// order. Its requests must be idempotent, so that it can tell them apart.
type once struct {
	t       testing.TB
	limit   []int64          // attempts, by policy; 0: none
	made    map[uint64]int64 // attempts, by request
	n, sent int64
}

func (o *once) Sent(now time.Duration, policy int, req contract.Request, attempt int64) {
	o.sent++
	if o.limit[policy] > 0 {
		require.LessOrEqual(o.t, attempt, o.limit[policy], "at %v", now)
	}
	require.NotZero(o.t, req.Idempotency)
	require.Equal(o.t, o.made[req.Idempotency]+1, attempt, "attempts count up, at %v", now)
	o.made[req.Idempotency] = attempt
}

func (o *once) Heard(time.Duration, int, contract.Request, contract.Reply) {}

func (o *once) Ended(now time.Duration, e Ended) {
	o.n++
	require.GreaterOrEqual(o.t, now, e.Since)
	require.Equal(o.t, e.End == Succeeded, e.Outcome == contract.OK, fmt.Sprint(e.End))
	if e.End == Exhausted {
		require.Equal(o.t, o.limit[e.Policy], e.Attempts)
	}
}
