package peers

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// check finds how servers check requests under the case's coordination.
func (c StoreCase) check() (storeCheck, error) {
	switch {
	case c.Coordination == "central":
		return checkCentrally, nil
	case c.races():
		return checkRacily(param(c.Coordination, "write") == "set"), nil
	}
	batch, err := strconv.ParseInt(param(c.Coordination, "batch"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("coordination %q cannot be run: %w", c.Coordination, err)
	}
	return checkLeased(batch), nil
}

// checkCentrally asks our fixed-window script.
func checkCentrally(f *storeFleet, s *frontEnd, r *storeRequest) func(context.Context) error {
	return func(ctx context.Context) error {
		script := redis.NewScript(fixedWindowScript)
		r.at = f.now()
		reply, err := script.EvalSha(ctx, s.store, []string{"central"}, f.Limit, f.Window.Microseconds(), 1).Int64Slice()
		r.answered = f.now()
		if err != nil {
			return err
		}
		if len(reply) != 5 {
			return fmt.Errorf("five numbers were expected, not %d", len(reply))
		}
		r.admitted = reply[0] == 1
		// The window ends so much later than the store decided, which was at
		// most one window ago.
		left := time.Duration(reply[4]) * time.Microsecond
		r.window = f.windowOf(r.answered+left) - 1
		r.read = time.Duration(r.window+1)*f.Window - left
		return nil
	}
}

// checkRacily reads the count of the window, decides, pauses, and writes: an
// increment, or the count that it read and one. So do programs that have no
// script.
func checkRacily(set bool) storeCheck {
	return func(f *storeFleet, s *frontEnd, r *storeRequest) func(context.Context) error {
		return func(ctx context.Context) (err error) {
			r.at = f.now()
			r.window = f.windowOf(r.at)
			key := fmt.Sprintf("racy:%d", r.window)
			var count *redis.StringCmd
			r.read, err = f.timed(ctx, s, func(p redis.Pipeliner) { count = p.Get(ctx, key) })
			r.answered = f.now()
			if err != nil {
				return err
			}
			counted, err := count.Int64()
			if err != nil && !errors.Is(err, redis.Nil) { // nil: nothing was counted yet
				return err
			}
			if r.admitted = counted < f.Limit; !r.admitted {
				return nil
			}
			time.Sleep(f.Pause)
			r.writes = f.now()
			r.written, err = f.timed(ctx, s, func(p redis.Pipeliner) {
				if set {
					p.Set(ctx, key, counted+1, 0)
				} else {
					p.IncrBy(ctx, key, 1)
				}
			})
			r.ended = f.now()
			return err
		}
	}
}

// timed does an operation in the store, and has the store tell when it did. Both
// are one transaction, sent at once.
func (f *storeFleet) timed(ctx context.Context, s *frontEnd, operation func(redis.Pipeliner)) (time.Duration, error) {
	var at *redis.TimeCmd
	_, err := s.store.TxPipelined(ctx, func(p redis.Pipeliner) error {
		at = p.Time(ctx)
		operation(p)
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return 0, err
	}
	return time.Duration(at.Val().UnixNano()) - f.origin, at.Err()
}

// serverLease is what a server has of the one key.
type serverLease struct {
	tokens  int64
	window  int             // that the tokens are of
	refused int             // the window in which the store has no more
	waiting []*storeRequest // for the answer to the question that is on its way
}

// checkLeased spends what the server has, or asks for a batch. Who comes while
// the question is on its way waits for the same answer.
func checkLeased(batch int64) storeCheck {
	script := redis.NewScript(leaseScript)
	return func(f *storeFleet, s *frontEnd, r *storeRequest) func(context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		l := &s.lease
		now := f.windowOf(r.at)
		l.expire(now)
		switch {
		case len(l.waiting) > 0:
			l.waiting = append(l.waiting, r)
			return nil
		case l.tokens > 0:
			l.spend(r)
			return nil
		case l.refused == now+1:
			r.window = now
			return nil
		}
		l.waiting = append(l.waiting, r)
		return func(ctx context.Context) error {
			for {
				ask := storeAsk{at: f.now()}
				reply, err := script.EvalSha(ctx, s.store, []string{"leased"}, f.Limit, f.Window.Microseconds(), 1, batch).Int64Slice()
				if err == nil && len(reply) != 2 {
					err = fmt.Errorf("two numbers were expected, not %d", len(reply))
				}
				if err != nil {
					return err
				}
				ask.answered, ask.window = f.now(), int(time.Duration(reply[1])-f.origin/f.Window)
				f.mu.Lock()
				f.asks = append(f.asks, ask)
				f.mu.Unlock()
				s.mu.Lock()
				l.answer(reply[0], ask.window, f.windowOf(ask.answered))
				done := len(l.waiting) == 0
				s.mu.Unlock()
				if done {
					return nil
				}
			}
		}
	}
}

// expire drops tokens of windows that have ended.
func (l *serverLease) expire(now int) {
	if l.window < now {
		l.tokens = 0
	}
}

// spend admits a request.
func (l *serverLease) spend(r *storeRequest) {
	l.tokens--
	r.admitted, r.window = true, l.window
}

// answer takes what the store granted of a window, or that it has no more, and
// answers those that wait. Tokens that have expired on the way serve those only.
func (l *serverLease) answer(granted int64, window, now int) {
	if granted > 0 {
		l.tokens, l.window = granted, window
	} else {
		l.refused = window + 1
	}
	for len(l.waiting) > 0 {
		r := l.waiting[0]
		switch {
		case l.tokens > 0:
			l.spend(r)
		case granted == 0:
			r.window = window
		default:
			return // what is left waits for the next answer
		}
		l.waiting = l.waiting[1:]
	}
	l.expire(now)
}
