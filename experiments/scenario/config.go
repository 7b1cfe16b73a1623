package scenario

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"ratelab/clients"
	"ratelab/fleet"
	"ratelab/limiters"
	"ratelab/workloads"
)

// MaxKeys bounds Config.Keys.
const MaxKeys = 1 << 24

// Config says what is simulated and what is measured.
type Config struct {
	Limiter limiters.Spec // the limit that the whole fleet promises
	// Layers are several limits instead of Limiter, keyed by the arrivals' Key
	// (column user), IP (ip), Endpoint (endpoint), or nothing (global). A
	// workload that sets no addresses or endpoints has one of each. Windows
	// are then as long as that of the layer that promises least.
	Layers limiters.LayersSpec
	// Eviction is how each copy of Limiter holds its keys; the zero value
	// forgets none, as layers do.
	Eviction limiters.Eviction
	Workload workloads.Spec // none if all clients bring their own users
	// Open gives the arrivals of the file of a trace; nil: they are read from
	// that file.
	Open func(file string) (workloads.Workload, error)
	// KeyText gives the texts of keys, to which the phases of windows with
	// jitter belong; nil: decimal numbers.
	KeyText      func(key uint32) string
	Servers      int // >= 1
	Balancer     fleet.BalancerSpec
	Coordination fleet.CoordinationSpec
	Clocks       fleet.Clocks  // how the servers' clocks differ
	Faults       fleet.Faults  // what goes wrong, each beginning before Horizon
	RTT          fleet.RTT     // round trip to the central store; zero where no store is asked
	Keys         int           // uniform over 0..Keys-1; ignored by workloads that set keys
	Horizon      time.Duration // half-open: arrivals in [0, Horizon)
	Warmup       time.Duration // arrivals before it are served and not counted
	Seed         uint64
	Rep          int // replication: its streams are its own, alike in every scenario

	// Clients are who sends, and what they do with a "no"; the zero Mix sends
	// every arrival once. Where an answer can change what is sent
	// ([clients.Mix.Feedback]), or Measure.Clients asks for it, they are
	// simulated: each attempt is then a request to the fleet, and the run ends
	// at the horizon with what is unfinished.
	Clients clients.Mix
	// Population is how many clients with an open loop there are; 0: as many
	// as keys. Sender says which of them an arrival comes from.
	Population int
	Sender     clients.Sender
	Loss       float64           // chance that a reply goes astray, in [0, 1); needs timeouts
	Idempotent bool              // attempts of one request have one key, and are charged once
	Hints      clients.HintsSpec // what those are told who are refused
	Rounded    bool              // hints are what headers carry of them: whole seconds

	// Capacity is what each server can do. The zero Capacity does everything
	// at once; any other has clients simulated, none if Clients does not say.
	Capacity fleet.Capacity

	Measure Measure
	// Sampled, if not nil, is called at the end of a run that met more keys
	// than metrics by key follow (metrics.MostKeys): they are of a sample.
	// Runs at the same time call it at the same time.
	Sampled func()
	// Observer, if not nil, hears of all that the simulated clients send and
	// hear, from the beginning on, warm-up included. It is for one run at a
	// time.
	Observer clients.Observer

	// Late, if not nil, is called at the end of a run: how many of the decided
	// requests that are counted were decided at the horizon or after, because
	// they waited for a store then. Rates of what was admitted count them. Runs
	// at the same time call it at the same time.
	Late func(late, decided int64)

	pilot *Course // counts, if this is a pilot run
}

// Measure chooses the metrics beyond the counts, windows and delays that
// every run has. Each costs time.
type Measure struct {
	// Level follows the tokens of every bucket.
	Level bool
	// Errors follows the three errors of a two-window counter with the
	// limiter's window. Needs a window limiter and one key.
	Errors bool
	// Reference decides the same arrivals by one exact log of the limit.
	// Needs a window limiter.
	Reference bool
	// Siblings asks the other servers for each request that one refuses by
	// itself, in fleets that [fleet.Fleet.LooksAround] is true of.
	Siblings bool
	// Clients measures what clients do and hear, even where nobody comes
	// back. It is always measured where they do.
	Clients bool
	// Recovery measures how long after RecoverFrom, the end of some trouble,
	// the last bad second ends.
	Recovery    bool
	RecoverFrom time.Duration // in 0..Horizon
	// Within measures max_window_admitted and overshoot over this length; 0
	// is the limiter's window, or 1 s if it has none.
	Within time.Duration
}

