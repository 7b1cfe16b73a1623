package advise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/limiters"
	"ratelab/logs"
	"ratelab/logs/conf"
	"ratelab/logs/fit"
)

// Options say what is advised.
type Options struct {
	Candidates []Candidate     // nil: those that fit finds
	Limiters   []limiters.Spec // further ones, as they are; alone if Candidates is empty and not nil
	World      World
	Goals      Goals
	Within     time.Duration // after a refusal, of retries
	Window     time.Duration // over which it is measured what one key had, > 0
	Fit        fit.Options
	Programs   []string  // to write the choice for, of [conf.Programs]
	Names      fit.Names // of the keys; nil: as in the log
}

// Demand is what was asked for, and what limiters make of it.
type Demand struct {
	Name     string // all requests, or those without retries
	Records  []logs.Record
	Outcomes []*Outcome
	Unsuited []Unsuited
	Best     int // of Outcomes; -1 if there is none
	Twins    []int
	Next     int // the best of those that some rule tells from Best; -1 if there is none
	Changes  []Change
}

// Unsuited is a limiter that does not work in this world.
type Unsuited struct {
	Limiter string `json:"limiter"`
	Why     string `json:"why"`
}

// Report is an advice.
type Report struct {
	Input      *Input
	Fit        *fit.Report
	Options    Options
	Candidates []Candidate
	Meter      Meter
	Demands    []*Demand // the one that the choice is made by first
	Configs    []Configured
}

// Configured is the choice as one program has it.
type Configured struct {
	conf.Config
	Difference conf.Difference
	Fault      string // why there is no such configuration, or no comparison
}

// New makes an advice. A limiter that does not suit the world is left out and named; it is a [logs.InputError] if that is
// so of all.
//
// A log that was written behind a limit has two demands. With clients that come back the choice is made by the one
// without retries, as these clients make their own; with clients that do not, by all requests. The other demand is
// simulated too.
func New(ctx context.Context, in *Input, opts Options) (*Report, error) {
	r := &Report{Input: in, Options: opts, Candidates: opts.Candidates}
	r.Fit = fit.NewReport(in.Fit, opts.Fit)
	r.Fit.Within, r.Fit.Names = opts.Within, opts.Names
	raw := &Demand{Name: "all requests", Records: in.Raw}
	r.Demands = []*Demand{raw}
	analysis := r.Fit.Raw
	if in.Fit.Retries > 0 {
		fresh := &Demand{Name: "without retries", Records: in.New}
		if r.Demands = append(r.Demands, fresh); opts.World.Clients.Feedback() {
			r.Demands[0], r.Demands[1] = fresh, raw
			analysis = r.Fit.WithoutRetries
		}
	}
	if r.Candidates == nil {
		r.Candidates = Candidates(analysis)
	}
	chosenByFit := opts.Candidates == nil
	r.Meter = Meter{Key: opts.Window, Total: time.Second, Promise: opts.Goals.Promise}
	if p := opts.Goals.Protect; p != nil {
		r.Meter.Total = p.Every
	}
	if chosenByFit {
		if err := r.addCandidates(ctx); err != nil {
			return nil, err
		}
	}
	type option struct {
		spec      limiters.Spec
		candidate int
	}
	var options []option
	for i, c := range r.Candidates {
		list, err := c.Limiters()
		if err != nil {
			return nil, &logs.InputError{Err: err}
		}
		for _, s := range list {
			options = append(options, option{s, i})
		}
	}
	for _, s := range opts.Limiters {
		options = append(options, option{s, -1})
	}
	for _, d := range r.Demands {
		seen := map[string]bool{}
		for _, each := range options {
			if seen[each.spec.String()] {
				continue // a meter of two candidates
			}
			seen[each.spec.String()] = true
			o, err := opts.World.Run(ctx, d.Records, in.Keys, each.spec, r.Meter)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				d.Unsuited = append(d.Unsuited, Unsuited{each.spec.String(), err.Error()})
				continue
			}
			o.Candidate = each.candidate
			d.Outcomes = append(d.Outcomes, o)
		}
		if len(d.Outcomes) == 0 {
			if len(d.Unsuited) == 0 {
				return nil, &logs.InputError{Err: errors.New("there is no limiter to advise")}
			}
			return nil, &logs.InputError{Err: errors.New(d.Unsuited[0].Why)}
		}
		d.choose(opts.Goals)
	}
	r.configure()
	return r, nil
}

// choose finds the best outcome and what is next to it.
func (d *Demand) choose(g Goals) {
	d.Best, d.Next = g.Choose(d.Outcomes), -1
	best, order := d.Outcomes[d.Best], g.order(d.Outcomes)
	for i, o := range d.Outcomes {
		switch {
		case i == d.Best:
		case g.twins(order, o, best):
			d.Twins = append(d.Twins, i)
		case d.Next < 0:
			d.Next = i
		default:
			if c, _ := g.compare(order, o, d.Outcomes[d.Next]); c < 0 {
				d.Next = i
			}
		}
	}
	d.Changes = g.Changes(d.Outcomes)
}

// Best is the choice.
func (r *Report) Best() *Outcome { return r.Demands[0].Outcomes[r.Demands[0].Best] }

// configure writes the choice for the programs that were asked for.
func (r *Report) configure() {
	if len(r.Options.Programs) == 0 {
		return
	}
	best, d := r.Best(), r.Demands[0]
	for _, program := range r.Options.Programs {
		c, err := r.configured(program, best, d.Records)
		if err != nil {
			c.Fault = err.Error()
		}
		c.Program = program
		r.Configs = append(r.Configs, c)
	}
}

func (r *Report) configured(program string, best *Outcome, records []logs.Record) (c Configured, err error) {
	rate, ok := best.Limiter.Rate()
	if !ok {
		return c, fmt.Errorf("%s admits nothing: there is no rate to configure", best.Limiter)
	}
	l := conf.Limit{Rate: rate, Burst: best.Limiter.Capacity(), Queue: best.Limiter.Name() == "leaky-queue", Keys: len(r.Input.Keys)}
	l.Key = r.Input.Fit.Log.Files[0].KeyColumn
	if l.Window, ok = best.Limiter.Window(); !ok {
		if l.Window, err = (Candidate{Rate: fit.Rate{Text: rate.String(), Rate: rate}, Burst: l.Burst}).Window(); err != nil {
			return c, err
		}
	}
	if c.Config, err = conf.For(program, l); err != nil {
		return c, err
	}
	c.Difference, err = conf.Compare(records, r.Input.Keys, best.Limiter, c.Spec, r.Options.World.Seed)
	return c, err
}

// name returns the text of a key for people.
func (r *Report) name(key string) string {
	if r.Options.Names != nil {
		return r.Options.Names(key)
	}
	return key
}
