// Package fleet is where the counters live: N servers behind a balancer, and
// the coordination by which they share one limit, or fail to.
//
// A request enters by [Fleet.Send]. The [Balancer] picks a server; the server
// asks its [Coordination], which answers exactly once, at once or after a
// round trip, by [Fleet.Answer]; an admitted request that its limiter holds
// back is released when its delay has passed; then the caller's
// [Caller.Done] hears the reply. Requests in flight live in a slab of slots
// with generations: a caller that gives up cancels its call, and a late
// answer to it is dropped, while its charge stays and is counted as wasted.
//
// # Servers that drown
//
// Servers do all at once unless a [Capacity] says what they can do. A request
// then goes through
//
//	door → limit → (delay) → shedding, queue → worker → reply
//
// each of them its server's own. What the limit refuses is throttled, what a
// server turns away is shed: because its queue is full, or because a rule says
// so, one a file: by the length of the queue, by what is in flight, by the
// delay. A refusal may cost time as well, at the door or the workers'.
// A caller that gives up is not missed: what was for him is done, and wasted,
// unless workers pass it over. Tiers go one before the other. A server that
// restarts forgets of its limit, and nothing of its queue. [Fleet.Load] says
// what the workers have done.
//
// # Coordinations
//
// Each is one file, with its model in a comment: local and quota, which never
// talk; adaptive, whose shares follow demand; central, central-racy and sharded,
// which ask a store; leased, which takes tokens from it in batches; and synced,
// whose servers tell each other. Those that ask share one store: a machine, or
// several, with a round trip ([RTT]), a queue, a timeout, and what a server does
// when that is over. [CoordinationSpec.Suits] says which limiter works under
// which, and [Fleet.Account] what it all has cost.
//
// Nothing happens by itself: exchanges, estimates and leases that expire are
// caught up on when the next request comes, in the order of their times. So
// coordinations that need no round trip also decide through [Fleet.Decide],
// without an event queue. Both ways run the same limiters in the same order
// and give the same answers.
//
// # Trouble
//
// [Faults] and [Clocks] say what goes wrong. What each does under each
// coordination; where nothing stands, it means nothing, and [New] says why:
//
//	             store-down  partition  lost, doubled  restart        down    skew, drift
//	local                                              whole limit    stays   each server's
//	quota                                              share          moves   each server's
//	adaptive                                           share, demand  fades   each server's
//	synced                   peers      peers          copy, untold   stays   each server's
//	central      fails       fails      asks           (if local)             (if local)
//	central-racy fails       fails      asks, writes   (if local)             (if local)
//	sharded      fails       fails      asks           (if local)             (if local)
//	leased       fails       fails      asks           leases         stays   (if local)
//
// fails: servers do what fail says when the timeout is over, which must be
// given. What a partition takes from an answer is charged all the same.
//
// peers: what the others are told does not reach them, or is charged twice. A
// partition cuts its servers off from the others, not from each other.
//
// asks, writes: a question or a write is lost, or done twice: of two charges
// nobody hears of the second, and of two leases one is lost.
//
// restart: what the server forgets. (if local): the limiter with which it does
// without the store, if fail=local, is all that forgets or sees its clock.
//
// down: the balancer passes the server by, which ends what it has begun. What it
// holds of the limit stays, or moves to the others at once (with over=serving) or
// as its estimate fades.
//
// A fault holds for a half-open time: what comes at its beginning sees it, what
// comes at its end does not. A message is cut if a partition holds at any time
// while it is on its way.
package fleet
