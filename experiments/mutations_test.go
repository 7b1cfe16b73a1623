package experiments

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// mutations break what experiments stand on, one thing at a time, whatever the
// experiment.
var mutations = []struct {
	name  string
	apply breakage
}{
	{"rule", respecified(generous)}, // one request too many passes, and tokens come twice as fast
	{"origin", elsewhere},           // windows begin elsewhere
	{"balancer", uneven},            // nearly all requests go to one server
}

// untouched says why a mutation can not redden an experiment.
var untouched = map[string]map[string]string{
	"backoff-contention": {"rule": "it has no limiter", "origin": "it has no windows"},
	"layered-limits":     {"origin": "all is within one window, or the limits are buckets"},
	"nginx-burst-delay":  {"origin": "buckets have no windows"},
	"overload-collapse":  {"origin": "buckets have no windows"},
	"retry-budget":       {"origin": "buckets have no windows"},
	"retry-herd":         {"origin": "who is told the same returns together, wherever the window turns"},
	"shed-vs-throttle":   {"origin": "buckets have no windows"},
	"token-vs-leaky":     {"origin": "a flood gets the limit a window, wherever windows begin"},
}

var update = flag.Bool("update", false, "find the list of what goes red anew")

// reddened is the golden list of what goes red: experiment, mutation, claim. -update
// finds it anew.
var reddened = filepath.Join("testdata", "reddened.txt")

// TestEveryExperimentGoesRedWhenTheRuleTheWindowsOrTheBalancerAreBroken breaks
// what is common to all experiments, and sees the claims fail that the list
// names; of every experiment that has a limiter, windows or a fleet there are.
func TestEveryExperimentGoesRedWhenTheRuleTheWindowsOrTheBalancerAreBroken(t *testing.T) {
	if raced || testing.Short() {
		t.Skip("takes many cells, which share nothing: not under the race detector, nor with -short")
	}
	if *update {
		var list strings.Builder
		for _, e := range All() {
			for _, m := range mutations {
				for _, c := range e.Claims {
					red, _ := redden(e, c, m.apply)
					if by, err := redden(e, c, func(*Lab) {}); red && !by && err == nil { // few replications fail by chance at times
						fmt.Fprintf(&list, "%s | %s | %s\n", e.Name, m.name, c.Text)
					}
				}
			}
		}
		require.NoError(t, os.WriteFile(reddened, []byte(list.String()), 0o600))
	}
	list, err := os.ReadFile(reddened)
	require.NoError(t, err)
	some := make(map[[2]string]bool)
	for line := range strings.Lines(string(list)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " | ", 3)
		require.Len(t, f, 3, line)
		e, err := Lookup(f[0])
		require.NoError(t, err)
		at := slices.IndexFunc(e.Claims, func(c Claim) bool { return c.Text == f[2] })
		require.GreaterOrEqual(t, at, 0, "%s has no claim %q; -update finds the list anew", f[0], f[2])
		for _, m := range mutations {
			if m.name != f[1] {
				continue
			}
			some[[2]string{f[0], f[1]}] = true
			red, err := redden(e, e.Claims[at], m.apply)
			assert.NoError(t, err, line)
			assert.True(t, red, "survives: %s", line)
		}
	}
	for _, e := range All() {
		for _, m := range mutations {
			why := untouched[e.Name][m.name]
			if m.name == "balancer" && !strings.HasPrefix(e.Name, "fleet-") {
				why = "it has one server"
			}
			assert.Equal(t, why == "", some[[2]string{e.Name, m.name}], "%s, %s: either a claim goes red or there is a reason why not (%q)", e.Name, m.name, why)
		}
	}
}

// redden reports whether a claim fails somewhere in its domain under a breakage.
func redden(e Experiment, c Claim, broken breakage) (red bool, err error) {
	lab := trueLab(true)
	broken(&lab)
	plan := e.plan(lab)
	plan.Reps = min(e.QuickReps, 3) // what is broken shows
	points := c.Points
	c.Outside = nil
	for _, p := range points {
		plan.Where = func(get func(string) string) bool { return p.matches(get) && (e.Where == nil || e.Where(get)) }
		result, failed := sweep.Execute(context.Background(), plan, sweep.Options{})
		if failed != nil { // the mutation is impossible there
			err = failed
			continue
		}
		runs, failed := result.Runs()
		if failed != nil {
			return false, failed
		}
		c.Points = []Point{p}
		checked, failed := checkClaims([]Claim{c}, runs, false)
		if failed != nil {
			return false, failed
		}
		if checked[0].Verdict == Fails {
			return true, nil
		}
	}
	return false, err
}

