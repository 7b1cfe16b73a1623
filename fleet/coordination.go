package fleet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/des"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// Coordination is how N servers share one limit. Check is asked by a server
// whether a call may pass; it answers exactly once, now or later, through
// [Fleet.Answer].
type Coordination interface {
	Check(s *des.Sim, server int, call Call)

	// atOnce reports that no check takes time; decide then does what Check
	// does, without an event queue.
	atOnce() bool
	decide(now time.Duration, server int, key uint32, cost int64) limiters.Decision

	limiterOf(server int) limiters.Limiter // that alone decides for the server; nil if there is none
	copies() []limiters.Limiter            // all that hold keys
	buckets() int
	shares() []limiters.Spec // at the beginning
	zeroShares() int         // servers with a share of 0, now
}

// direct is a coordination of which nothing but a limiter decides, while it is
// atOnce: the server's, or one for all. nil if that is not so.
type direct interface {
	direct() []limiters.Limiter
}

type buildCoordination func(v *spec.Values) (newCoordination, error)
type newCoordination func(f *Fleet, c Config) (Coordination, error)

var coordinations = spec.Registry[buildCoordination]{Kind: "coordination"}

// Coordinations lists the coordinations, sorted by name.
func Coordinations() []spec.Entry {
	entries := slices.Clone(coordinations.Entries())
	for i := range entries {
		entries[i].More = strings.Join(append([]string{entries[i].More}, meaninglessText(entries[i].Name)...), "\n")
	}
	return entries
}

// CoordinationSpec is a parsed coordination, as in quota:remainder=drop. The
// zero value is local.
type CoordinationSpec struct {
	text   string
	name   string
	values *spec.Values
	store  storeConfig // zero if it asks none
	new    newCoordination
}

// ParseCoordination reads a coordination's spec.
func ParseCoordination(text string) (CoordinationSpec, error) {
	v, build, err := coordinations.Parse(text)
	if err != nil {
		return CoordinationSpec{}, err
	}
	n, err := build(v)
	if err != nil {
		return CoordinationSpec{}, err
	}
	c := CoordinationSpec{text: v.String(), name: v.Entry.Name, values: v, new: n}
	if slices.ContainsFunc(v.Entry.Params, func(p spec.Param) bool { return p.Name == "capacity" }) {
		c.store = readStore(v)
	}
	return c, v.Err()
}

func (c CoordinationSpec) String() string {
	if c.new == nil {
		return "local"
	}
	return c.text
}

func (c CoordinationSpec) build(f *Fleet, cfg Config) (Coordination, error) {
	if c.new == nil {
		return newLocal(f, cfg)
	}
	if err := c.Suits(cfg.Limiter); err != nil {
		return nil, err
	}
	built, err := c.new(f, cfg)
	if err != nil {
		return nil, fmt.Errorf("coordination %q: %w", c.text, err)
	}
	return built, nil
}

// perServer decides with one limiter a server, at once.
type perServer struct {
	fleet    *Fleet
	limiters []limiters.Limiter
	specs    []limiters.Spec
	fresh    func(limiters.Spec) limiters.Limiter
	pools    map[string]*pool // by the text of a share; nil if each server's limiter is its own
}

func (p *perServer) add(c Config, share limiters.Spec) limiters.Limiter {
	l := p.limiter(c, share)
	p.specs = append(p.specs, share)
	p.limiters = append(p.limiters, p.fleet.byClock(len(p.limiters), l))
	p.fresh = c.limiter
	return l
}

func (p *perServer) limiter(c Config, share limiters.Spec) limiters.Limiter {
	if p.pools == nil {
		return c.limiter(share)
	}
	common := p.pools[share.String()]
	if common == nil {
		common = c.newPool(share)
		p.pools[share.String()] = common
	}
	return &pooled{pool: common, server: uint32(len(p.limiters))}
}

// restart gives the server a new limiter, of its share at the beginning.
func (p *perServer) restart(_ time.Duration, server int) {
	p.limiters[server] = p.fleet.byClock(server, p.fresh(p.specs[server]))
}

// Check takes from the server's own limiter and answers at once.
func (p *perServer) Check(s *des.Sim, server int, call Call) {
	p.fleet.take(s, call, p.limiters[server])
	p.fleet.Answer(s, call)
}

func (p *perServer) decide(now time.Duration, server int, key uint32, cost int64) limiters.Decision {
	return p.limiters[server].Take(now, key, cost)
}

func (p *perServer) limiterOf(server int) limiters.Limiter { return p.limiters[server] }
func (p *perServer) buckets() int                          { return len(p.limiters) }
func (p *perServer) shares() []limiters.Spec               { return p.specs }
func (p *perServer) atOnce() bool                          { return true }
func (p *perServer) direct() []limiters.Limiter            { return p.limiters }
func (p *perServer) copies() []limiters.Limiter            { return p.limiters }
func (p *perServer) zeroShares() int                       { return without(p.specs) }

// without counts the limits whose capacity is 0.
func without(specs []limiters.Spec) (n int) {
	for _, s := range specs {
		if s.Capacity() == 0 {
			n++
		}
	}
	return n
}
