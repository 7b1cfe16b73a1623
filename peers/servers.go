package peers

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"ratelab/limiters"
)

// redisModelled is the Redis that the dialects and our scripts were seen on.
const redisModelled = "7.0.15"

// servers are the programs that run as servers, on loopback.
func servers() []Peer {
	return []Peer{
		{
			Program:   "nginx",
			Version:   nginxVersion,
			Start:     startNginxPeer,
			Specs:     specs(40, nginxText),
			Decisions: 20000,
			Ways:      Ways{Resolution: time.Millisecond, Back: 3 * time.Minute, Keys: nginxKeys},
			Note: "How long a request is held is measured, by moving the clock. When a new key arrives, nginx forgets up to two keys that have been idle for 60 s, " +
				"which can be seen at low rates; the dialect does not, so at rates in r/m every key of a case has a zone of its own.",
		},
		{
			Program: "HAProxy",
			Version: haproxyVersion,
			Start:   startHAProxyPeer,
			Specs: specs(30, func(_ int, r *rand.Rand) string {
				period := [...]int{33, 250, 777, 1000, 2000}[r.IntN(5)] + r.IntN(2)*r.IntN(100)
				return fmt.Sprintf("haproxy:limit=%d,period=%dms", r.IntN(12), period)
			}),
			Decisions: 10000,
			Ways:      Ways{Resolution: time.Millisecond, Rest: 10 * time.Second, Onward: true},
			Note: "HAProxy does not follow its clock when it jumps by more than it meant to sleep and 100 ms, nor back, and is off from then on; the dialect does not model that. " +
				"The clock is moved on in steps of at most 50 ms, across a turn of the 32 bits of its milliseconds.",
		},
		{
			Program: "github.com/go-redis/redis_rate/v10",
			Version: redisRateVersion,
			Start: startRedisPeer(func(r *redisServer, s limiters.Spec) (decider, error) {
				return r.redisRate(s.String())
			}),
			Specs: specs(40, func(i int, r *rand.Rand) string {
				return fmt.Sprintf("redis-rate:rate=%s,burst=%d", wholeSecondRate(i, r), r.IntN(12))
			}),
			Decisions: 20000,
			Ways:      Ways{Resolution: time.Microsecond, Back: 5 * time.Second},
			Note: "On Redis " + redisModelled + ", whose own sweep of expired keys is off: when that deletes a key can be seen if the clock goes back afterwards, and is not modelled. " +
				"A hint of more than 292 years, which Go converts as the machine pleases, is taken as never.",
		},
		{
			Program: "upstash/ratelimit-js",
			Version: upstashVersion,
			Start: startRedisPeer(func(r *redisServer, s limiters.Spec) (decider, error) {
				u, err := fetchedUpstash()
				return r.upstashSliding(u, s), err
			}),
			Specs: specs(30, func(_ int, r *rand.Rand) string {
				window := [...]int{1000, 2500, 10_000, 60_000, 3_600_000}[r.IntN(5)] + r.IntN(2)*r.IntN(1000)
				return fmt.Sprintf("upstash-sliding:limit=%d,window=%dms", count(0, r), window)
			}),
			Decisions: 20000,
			Ways:      Ways{Resolution: time.Millisecond, Back: 2 * time.Second},
			Note: "The script of the npm package, without its client. The dialect follows commit 5b5448a of 9 March 2026; 2.0.8 is the newest release before it. " +
				"The counters of the last four windows only are modelled, for a clock that goes back.",
		},
		ownScriptPeer("gcra.lua", (*redisServer).gcra, func(i int, r *rand.Rand) string {
			interval := 1 + r.Int64N([...]int64{10, 1000, 1_000_000, 1_000_000_000}[r.IntN(4)])
			return fmt.Sprintf("gcra:rate=1/%dus,burst=%d", interval, count(0, r))
		}),
		ownScriptPeer("fixed_window.lua", (*redisServer).fixedWindow, func(i int, r *rand.Rand) string {
			window := 1 + r.Int64N([...]int64{10, 1000, 1_000_000, 1_000_000_000}[r.IntN(4)])
			return fmt.Sprintf("fixed-window:limit=%d,window=%dus", count(0, r), window)
		}),
	}
}

