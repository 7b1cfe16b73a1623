package peers

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/workloads"
)

//go:embed redis/lease.lua
var leaseScript string

// A real fleet: servers in front of a Redis on loopback that is at the time of
// the machine. What arrives is dealt to the servers in turn by one goroutine.
// Each request is taken in by its server at once, in the order of arrival, and
// then goes its own way, over one of its server's connections.

// StoreCase is a fleet that is run in real time, then simulated with what was
// measured.
type StoreCase struct {
	Coordination string        // as `ratelab list coordinations` names it, without the delay
	Pause        time.Duration // meant to pass between a server's decision and its write
	Servers      int
	Workload     string // of requests of cost 1 under one key
	Limit        int64
	Window       time.Duration // whole microseconds
	Windows      int
}

// StoreCases are the rows of STORE.md.
func StoreCases() []StoreCase {
	c := StoreCase{Servers: 8, Workload: "poisson:rate=800/s", Limit: 40, Window: 500 * time.Millisecond, Windows: 16}
	var cases []StoreCase
	add := func(coordination string, pause time.Duration) {
		c.Coordination, c.Pause = coordination, pause
		cases = append(cases, c)
	}
	add("central", 0)
	for _, write := range []string{"add", "set"} {
		for _, pause := range []time.Duration{0, 2 * time.Millisecond, 5 * time.Millisecond} {
			add("central-racy:write="+write, pause)
		}
	}
	add("leased:batch=4", 0)
	add("leased:batch=10", 0)
	return cases
}

// storeRun is what happened when a case was run.
type storeRun struct {
	requests   []storeRequest  // in the order in which they were sent
	asks       []storeAsk      // of servers that lease, in their order
	late       []time.Duration // how much later a request arrived than it was meant to
	operations int64           // that Redis counted
}

// storeRequest is one request. Times are of the wall clock, since the beginning of
// window 0.
type storeRequest struct {
	at       time.Duration // when its server asked the store, or looked at its lease
	read     time.Duration // when the store read for it, by the store's own clock
	answered time.Duration // when its server had the answer
	writes   time.Duration // when its server sent the write, if it races and was admitted
	written  time.Duration // when the store wrote
	ended    time.Duration // when its server knew
	admitted bool
	window   int // in which it was decided
}

// storeAsk is a question for a lease.
type storeAsk struct {
	at, answered time.Duration
	window       int // in which the store decided
}

// frontEnd is a server of the fleet, with its own connections.
type frontEnd struct {
	store *redis.Client
	mu    sync.Mutex
	lease serverLease
}

// storeFleet is a running fleet.
type storeFleet struct {
	StoreCase
	origin  time.Duration // wall clock at the beginning of window 0, a whole number of windows
	servers []*frontEnd
	check   storeCheck

	mu   sync.Mutex
	asks []storeAsk
}

// storeCheck is how a server checks a request. What it does at once it does
// before it returns; what takes time, in the function that it returns, if any.
type storeCheck func(f *storeFleet, s *frontEnd, r *storeRequest) (rest func(context.Context) error)

// connections are open from each server to the store before a run begins.
const connections = 16

// run runs the case on a Redis. The seed names the arrivals.
func (c StoreCase) run(r *redisServer, seed uint64) (_ *storeRun, err error) {
	ctx := context.Background()
	f := &storeFleet{StoreCase: c}
	if f.check, err = c.check(); err != nil {
		return nil, err
	}
	due, err := c.arrivals(seed)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, s := range f.servers {
			err = errors.Join(err, s.store.Close())
		}
	}()
	for range c.Servers {
		s := &frontEnd{store: redis.NewClient(r.options(8 * connections))}
		f.servers = append(f.servers, s)
		if err := warm(ctx, s.store); err != nil {
			return nil, err
		}
	}
	// Both scripts are there before the first request.
	for _, script := range []string{fixedWindowScript, leaseScript} {
		if err := redis.NewScript(script).Load(ctx, r.client).Err(); err != nil {
			return nil, err
		}
	}
	if err := r.client.FlushDB(ctx).Err(); err != nil {
		return nil, err
	}
	if err := r.client.ConfigResetStat(ctx).Err(); err != nil {
		return nil, err
	}
	run := &storeRun{requests: make([]storeRequest, len(due)), late: make([]time.Duration, len(due))}
	f.origin = time.Duration(time.Now().UnixNano())
	f.origin += 2*c.Window - f.origin%c.Window
	if err := f.send(ctx, due, run); err != nil {
		return nil, err
	}
	slices.SortStableFunc(run.requests, func(a, b storeRequest) int { return cmp.Compare(a.at, b.at) })
	run.asks = f.asks
	slices.SortStableFunc(run.asks, func(a, b storeAsk) int { return cmp.Compare(a.at, b.at) })
	run.operations, err = r.operations(ctx)
	return run, err
}