// All measures everything that applies to the limiter.
func All(l limiters.Spec, keys int) Measure {
	_, windowed := l.Window()
	return Measure{Level: !windowed, Errors: windowed && keys == 1, Reference: windowed, Siblings: true}
}

// Default is a plain world: one server, one key, one hour.
func Default(l limiters.Spec, w workloads.Spec) Config {
	return Config{Limiter: l, Workload: w, Servers: 1, Keys: 1, Horizon: time.Hour, Seed: 1}
}

// Prepare checks a scenario without running it, down to the parts that it is
// built from: what it returns is the fault of whoever asked for it.
func (c Config) Prepare() error {
	if err := c.Validate(); err != nil {
		return err
	}
	_, err := c.build(context.Background())
	return err
}

// Validate checks what is not already checked by the parts themselves.
func (c Config) Validate() error {
	switch {
	case c.layered() && !c.Limiter.IsZero():
		return errors.New("a scenario has one limiter or several layers, not both")
	case !c.layered() && c.Limiter.IsZero():
		return errors.New("a scenario needs a limiter, or layers")
	case c.layered() && c.Eviction.Forgets():
		return fmt.Errorf("layers hold all their keys: eviction %s is for a scenario with one limiter", c.Eviction)
	case c.layered() && (c.Measure.Level || c.Measure.Errors || c.Measure.Reference):
		return errors.New("levels, counter errors and the reference are measured of one limiter, not of layers")
	case c.Keys < 1 || c.Keys > MaxKeys:
		return fmt.Errorf("keys must lie in 1..%d, got %d", MaxKeys, c.Keys)
	case c.Servers < 1 || c.Servers > fleet.MaxServers:
		return fmt.Errorf("servers must lie in 1..%d, got %d", fleet.MaxServers, c.Servers)
	case c.RTT.Check() != nil:
		return c.RTT.Check()
	case c.Horizon <= 0:
		return fmt.Errorf("horizon must be > 0, got %s", c.Horizon)
	case c.Horizon > math.MaxInt64/4:
		return fmt.Errorf("horizon must be at most %s, got %s", time.Duration(math.MaxInt64/4), c.Horizon)
	case c.Warmup < 0 || c.Warmup >= c.Horizon:
		return fmt.Errorf("warmup must lie in 0..horizon (%s), got %s", c.Horizon, c.Warmup)
	case c.Measure.Level && c.Eviction.Forgets():
		return fmt.Errorf("levels can not be followed where keys are forgotten (eviction %s)", c.Eviction)
	case c.Measure.Level && !c.Follows():
		return errors.New("levels can not be followed where servers restart or clocks drift")
	case c.Rep < 0:
		return fmt.Errorf("replication must be >= 0, got %d", c.Rep)
	}
	if err := c.validatePeople(); err != nil {
		return err
	}
	if err := c.Capacity.Check(); err != nil {
		return err
	}
	if c.Measure.Recovery && !c.hasPeople() {
		return errors.New("recovery is measured where there are clients who come back, or servers that take their time")
	}
	if from := c.Measure.RecoverFrom; from < 0 || from >= c.Horizon {
		return fmt.Errorf("the time from which recovery is measured must lie in 0..horizon (%s), got %s", c.Horizon, from)
	}
	for _, f := range c.Faults {
		if f.From >= c.Horizon {
			return fmt.Errorf("fault %q must begin before the horizon, %s", f, c.Horizon)
		}
	}
	return nil
}

// Follows reports whether levels can be followed: they rise evenly, at the
// limiter's rate, between decisions.
func (c Config) Follows() bool { return !c.Faults.Has(fleet.Restart) && !c.Clocks.Drift() }

// window returns the length over which bursts are measured.
func (c Config) window() time.Duration {
	if c.Measure.Within > 0 {
		return c.Measure.Within
	}
	if c.layered() {
		return c.Layers.Window()
	}
	if w, ok := c.Limiter.Window(); ok {
		return w
	}
	return time.Second
}

// promise returns what is promised over a window.
func (c Config) promise(window time.Duration) int64 {
	if c.layered() {
		return c.Layers.Promise(window)
	}
	return c.Limiter.Promise(window)
}

func (c Config) layered() bool { return len(c.Layers.Layers) > 0 }