// nginxText is a spec of the dialect. Its burst is less than what leaks in the
// 60 s after which nginx may forget a key, unless the rate is in r/m.
func nginxText(i int, r *rand.Rand) string {
	rate := [...]string{"1r/s", "3r/s", "10r/s", "2000r/s", "1r/m", "7r/m", "100r/m"}[i%7]
	if i >= 7 {
		rate = fmt.Sprintf("%dr/%s", 1+r.IntN([...]int{10, 100, 5000}[r.IntN(3)]), [...]string{"s", "m"}[r.IntN(2)])
	}
	text := fmt.Sprintf("nginx:rate=%s", rate)
	burst := r.IntN(2) * r.IntN([...]int{4, 50}[r.IntN(2)])
	if burst > 0 {
		text += fmt.Sprintf(",burst=%d", burst)
		switch r.IntN(3) {
		case 0:
			text += ",nodelay"
		case 1:
			text += fmt.Sprintf(",delay=%d", 1+r.IntN(burst))
		}
	}
	return text
}

// wholeSecondRate is the text of a rate in whole seconds: redis_rate divides
// the period by the rate as they are given, the dialect has them reduced.
func wholeSecondRate(i int, r *rand.Rand) string {
	known := [...]string{"20/s", "3/s", "10/13s", "50/s", "250/s", "7/m", "1/h"}
	if i < len(known) {
		return known[i]
	}
	return fmt.Sprintf("%d/%ds", 1+r.IntN([...]int{10, 1000}[r.IntN(2)]), 1+r.IntN(2)*r.IntN(100))
}

func ownScriptPeer(file string, script func(*redisServer, limiters.Spec) decider, text func(int, *rand.Rand) string) Peer {
	return Peer{
		Program:  "Redis",
		Version:  redisVersion,
		Modelled: redisModelled,
		Start: startRedisPeer(func(r *redisServer, s limiters.Spec) (decider, error) {
			return script(r, s), nil
		}),
		Specs:     specs(40, text),
		Decisions: 20000,
		Ways:      Ways{Resolution: time.Microsecond},
		Note:      "Our own script, peers/redis/" + file + ", beside our own limiter, at whole microseconds, which is what Redis tells a script of the time.",
	}
}

// serverPeer is a started server with the way to ask it.
type serverPeer struct {
	decide func(c *Case, a *Arrival) (limiters.Decision, error)
	close  func() error
}

func (s serverPeer) Decide(c *Case) ([]limiters.Decision, error) {
	answers := make([]limiters.Decision, len(c.Arrivals))
	for i := range c.Arrivals {
		var err error
		if answers[i], err = s.decide(c, &c.Arrivals[i]); err != nil {
			return nil, fmt.Errorf("arrival %d: %w", i, err)
		}
	}
	return answers, nil
}

func (s serverPeer) Close() error { return s.close() }

func startNginxPeer(specs []string) (Program, error) {
	n, err := startNginx(firstStart, specs...)
	if err != nil {
		return nil, err
	}
	return serverPeer{func(c *Case, a *Arrival) (limiters.Decision, error) {
		return n.take(c.Index, int(a.Key), a.At, c.KeyText(a.Key))
	}, n.close}, nil
}

// startHAProxyPeer starts HAProxy a minute before the 32 bits of its
// milliseconds turn, and moves the arrivals there.
func startHAProxyPeer(specs []string) (Program, error) {
	const turn = (1 << 32) * time.Millisecond
	later := turn - (firstStart+time.Minute)%turn
	h, err := startHAProxy(firstStart+later, specs...)
	if err != nil {
		return nil, err
	}
	return serverPeer{func(c *Case, a *Arrival) (limiters.Decision, error) {
		a.At += later
		return h.take(c.Index, a.At, c.KeyText(a.Key))
	}, h.close}, nil
}

// startRedisPeer starts a Redis and asks it, for each spec, as the function
// says.
func startRedisPeer(asked func(*redisServer, limiters.Spec) (decider, error)) func([]string) (Program, error) {
	return func(specs []string) (_ Program, err error) {
		r, err := startRedis(firstStart)
		if err != nil {
			return nil, err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, r.close())
			}
		}()
		deciders := make([]decider, len(specs))
		for i, text := range specs {
			spec, err := limiters.Parse(text)
			if err != nil {
				return nil, err
			}
			if deciders[i], err = asked(r, spec); err != nil {
				return nil, err
			}
		}
		return serverPeer{func(c *Case, a *Arrival) (limiters.Decision, error) {
			return deciders[c.Index](&a.At, c.KeyText(a.Key), a.Cost)
		}, r.close}, nil
	}
}