// elsewhere has fixed windows begin with a request where they should keep to
// the clock, and the other way round. Where servers exchange counts, which only
// windows of the clock allow, their clocks are a third of a window ahead; so is
// that of a counter alone.
func elsewhere(lab *Lab) {
	simulate := lab.Simulate
	respecified(moved)(lab)
	other, limiter := lab.Simulate, lab.Limiter
	lab.Simulate = func(ctx context.Context, c scenario.Config) (r scenario.Result, err error) {
		if !strings.HasPrefix(c.Coordination.String(), "synced") {
			return other(ctx, c)
		}
		window, _ := c.Limiter.Window()
		ahead := strings.Repeat("/"+spec.FormatDuration(window/3), c.Servers)[1:]
		if c.Clocks, err = fleet.ParseClocks(ahead, ""); err != nil {
			return nil, err
		}
		return simulate(ctx, c)
	}
	lab.Limiter = func(s limiters.Spec, seed uint64) limiters.Limiter {
		l := limiter(s, seed)
		if window, ok := s.Window(); ok && s.Name() == "sliding-counter" {
			l = ahead{l, window / 3}
		}
		return l
	}
}

// uneven deals nearly all requests to one server.
func uneven(lab *Lab) {
	simulate := lab.Simulate
	lab.Simulate = func(ctx context.Context, c scenario.Config) (r scenario.Result, err error) {
		if c.Balancer, err = fleet.ParseBalancer("weighted:zipf=8"); err != nil {
			return nil, err
		}
		return simulate(ctx, c)
	}
}

// respecified puts another limit in the place of every one in a lab.
func respecified(change func(limiters.Spec) (limiters.Spec, error)) breakage {
	return func(lab *Lab) {
		simulate, limiter, layers, call := lab.Simulate, lab.Limiter, lab.Layers, lab.Call
		stack := func(s limiters.LayersSpec) (limiters.LayersSpec, error) {
			s.Layers = slices.Clone(s.Layers)
			var err error
			for i, l := range s.Layers {
				var failed error
				s.Layers[i].Spec, failed = change(l.Spec)
				err = errors.Join(err, failed)
			}
			return s, err
		}
		lab.Simulate = func(ctx context.Context, c scenario.Config) (r scenario.Result, err error) {
			if !c.Limiter.IsZero() {
				if c.Limiter, err = change(c.Limiter); err != nil {
					return nil, err
				}
			}
			if c.Layers, err = stack(c.Layers); err != nil {
				return nil, err
			}
			return simulate(ctx, c)
		}
		lab.Limiter = func(s limiters.Spec, seed uint64) limiters.Limiter { return limiter(leakyMust(change(s)), seed) }
		lab.Layers = func(s limiters.LayersSpec, seed uint64) *limiters.Layers {
			s, err := stack(s)
			if err != nil {
				panic(err)
			}
			return layers(s, seed)
		}
		lab.Call = func(ctx context.Context, c scenario.Calling) (r scenario.Called, err error) {
			if !c.Limiter.IsZero() {
				if c.Limiter, err = change(c.Limiter); err != nil {
					return r, err
				}
			}
			return call(ctx, c)
		}
	}
}

// generous lets one more pass, and tokens come twice as fast.
func generous(s limiters.Spec) (limiters.Spec, error) {
	if s.Name() == "nginx" {
		return s.With("burst", fmt.Sprint(s.Capacity())) // the capacity is one more than its burst
	}
	s, err := s.Scale(1, 1, 1)
	if rate, ok := s.Rate(); err == nil && ok && s.Param("rate") != "" {
		if rate, err = rate.Times(2, 1); err != nil {
			return s, err
		}
		return s.With("rate", rate.String())
	}
	return s, err
}

// moved has fixed windows begin with a request where they should keep to the
// clock, and the other way round.
func moved(s limiters.Spec) (limiters.Spec, error) {
	if s.Name() != "fixed-window" {
		return s, nil
	}
	if s.Param("origin") == "first" {
		return s.With("origin", "epoch")
	}
	s, err := s.With("jitter", "0s")
	if err != nil {
		return s, err
	}
	return s.With("origin", "first")
}

// ahead is a limiter whose clock is ahead.
type ahead struct {
	limiters.Limiter
	by time.Duration
}

func (l ahead) Take(now time.Duration, key uint32, cost int64) limiters.Decision {
	return l.Limiter.Take(now+l.by, key, cost)
}

func (l ahead) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.Limiter.Admit(now+l.by, key, cost)
}

func (l ahead) Ask(now time.Duration, key uint32, cost int64) limiters.Decision {
	return l.Limiter.Ask(now+l.by, key, cost)
}

func (l ahead) Charge(now time.Duration, key uint32, cost int64) {
	l.Limiter.Charge(now+l.by, key, cost)
}
