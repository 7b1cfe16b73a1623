package fleet

import (
	"ratelab/internal/spec"
)

// maxShards bounds how many sub-counters a limit is cut into.
const maxShards = 1 << 16

// sharded cuts the limit into S sub-limits in the store, each on a machine of
// its own: of a bucket the rate r/S exactly and the burst ⌊b/S⌋, of a window
// the limit ⌊L/S⌋, and what is left over one each to the first. A request is
// held to one of them: to any (random), or to that of its key (hash), so that a
// key never has more than L/S. With random, sharded admits what quota admits
// behind a random balancer of S servers.
func init() {
	coordinations.Register(spec.Entry{
		Name: "sharded",
		Doc:  "limit/S in each of S sub-counters in the store: no one counter is hot, and each is small",
		Params: append([]spec.Param{
			{Name: "shards", Unit: "shards", Doc: "S, sub-counters, each a machine with the store's capacity"},
			{Name: "pick", Unit: "random|hash", Default: "random", Doc: "which of them a request is held to: any, or that of its key"},
		}, storeParams...),
		More: `The store is as for central, S times: capacity is that of each shard.
` + suitsText("sharded"),
	}, func(v *spec.Values) (newCoordination, error) {
		shards := v.Count("shards")
		if shards < 1 || shards > maxShards {
			v.Fail("shards", "must lie in 1..%d, got %s", maxShards, v.Text("shards"))
		}
		random := v.Choice("pick", "random", "hash") == "random"
		if err := v.Err(); err != nil {
			return nil, err
		}
		return func(f *Fleet, c Config) (Coordination, error) {
			built := &central{}
			var err error
			if built.specs, err = shared(c.Limiter, evenly(int(shards)), true, "shard"); err != nil {
				return nil, err
			}
			for _, share := range built.specs {
				built.limiters = append(built.limiters, c.limiter(share))
			}
			if random {
				r := c.Stream("shard")
				built.pick = func(uint32) int { return int(r.Uint64N(uint64(shards))) }
			} else {
				built.pick = hashed{uint64(shards)}.Pick
			}
			built.set(f, c, built, int(shards))
			return built, nil
		}, nil
	})
}
