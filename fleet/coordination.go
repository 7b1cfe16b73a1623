package fleet

import (
	"fmt"

	"ratelab/des"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// Coordination is how N servers share one limit. Check is asked by a server
// whether a call may pass; it answers exactly once, now or later, through
// [Fleet.Answer].
type Coordination interface {
	Check(s *des.Sim, server int, call Call)

	limiterOf(server int) limiters.Limiter
	buckets() int
	shares() []limiters.Spec
	atOnce() bool // no check takes time: what limiterOf(server) says is the answer
}

type buildCoordination func(v *spec.Values) (newCoordination, error)
type newCoordination func(f *Fleet, c Config) (Coordination, error)

var coordinations = spec.Registry[buildCoordination]{Kind: "coordination"}

// Coordinations lists the coordinations, sorted by name.
func Coordinations() []spec.Entry { return coordinations.Entries() }

// CoordinationSpec is a parsed coordination, as in quota:remainder=drop. The
// zero value is local.
type CoordinationSpec struct {
	text string
	new  newCoordination
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
	return CoordinationSpec{text: v.String(), new: n}, nil
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
}

func (p *perServer) add(c Config, share limiters.Spec) {
	p.specs = append(p.specs, share)
	p.limiters = append(p.limiters, c.limiter(share))
}

// Check takes from the server's own limiter and answers at once.
func (p *perServer) Check(s *des.Sim, server int, call Call) {
	p.fleet.take(s, call, p.limiters[server])
	p.fleet.Answer(s, call)
}

func (p *perServer) limiterOf(server int) limiters.Limiter { return p.limiters[server] }
func (p *perServer) buckets() int                          { return len(p.limiters) }
func (p *perServer) shares() []limiters.Spec               { return p.specs }
func (p *perServer) atOnce() bool                          { return true }
