package fleet

import (
	"fmt"

	"ratelab/internal/spec"
)

// quota gives every server a fixed share of the limit: of a bucket the rate
// r/N exactly and the burst ⌊b/N⌋, of a window the limit ⌊L/N⌋. What the
// rounding leaves over goes, one each, to the first servers (spread) or to
// nobody (drop). A server whose share is 0 refuses everything.
func init() {
	coordinations.Register(spec.Entry{
		Name: "quota",
		Doc:  "every server enforces limit/N: never above the promise, starves the busy server",
		Params: []spec.Param{
			{Name: "remainder", Unit: "spread|drop", Default: "spread", Doc: "what becomes of capacity mod N: one each to the first servers, or lost"},
		},
	}, func(v *spec.Values) (newCoordination, error) {
		spread := v.Choice("remainder", "spread", "drop") == "spread"
		if err := v.Err(); err != nil {
			return nil, err
		}
		return func(f *Fleet, c Config) (Coordination, error) {
			p := &perServer{fleet: f}
			n := int64(c.Servers)
			left := c.Limiter.Capacity() % n
			for i := range n {
				extra := int64(0)
				if spread && i < left {
					extra = 1
				}
				share, err := c.Limiter.Scale(1, n, extra)
				if err != nil {
					return nil, fmt.Errorf("share of server %d of %d: %w", i, n, err)
				}
				p.add(c, share)
			}
			return p, nil
		}, nil
	})
}
