package fleet

import "time"

// Account is what a fleet's coordination has cost and done so far. All of it is
// always counted. What is counted of requests counts each once, whatever its
// cost; tokens count by cost.
type Account struct {
	// Requests that were decided without an event queue are not told to a
	// Caller; the others are.
	StoreOps int64 // operations that the store has served
	HotShard int64 // of these, most by one shard
	Messages int64 // between servers and the store, there and back, or among servers

	// Late counts checks whose answer did not come by the timeout, and then
	// what the servers did without it.
	Late, FailedOpen, FailedClosed, FailedLocal int64
	// Wasted counts charges that no admitted request was waiting for: of checks
	// whose answer came too late or was lost, of questions that came twice, and
	// of calls that were given up.
	Wasted int64

	// Grants counts leases. Tokens were issued to servers by them, then spent on
	// requests, or expired with the lease or were lost, or are left: Issued = Spent + Expired
	// + Left, once nothing is under way.
	Grants                       int64
	Issued, Spent, Expired, Left int64
	// Exhaustions counts how often a key was refused for the first time since
	// its latest grant, and Stranded the tokens that other servers held of it
	// at that time.
	Exhaustions, Stranded int64
	// IdleSibling counts requests that were refused for want of tokens while
	// other servers held as many as they asked for.
	IdleSibling int64

	ZeroShares int // servers whose share has capacity 0
}

// Minus returns what was counted after before, which was read from the same
// fleet; what is not a count, Left and ZeroShares, stays, and HotShard is as
// uneven as over the whole time.
func (a Account) Minus(before Account) Account {
	a.StoreOps -= before.StoreOps
	a.HotShard -= before.HotShard
	a.Messages -= before.Messages
	a.Late -= before.Late
	a.FailedOpen -= before.FailedOpen
	a.FailedClosed -= before.FailedClosed
	a.FailedLocal -= before.FailedLocal
	a.Wasted -= before.Wasted
	a.Grants -= before.Grants
	a.Issued -= before.Issued
	a.Spent -= before.Spent
	a.Expired -= before.Expired
	a.Exhaustions -= before.Exhaustions
	a.Stranded -= before.Stranded
	a.IdleSibling -= before.IdleSibling
	return a
}

// Account returns what has been counted up to now, which must not lie before
// the latest request.
func (f *Fleet) Account(now time.Duration) Account {
	f.keepUp(now)
	a := f.account
	if f.store != nil {
		for _, q := range f.store.shards {
			a.StoreOps += q.operations
			a.HotShard = max(a.HotShard, q.operations)
		}
		a.StoreOps += f.direct
		a.HotShard += f.direct
		a.Messages += 2 * f.direct
	}
	if t, ok := f.coordination.(interface {
		settle(now time.Duration, a *Account)
	}); ok {
		t.settle(now, &a)
	}
	a.ZeroShares = f.ZeroShareServers()
	return a
}

// Shards returns how many shards the store has; 0 if there is no store.
func (f *Fleet) Shards() int {
	if f.store == nil {
		return 0
	}
	return len(f.store.shards)
}

// Queues reports whether operations wait for their turn in the store.
func (f *Fleet) Queues() bool { return f.store != nil && f.store.config.capacity.N > 0 }

// Communicates reports whether servers exchange messages, with the store or
// among themselves.
func (f *Fleet) Communicates() bool {
	switch f.coordination.(type) {
	case *synced, *adaptive:
		return true
	}
	return f.store != nil
}

// Leases reports whether servers hold tokens on lease.
func (f *Fleet) Leases() bool { _, ok := f.coordination.(*leased); return ok }

// SharesOut reports whether each server enforces a share of the limit.
func (f *Fleet) SharesOut() bool {
	switch f.coordination.(type) {
	case *quota, *adaptive:
		return true
	}
	return false
}

// HasStore reports whether servers ask a store.
func (f *Fleet) HasStore() bool { return f.store != nil }

// ZeroShareServers returns how many servers enforce a share with capacity 0,
// and so refuse everything.
func (f *Fleet) ZeroShareServers() int { return f.coordination.zeroShares() }

// Wasted returns how many charges were made that no admitted request was
// waiting for, see [Account].
func (f *Fleet) Wasted() int64 { return f.account.Wasted }
