package experiments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/experiments/sweep"
	"ratelab/fleet"
	"ratelab/internal/spec"
	"ratelab/workloads"
)

// fleetBetween lies between two bursts of part remap: too short for a bucket
// to earn a token, and all of them in one window.
const fleetBetween = time.Millisecond

// remapped offers a burst of twice the limit at once, and again after each
// remap.
func (w fleetWorld) remapped() (string, error) {
	return fmt.Sprintf("burst-train:size=%d,period=%s", 2*w.burst, spec.FormatDuration(fleetBetween)), nil
}

// remap takes down, between bursts, the server that the one key would go to
// next, for good.
func (w *fleetWorld) remap() error {
	if w.remaps >= w.config.Servers {
		return fmt.Errorf("factor \"remaps\": must be below the number of servers, %d, got %d", w.config.Servers, w.remaps)
	}
	for i := range w.remaps {
		f, err := fleet.New(fleet.Config{
			Servers: w.config.Servers, Balancer: w.config.Balancer, Limiter: w.config.Limiter, Faults: w.config.Faults,
			Stream: workloads.Streams(w.config.Seed, w.config.Rep, ""),
		}, nil)
		if err != nil {
			return err
		}
		burst := time.Duration(i) * fleetBetween
		server, _, _ := f.Decide(burst, 0, 1)
		w.config.Faults = append(w.config.Faults, fleet.Fault{Kind: fleet.Down, First: server, Last: server, From: burst + fleetBetween/2, To: time.Hour})
	}
	return nil
}

// moved takes down each server in turn, in the middle of a window in which
// every key asks for more than its limit before and after, and counts the
// limits that were admitted beside those of the keys.
func (w fleetWorld) moved(ctx context.Context, lab Lab, out *sweep.Row) error {
	if w.config.Limiter.Name() != "fixed-window" || w.remaps != 1 {
		return errors.New("several keys are remapped once, with a fixed-window, in this part")
	}
	all := 0.0
	for down := -1; down < w.config.Servers; down++ {
		c := w.config
		// Of eight times the limit half come before, and half after.
		rate, err := w.rate.Times(8*int64(c.Keys), 1)
		if err != nil {
			return err
		}
		if c.Workload, err = workloads.Parse("poisson:rate=" + rate.String()); err != nil {
			return err
		}
		c.Horizon = w.full
		if down >= 0 {
			c.Faults = fleet.Faults{{Kind: fleet.Down, First: down, Last: down, From: w.full / 2, To: 2 * w.full}}
		}
		r, err := lab.Simulate(ctx, c)
		if err != nil {
			return err
		}
		if down < 0 {
			all = r.Get("admitted") * float64(c.Servers)
			continue
		}
		all -= r.Get("admitted")
	}
	out.Set(fleetMoved, -all/float64(w.burst))
	return nil
}

func fleetCheckRemaps(v string) error {
	if n, err := spec.ParseCount(v); err != nil || n < 0 || n > 1000 {
		return errors.New("must be a whole number in 0..1000")
	}
	return nil
}
