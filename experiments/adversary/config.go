package adversary

import (
	"errors"
	"fmt"
	"math"
	"time"

	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// Harm is what an adversary wants the most of.
type Harm string

// The harms.
const (
	// Window is the most requests admitted in any half-open interval of length
	// Within, by when they were decided.
	Window Harm = "window"
	// Deficit is (log − own)/log: the share that the limiter admits less than
	// an exact log of the same limit does of the same requests.
	Deficit Harm = "deficit"
	// Delay is the longest that an admitted request waits, in ns, round trips
	// included.
	Delay Harm = "delay"
)

// ParseHarm reads the name of a harm.
func ParseHarm(name string) (Harm, error) {
	switch h := Harm(name); h {
	case Window, Deficit, Delay:
		return h, nil
	}
	return "", fmt.Errorf("must be window, deficit or delay, got %q", name)
}

// Bounds of a Config.
const (
	MaxRequests = 100_000
	MaxTries    = 10_000
	MaxSpan     = time.Duration(math.MaxInt64 / 8)
)

// Config says against what harm is sought, and how.
type Config struct {
	Limiter      limiters.Spec // what the whole fleet promises
	Servers      int           // >= 1
	Balancer     fleet.BalancerSpec
	Coordination fleet.CoordinationSpec
	RTT          fleet.RTT

	Harm     Harm
	Within   time.Duration // length of the intervals of Window; 0: the limiter's window, or 1 s if it has none
	Requests int           // most in a schedule; 0: see Filled
	Span     time.Duration // they come in [0, Span); 0: three times the longer of Within and the limiter's window
	Tries    int           // climbs, each from a random schedule; 0: 8
	Patience int64         // schedules in a row that come no nearer to more, after which a climb gives up; 0: 4000, and 20 more for each of Requests
	Seed     uint64        // of all random streams: the search's, the limiter's and the fleet's
	Rep      int           // replication: its streams are its own, as those of a scenario
	Workers  int           // climbs at the same time; they do not change what is found. 0: one a processor

	// Fresh, if not nil, makes the limiter of a single server in place of
	// Limiter.
	Fresh func() limiters.Limiter
	// Progress, if not nil, is told how many climbs are over. Calls do not
	// overlap.
	Progress func(done, total int)
}

// Against is a search for harm against a limiter on one server.
func Against(l limiters.Spec, h Harm) Config {
	return Config{Limiter: l, Servers: 1, Harm: h, Seed: 1}
}

// Default numbers of climbs and requests.
const (
	defaultTries  = 8
	leastRequests = 20
	mostRequests  = 3000
)

// Filled returns the Config with numbers in place of the zeros that stand for
// defaults: three times as many requests as all servers together promise within
// Within, from 20 to 3000.
func (c Config) Filled() Config {
	if c.Limiter.IsZero() {
		return c
	}
	window := c.window()
	if c.Within == 0 {
		c.Within = window
	}
	if c.Span == 0 {
		c.Span = min(max(c.Within, window), MaxSpan/3) * 3
	}
	if c.Tries == 0 {
		c.Tries = defaultTries
	}
	if c.Requests == 0 {
		each := min(c.Limiter.Promise(c.Within), mostRequests)
		c.Requests = int(min(max(3*each*int64(c.Servers), leastRequests), mostRequests))
	}
	if c.Patience == 0 {
		c.Patience = 4000 + 20*int64(c.Requests)
	}
	return c
}

// window is the limiter's own, or a second.
func (c Config) window() time.Duration {
	if w, ok := c.Limiter.Window(); ok {
		return w
	}
	return time.Second
}

// Validate checks what the parts do not check themselves, down to whether the
// fleet can be built.
func (c Config) Validate() error {
	if c.Limiter.IsZero() {
		return errors.New("an adversary needs a limiter")
	}
	if _, err := ParseHarm(string(c.Harm)); err != nil {
		return fmt.Errorf("harm %w", err)
	}
	if _, windowed := c.Limiter.Window(); c.Harm == Deficit && !windowed {
		return fmt.Errorf("harm deficit compares with a log of the same window, which limiter %q has not; it is for fixed-window, sliding-log and sliding-counter", c.Limiter)
	}
	if c.Harm == Deficit && c.Limiter.Capacity() == 0 {
		return fmt.Errorf("harm deficit needs a limit > 0, got %q", c.Limiter)
	}
	for _, n := range []struct {
		name  string
		value int
		most  int
	}{{"servers", c.Servers, fleet.MaxServers}, {"requests", c.Requests, MaxRequests}, {"tries", c.Tries, MaxTries}} {
		if n.value < 1 || n.value > n.most {
			return fmt.Errorf("%s must lie in 1..%d, got %d", n.name, n.most, n.value)
		}
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"span", c.Span}, {"length of the intervals (within)", c.Within}} {
		if d.value <= 0 || d.value > MaxSpan {
			return fmt.Errorf("%s must be > 0 and at most %s, got %s", d.name, spec.FormatDuration(MaxSpan), spec.FormatDuration(d.value))
		}
	}
	if c.Fresh != nil && (c.Servers != 1 || c.kind() != "local") {
		return errors.New("a limiter of one's own is for a single server under coordination local")
	}
	_, err := c.player()
	return err
}
