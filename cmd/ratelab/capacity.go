package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/experiments/scenario"
	"ratelab/fleet"
	"ratelab/internal/spec"
)

// capacityFlags say what each server can do.
type capacityFlags struct {
	service, queue, slowdown, shed, tiers, refusalAt string
	workers                                          int
	dropAbandoned                                    bool
	refusalCost, recoverFrom                         durationFlag
}

func (p *capacityFlags) add(f *pflag.FlagSet) {
	f.StringVar(&p.service, "service", "none", "how long a worker needs for a request, a `SPEC`: const:mean=D, exp:mean=D, uniform:min=D,max=D")
	f.IntVar(&p.workers, "workers-per-server", 1, "workers of each server (0: as many as there are requests)")
	f.StringVar(&p.queue, "queue", "unlimited", "requests that may wait at each server, a `NUMBER` or unlimited")
	f.StringVar(&p.slowdown, "slowdown", "0", "a `SHARE` a: a service that begins with n requests in flight at its server takes 1 + a*n times as long")
	f.StringVar(&p.shed, "shed", "none", "which requests servers turn away, a `SPEC`: length:most=N, concurrency:most=N, delay:target=D,interval=D; what finds the queue full is, in any case")
	f.StringVar(&p.tiers, "tiers", "one", "which requests go first: `PROPORTIONS` of the keys of two or three tiers, as in 1/6/3")
	f.BoolVar(&p.dropAbandoned, "drop-abandoned", false, "workers pass over requests whose client has given up")
	f.Var(&p.refusalCost, "refusal-cost", "time that it takes to refuse a request")
	f.StringVar(&p.refusalAt, "refusal-at", "door", "who takes it: door, one clerk a server whom all requests pass, or workers")
	f.Var(&p.recoverFrom, "recover-from", "measure how long after this time, the end of some trouble, things are bad")
}

// read sets what the flags say of the servers in c.
func (p *capacityFlags) read(cmd *cobra.Command, c *scenario.Config) (err error) {
	to := &c.Capacity
	if to.RefusalAt, err = fleet.ParseRefusalPlace(p.refusalAt); err != nil {
		return fmt.Errorf("--refusal-at: %w", err)
	}
	to.RefusalCost = p.refusalCost.d
	if cmd.Flags().Changed("refusal-at") && p.refusalCost.d == 0 {
		return errors.New("--refusal-at needs a --refusal-cost, as in --refusal-cost 1ms")
	}
	c.Measure.Recovery, c.Measure.RecoverFrom = cmd.Flags().Changed("recover-from"), p.recoverFrom.d
	if p.service == "none" {
		for _, name := range []string{"workers-per-server", "queue", "slowdown", "shed", "tiers", "drop-abandoned"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s needs a --service, as in --service exp:mean=10ms", name)
			}
		}
		return nil
	}
	if to.Service, err = fleet.ParseService(p.service); err != nil {
		return err
	}
	to.Workers, to.Queue, to.DropAbandoned = p.workers, fleet.Unlimited, p.dropAbandoned
	if p.queue != "unlimited" {
		n, err := spec.ParseCount(p.queue)
		if err != nil {
			return fmt.Errorf("--queue %w, or unlimited", err)
		}
		to.Queue = int(n)
	}
	if to.Slowdown, err = fleet.ParseSlowdown(p.slowdown); err != nil {
		return err
	}
	if to.Shed, err = fleet.ParseShed(p.shed); err != nil {
		return err
	}
	to.Tiers, err = fleet.ParseTiers(p.tiers)
	return err
}

// printCapacity says what servers can do.
func printCapacity(line func(name, format string, args ...any), c fleet.Capacity) {
	if !c.Service.IsZero() {
		workers, queue := "any number of workers", "no bound on the queue"
		if c.Workers > 0 {
			workers = count(c.Workers, "worker")
		}
		if c.Queue != fleet.Unlimited {
			queue = fmt.Sprintf("a queue of %d", c.Queue)
		}
		parts := []string{c.Service.String(), workers + " a server", queue}
		if c.Slowdown > 0 {
			parts = append(parts, fmt.Sprintf("1 + %s*n times as long with n in flight", c.Slowdown))
		}
		if !c.Shed.IsZero() {
			parts = append(parts, "shed by "+c.Shed.String())
		}
		if c.Tiers.N() > 1 {
			parts = append(parts, "tiers "+c.Tiers.String())
		}
		if c.DropAbandoned {
			parts = append(parts, "what was given up is passed over")
		}
		line("service", "%s", strings.Join(parts, ", "))
	}
	if c.RefusalCost > 0 {
		line("refusals", "%s each, at the %s", spec.FormatDuration(c.RefusalCost), c.RefusalAt)
	}
}
