package fleet

import "ratelab/internal/spec"

// newLocal gives every server the whole limit and no word of the others: N
// servers admit up to N times what was promised.
func newLocal(f *Fleet, c Config) (Coordination, error) {
	p := &perServer{fleet: f}
	if c.pools() {
		p.pools = map[string]*pool{}
	}
	for range c.Servers {
		p.add(c, c.Limiter)
	}
	return p, nil
}

func init() {
	coordinations.Register(spec.Entry{
		Name: "local",
		Doc:  "every server enforces the whole limit by itself: up to N times the promise",
		More: suitsText("local"),
	}, func(*spec.Values) (newCoordination, error) { return newLocal, nil })
}
