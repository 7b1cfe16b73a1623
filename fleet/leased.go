package fleet

import (
	"time"

	"ratelab/des"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// leased hands out tokens in batches. A server admits from what it has of a
// key; when that is not enough it asks the store for a batch of k, or for what
// the request lacks if that is more. The store grants it, or all that is left if
// that is less, and charges its limiter: what is granted never exceeds the
// limit's envelope. If less is left than the request lacks, nothing is granted.
// Requests of the same key at the same server wait for the same answer, in
// order, and are admitted from it or refused with it.
//
// Unused tokens expire: at the end of the window in which they were granted, if
// windows have an end, and a window's length after the grant for sliding-log
// and sliding-counter; for the others never (ttl=window). Or after the ttl, be
// the window over or not: of N servers what outlives a window adds at most
// N(k−1) to the next. A request that waited for a grant is admitted from it
// even if it has expired on the way.
//
// Of a fixed-window with ttl=window nothing outlives its window if the store
// answers in no time: a token that was granted at g, in the window [s, s+T),
// expires at s+T or, in a lease that holds older ones, before; it is spent in
// [g, s+T), so that no window admits more than the L that are granted in it. A
// window that opens with a request opens with one that is admitted then. So
// the fleet keeps the envelope of the one limiter, whatever N and k are.
//
// With cache=yes a server that was refused asks no more for as much or more
// until the store's limiter would grant it.
//
// A window that is asked for more than L takes ⌈L/k⌉ grants. With uniform
// random routing (N−1)(k−1)/2 tokens lie on the other servers when a request is
// first refused, for L/N ≥ k²/4.
type leased struct {
	store
	limiter limiters.Limiter
	spec    limiters.Spec
	batch   int64
	ttl     time.Duration // 0: never, or at the window's end
	edges   bool          // tokens expire at the window's end
	cache   bool

	index  pairs
	leases []*[leaseChunk]lease // by number; they never move
	names  pairs                // keys, all of "server" 0
	keys   []keyLeases
	expiry []expiring // with a ttl: grants in the order in which they expire
	head   int        // of expiry: those before have expired
}

// lease is what a server has of a key.
type lease struct {
	tokens  int64
	expires time.Duration // from then on they are worth nothing
	// until the server knows that the store refuses need tokens, or more.
	refused     time.Duration
	need        int64
	asking      Call // whose question is on its way; 0: none
	first, last Call // that wait for the answer; 0: none
	key         uint32
}

// keyLeases is what all servers together have of a key.
type keyLeases struct {
	tokens  int64
	expires time.Duration // with edges: of the window they are of
	dry     bool          // a request was refused since the latest grant
}

type expiring struct {
	at    time.Duration
	lease uint32
}

// leaseChunk is how many leases are made room for at once.
const leaseChunk = 256

func (l *leased) lease(i uint32) *lease { return &l.leases[i/leaseChunk][i%leaseChunk] }

func (l *leased) leaseOf(server int, key uint32) uint32 {
	i, fresh := l.index.of(server, key)
	if fresh {
		if i%leaseChunk == 0 {
			l.leases = append(l.leases, new([leaseChunk]lease))
		}
		l.lease(i).key = key
	}
	return i
}

func (l *leased) keyOf(key uint32) *keyLeases {
	i, fresh := l.names.of(0, key)
	if fresh {
		l.keys = append(l.keys, keyLeases{})
	}
	return &l.keys[i]
}

// Check admits from the server's lease, or asks the store for another.
func (l *leased) Check(s *des.Sim, server int, call Call) {
	c := l.fleet.calls.at(call)
	if l.store.atOnce() && !l.down {
		l.fleet.declare(s, call, l.decide(s.Now(), server, c.req.Key, c.req.Cost))
		l.fleet.Answer(s, call)
		return
	}
	i := l.leaseOf(server, c.req.Key)
	if le := l.lease(i); le.first == 0 {
		d, ok := l.here(s.Now(), i, c.req.Cost)
		if ok {
			l.fleet.declare(s, call, d)
			l.fleet.Answer(s, call)
			return
		}
	}
	l.wait(i, call)
	l.await(s, call)
	if l.lease(i).asking == 0 {
		l.request(s, i)
	}
}

// here decides what the server can decide by itself.
func (l *leased) here(now time.Duration, i uint32, cost int64) (d limiters.Decision, ok bool) {
	l.expire(now)
	le := l.lease(i)
	l.strand(now, le)
	if le.tokens >= cost {
		return l.spend(le, cost), true
	}
	if now < le.refused && cost-le.tokens >= le.need {
		return l.refuse(now, le, cost, le.refused), true
	}
	return d, false
}

// spend admits a request from a lease that has enough.
func (l *leased) spend(le *lease, cost int64) limiters.Decision {
	le.tokens -= cost
	if k := l.keyOf(le.key); l.counts(k, le) {
		k.tokens -= cost
	}
	l.fleet.account.Spent += cost
	return limiters.Decision{Admitted: true, Limit: l.spec.Capacity(), Remaining: le.tokens, Has: contract.HintLimit | contract.HintRemaining}
}

// counts reports whether a lease's tokens are among those of its key: with
// edges those are of the latest window.
func (l *leased) counts(k *keyLeases, le *lease) bool { return !l.edges || k.expires == le.expires }

// refuse refuses a request until some time, and counts what other servers hold
// meanwhile.
func (l *leased) refuse(now time.Duration, le *lease, cost int64, until time.Duration) limiters.Decision {
	k := l.keyOf(le.key)
	others := k.tokens
	if l.edges && k.expires <= now {
		others = 0
	} else if l.counts(k, le) {
		others -= le.tokens
	}
	if others >= cost-le.tokens {
		l.fleet.account.IdleSibling++
	}
	if !k.dry {
		k.dry = true
		l.fleet.account.Exhaustions++
		l.fleet.account.Stranded += others
	}
	d := limiters.Decision{
		RetryAfter: limiters.Never, Limit: l.spec.Capacity(), Remaining: le.tokens,
		Has: contract.HintRetryAfter | contract.HintLimit | contract.HintRemaining,
	}
	if until < des.Never {
		d.RetryAfter = max(0, until-now)
	}
	return d
}

// strand drops a lease's tokens if they have expired.
func (l *leased) strand(now time.Duration, le *lease) {
	if now >= le.expires {
		l.drop(le)
	}
}

// drop drops a lease's tokens.
func (l *leased) drop(le *lease) {
	if le.tokens == 0 {
		return
	}
	l.fleet.account.Expired += le.tokens
	if k := l.keyOf(le.key); l.counts(k, le) {
		k.tokens -= le.tokens
	}
	le.tokens = 0
}

// expire drops the tokens of all leases that have expired by now, with a ttl.
func (l *leased) expire(now time.Duration) {
	for l.head < len(l.expiry) && l.expiry[l.head].at <= now {
		l.strand(now, l.lease(l.expiry[l.head].lease))
		l.head++
	}
	if l.head > 0 && 2*l.head >= len(l.expiry) {
		n := copy(l.expiry, l.expiry[l.head:])
		l.expiry, l.head = l.expiry[:n], 0
	}
}

// grant lets the store decide, on its clock, how many tokens a server that
// needs so many gets, and when they expire; if it gets none, when it would.
func (l *leased) grant(now time.Duration, key uint32, need int64) (granted int64, until time.Duration) {
	asked := l.limiter.Ask(now, key, need)
	if !asked.Admitted {
		return 0, later(now, asked.RetryAfter)
	}
	granted = max(need, min(l.batch, asked.Remaining))
	reset := l.limiter.Take(now, key, granted).Reset
	l.fleet.account.Grants++
	l.fleet.account.Issued += granted
	switch {
	case l.edges:
		return granted, later(now, reset)
	case l.ttl > 0:
		return granted, later(now, l.ttl)
	}
	return granted, des.Never
}

// receive puts granted tokens into a lease. Tokens that have expired on the way
// serve whoever waits for them, but do not mix with others.
func (l *leased) receive(now time.Duration, i uint32, granted int64, expires time.Duration) {
	le := l.lease(i)
	if expires <= now && le.tokens > 0 {
		l.fleet.account.Expired += granted
		return
	}
	k := l.keyOf(le.key)
	k.dry = false
	if l.edges && k.expires < expires {
		k.tokens, k.expires = 0, expires
	}
	if le.tokens == 0 || expires < le.expires {
		le.expires = expires // of tokens of two grants, the earlier
	}
	le.tokens += granted
	if l.counts(k, le) {
		k.tokens += granted
	}
	le.refused = 0
	if l.ttl > 0 {
		l.expiry = append(l.expiry, expiring{expires, i})
		for k := len(l.expiry) - 1; k > l.head && l.expiry[k-1].at > expires; k-- { // it was overtaken on the way
			l.expiry[k-1], l.expiry[k] = l.expiry[k], l.expiry[k-1]
		}
	}
}

// decide decides as Check does if the store answers in no time.
func (l *leased) decide(now time.Duration, server int, key uint32, cost int64) limiters.Decision {
	i := l.leaseOf(server, key)
	if d, ok := l.here(now, i, cost); ok {
		return d
	}
	l.count(0)
	le := l.lease(i)
	granted, until := l.grant(now, key, cost-le.tokens)
	if granted == 0 {
		l.learn(le, cost-le.tokens, until)
		return l.refuse(now, le, cost, until)
	}
	l.receive(now, i, granted, until)
	return l.spend(l.lease(i), cost)
}

// learn notes until when the store refuses.
func (l *leased) learn(le *lease, need int64, until time.Duration) {
	if l.cache {
		le.refused, le.need = until, need
	}
}

// wait puts a call at the end of those that wait for the same answer.
func (l *leased) wait(i uint32, call Call) {
	le := l.lease(i)
	l.fleet.calls.at(call).held++
	if le.first == 0 {
		le.first = call
	} else {
		l.fleet.calls.at(le.last).next = call
	}
	le.last = call
}

// waiting returns the first call that waits for the lease and has not been
// answered otherwise; 0 if there is none.
func (l *leased) waiting(i uint32) Call {
	for {
		call := l.lease(i).first
		if call == 0 || !l.fleet.calls.at(call).answered {
			return call
		}
		l.leave(i)
	}
}

// leave takes the first call out of those that wait.
func (l *leased) leave(i uint32) {
	le := l.lease(i)
	call := le.first
	c := l.fleet.calls.at(call)
	if le.first = c.next; le.first == 0 {
		le.last = 0
	}
	c.next = 0
	l.fleet.calls.letGo(call)
}

// request asks the store for what the first call that waits lacks.
func (l *leased) request(s *des.Sim, i uint32) {
	call := l.waiting(i)
	if call == 0 {
		return
	}
	le := l.lease(i)
	l.strand(s.Now(), le)
	c := l.fleet.calls.at(call)
	c.value, c.need = c.req.Cost-le.tokens, c.req.Cost-le.tokens
	le.asking = call
	l.ask(s, call, 0)
}

// serve grants a lease, or says no. A grant is worth something even if its
// call is waited for no longer.
func (l *leased) serve(s *des.Sim, call Call, _ bool) {
	c := l.fleet.calls.at(call)
	need := c.value
	if c.value, c.until = l.grant(s.Now(), c.req.Key, need); c.value == 0 {
		c.value = -need
	}
}

// again grants once more what was asked for. Nobody gets it.
func (l *leased) again(s *des.Sim, call Call) {
	c := l.fleet.calls.at(call)
	granted, _ := l.grant(s.Now(), c.req.Key, c.need)
	l.fleet.account.Expired += granted
}

// lost counts a grant that nobody gets.
func (l *leased) lost(_ *des.Sim, call Call) {
	l.fleet.account.Expired += max(0, l.fleet.calls.at(call).value)
}

// restart makes a server forget its leases, and what the store refused it.
func (l *leased) restart(now time.Duration, server int) {
	l.store.restart(now, server)
	for _, s := range l.index.slots {
		if s.pair == 0 || int((s.pair-1)>>32) != server {
			continue
		}
		le := l.lease(s.number)
		l.drop(le)
		le.refused = 0
	}
}

// replied answers the calls that wait, as far as the answer goes, and asks
// again for the others.
func (l *leased) replied(s *des.Sim, call Call, _ bool) {
	c := l.fleet.calls.at(call)
	i := l.leaseOf(c.server, c.req.Key)
	now, value, until := s.Now(), c.value, c.until
	l.expire(now)
	l.strand(now, l.lease(i))
	if value > 0 {
		l.receive(now, i, value, until)
	} else {
		l.learn(l.lease(i), -value, until)
	}
	// Those who call again as soon as they are answered wait behind, and do not
	// ask.
	last := l.lastWaiting(i)
	for last != 0 {
		call := l.waiting(i)
		le, c := l.lease(i), l.fleet.calls.at(call)
		switch cost := c.req.Cost; {
		case le.tokens >= cost:
			l.fleet.declare(s, call, l.spend(le, cost))
		case value < 0 && cost-le.tokens >= -value:
			l.fleet.declare(s, call, l.refuse(now, le, cost, until))
		default:
			call = 0
		}
		if call == 0 {
			break
		}
		c.held++
		l.leave(i)
		l.fleet.Answer(s, call)
		l.fleet.calls.letGo(call)
		if call == last {
			break
		}
	}
	l.expire(now)
	l.strand(now, l.lease(i))
	if a := l.lease(i).asking; a == call || a == 0 {
		l.lease(i).asking = 0
		l.request(s, i)
	}
}

// lastWaiting returns the last call that waits for the lease and has not been
// answered otherwise; 0 if there is none.
func (l *leased) lastWaiting(i uint32) (last Call) {
	for call := l.waiting(i); call != 0; {
		c := l.fleet.calls.at(call)
		if !c.answered {
			last = call
		}
		call = c.next
	}
	return last
}

// gaveUp asks for the others if it was this call that asked, or one that has
// been answered from another's grant: its own question may be lost.
func (l *leased) gaveUp(s *des.Sim, call Call) {
	c := l.fleet.calls.at(call)
	i := l.leaseOf(c.server, c.req.Key)
	le := l.lease(i)
	asker := l.fleet.calls.at(le.asking)
	if le.asking == call || asker == nil || asker.answered {
		le.asking = 0
		l.request(s, i)
	}
}

func (l *leased) write(*des.Sim, Call) {}

// settle counts the tokens that are left, and those that have expired since
// somebody looked.
func (l *leased) settle(now time.Duration, a *Account) {
	for i := range l.index.n {
		if le := l.lease(i); now < le.expires {
			a.Left += le.tokens
		} else {
			a.Expired += le.tokens
		}
	}
}

func (l *leased) limiterOf(int) limiters.Limiter { return nil }
func (l *leased) copies() []limiters.Limiter     { return []limiters.Limiter{l.limiter} }
func (l *leased) buckets() int                   { return 1 }
func (l *leased) shares() []limiters.Spec        { return []limiters.Spec{l.spec} }
func (l *leased) zeroShares() int                { return 0 }

func init() {
	coordinations.Register(spec.Entry{
		Name: "leased",
		Doc:  "servers take tokens from the store in batches: fewer calls, and tokens stranded where they are not needed",
		Params: append([]spec.Param{
			{Name: "batch", Unit: "requests", Doc: "k, tokens that a server asks for at a time"},
			{Name: "ttl", Unit: "duration|window", Default: "window", Doc: "when unused tokens expire: after so long, or with the window of their grant"},
			{Name: "cache", Unit: "yes|no", Default: "yes", Doc: "whether a server that was refused asks no more until the store would grant"},
		}, storeParams...),
		More: `Windows of a fixed-window have an end. ttl=window means a window's length for sliding-log
and sliding-counter, and for ever for the others. The store is as for central.
` + suitsText("leased"),
	}, func(v *spec.Values) (newCoordination, error) {
		batch := v.Count("batch")
		if batch < 1 {
			v.Fail("batch", "must be >= 1, got %s", v.Text("batch"))
		}
		var ttl time.Duration
		if v.Text("ttl") != "window" {
			ttl = v.Duration("ttl")
		}
		cache := v.Choice("cache", "yes", "no") == "yes"
		if err := v.Err(); err != nil {
			return nil, err
		}
		return func(f *Fleet, c Config) (Coordination, error) {
			l := &leased{limiter: c.limiter(c.Limiter), spec: c.Limiter, batch: batch, ttl: ttl, cache: cache}
			if window, windowed := c.Limiter.Window(); windowed && ttl == 0 {
				if l.edges = c.Limiter.Name() == "fixed-window"; !l.edges {
					l.ttl = window
				}
			}
			l.set(f, c, l, 1)
			return l, nil
		}, nil
	})
}
