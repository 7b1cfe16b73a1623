package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/workloads"
)

// peopleFlags say who sends, and what they do with a "no".
type peopleFlags struct {
	specs               []string
	population          int
	sender, hints       string
	loss                float64
	idempotent, rounded bool
}

func (p *peopleFlags) add(f *pflag.FlagSet) {
	f.StringArrayVar(&p.specs, "clients", []string{"none"}, "client `SPEC`, repeated for a mix as in 'retry-after * 0.8' and 'rude * 0.2'; those with users need no workload. Given, even as none, it has what clients hear measured")
	f.IntVar(&p.population, "population", 0, "clients among whom arrivals are divided (0: as many as keys)")
	f.StringVar(&p.sender, "sender", "", "client that an arrival comes from: key (its key's own), turn (each in turn), or drawn; key without --population, or else turn")
	f.Float64Var(&p.loss, "loss", 0, "`SHARE` of replies that go astray; clients then need a timeout")
	f.BoolVar(&p.idempotent, "idempotent", false, "attempts of one request share an idempotency key, and are charged once")
	f.StringVar(&p.hints, "hints", "exact", "what those are told who are refused, a `SPEC`: exact, server-jitter:max=D, window, place-in-line; see ratelab list hints")
	f.BoolVar(&p.rounded, "rounded", false, "hints are whole seconds, rounded up, as headers carry them")
}

// read sets what the flags say of the clients in c.
func (p *peopleFlags) read(cmd *cobra.Command, c *scenario.Config) (err error) {
	if c.Clients, err = clients.ParseMix(p.specs...); err != nil {
		return err
	}
	if c.Hints, err = clients.ParseHints(p.hints); err != nil {
		return err
	}
	c.Population, c.Loss, c.Idempotent, c.Rounded = p.population, p.loss, p.idempotent, p.rounded
	switch p.sender {
	case "key":
		c.Sender = clients.ByKey
	case "turn":
		c.Sender = clients.InTurn
	case "drawn":
		c.Sender = clients.Drawn
	case "":
		if p.population > 0 {
			c.Sender = clients.InTurn
		}
	default:
		return fmt.Errorf("--sender must be key, turn or drawn, got %q", p.sender)
	}
	if !c.Clients.Open() && !cmd.Flags().Changed("workload") {
		c.Workload = workloads.Spec{} // nobody asked for one
	}
	return nil
}

// heard refuses what would be said of clients where there are none.
func (p *peopleFlags) heard(cmd *cobra.Command, c scenario.Config) error {
	if c.Clients.Feedback() || c.Measure.Clients || !c.Capacity.IsZero() {
		return nil
	}
	for _, f := range []struct{ name, why string }{
		{"hints", "nobody acts on what is told"},
		{"rounded", "nobody acts on what is told"},
		{"population", "it does not matter whose a request is"},
		{"sender", "it does not matter whose a request is"},
	} {
		if cmd.Flags().Changed(f.name) {
			return fmt.Errorf("--%s needs --clients, as in --clients retry-after: %s without", f.name, f.why)
		}
	}
	return nil
}

// printPeople says who the clients are.
func printPeople(line func(name, format string, args ...any), c scenario.Config) {
	if !c.Clients.Feedback() {
		return
	}
	line("clients", "%s", c.Clients)
	if c.Clients.Open() {
		n := c.Population
		if n == 0 {
			n = c.Keys
		}
		line("population", "%s, an arrival comes from %s", count(n, "client"), [...]string{"that of its key", "each in turn", "any of them"}[c.Sender])
	}
	hints := c.Hints.String()
	if c.Rounded {
		hints += ", rounded up to whole seconds"
	}
	if c.Idempotent {
		hints += "; attempts of a request are charged once"
	}
	if c.Loss > 0 {
		hints += fmt.Sprintf("; %v of replies go astray", c.Loss)
	}
	line("hints", "%s", hints)
}