// warm opens a server's connections.
func warm(ctx context.Context, client *redis.Client) error {
	held := make([]*redis.Conn, connections)
	var err error
	for i := range held {
		held[i] = client.Conn()
		err = errors.Join(err, held[i].Ping(ctx).Err())
	}
	for _, c := range held {
		err = errors.Join(err, c.Close())
	}
	return err
}

// quiet is how long nothing is sent before a window's end, so that no request is
// read in another window than it was sent in, unless the machine stands still.
const quiet = 10 * time.Millisecond

// arrivals are when requests are meant to arrive.
func (c StoreCase) arrivals(seed uint64) ([]time.Duration, error) {
	spec, err := workloads.Parse(c.Workload)
	if err != nil {
		return nil, err
	}
	w, err := spec.New(workloads.Env{Stream: workloads.Streams(seed, 0, "")})
	if err != nil {
		return nil, err
	}
	var due []time.Duration
	for a, ok := w.Next(); ok && a.At < c.Window*time.Duration(c.Windows); a, ok = w.Next() {
		if a.At%c.Window < c.Window-quiet {
			due = append(due, a.At)
		}
	}
	return due, nil
}

// send sends the requests when they are due, and waits until all have ended. A
// request that is late goes at once.
func (f *storeFleet) send(ctx context.Context, due []time.Duration, run *storeRun) (err error) {
	var ends sync.WaitGroup
	fails := func(failed error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		err = errors.Join(err, failed)
	}
	taken := make(chan struct{})
	for i := range due {
		fails(pause(due[i] - f.now()))
		ends.Go(func() {
			s, q := f.servers[i%len(f.servers)], &run.requests[i]
			q.at = f.now()
			run.late[i] = q.at - due[i]
			rest := f.check(f, s, q)
			taken <- struct{}{}
			if rest != nil {
				fails(rest(ctx))
			}
		})
		<-taken
	}
	ends.Wait()
	return err
}

// now is the wall clock, which Redis reads too, since the beginning of window 0.
func (f *storeFleet) now() time.Duration { return time.Duration(time.Now().UnixNano()) - f.origin }

// windowOf is the window that a time lies in.
func (f *storeFleet) windowOf(at time.Duration) int {
	if at < 0 {
		return -1
	}
	return int(at / f.Window)
}

// startLiveRedis starts a Redis at the time of the machine.
func startLiveRedis() (*redisServer, error) {
	s, err := newLiveServer()
	if err != nil {
		return nil, err
	}
	r := &redisServer{server: s}
	if err := s.start(nil, "redis-server", r.arguments()...); err != nil {
		return nil, errors.Join(err, r.close())
	}
	r.client = redis.NewClient(r.options(1))
	return r, nil
}

// operations is how many questions and writes Redis has served since its counts
// were reset: scripts, or else reads and writes of counts. What is asked only to
// know the time is not counted.
func (r *redisServer) operations(ctx context.Context) (sum int64, err error) {
	info, err := r.client.Info(ctx, "commandstats").Result()
	if err != nil {
		return 0, err
	}
	calls := map[string]int64{}
	for _, m := range regexp.MustCompile(`(?m)^cmdstat_([^:]+):calls=(\d+),`).FindAllStringSubmatch(info, -1) {
		if calls[m[1]], err = strconv.ParseInt(m[2], 10, 64); err != nil {
			return 0, err
		}
	}
	if calls["evalsha"] > 0 {
		return calls["evalsha"], nil
	}
	return calls["get"] + calls["set"] + calls["incrby"], nil
}
