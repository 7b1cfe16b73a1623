package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ratelab/des"
	"ratelab/internal/random"
	"ratelab/limiters/contract"
)

// heard writes down what was decided where.
type heard struct{ all []hearing }

type hearing struct {
	now      time.Duration
	server   int
	key      uint32
	decision contract.Decision
}

func (h *heard) Decided(now time.Duration, server int, req contract.Request, d contract.Decision) {
	h.all = append(h.all, hearing{now, server, req.Key, d})
}

func (h *heard) Done(*des.Sim, Call, contract.Request, contract.Reply) {}

// What is foreseen, in whatever portions, and also while requests that were
// foreseen have not come, is decided as what is not; limiters that share a table
// decide as those that do not. Keys are few, many, and too large to be paired.
func TestForesightAndPoolsChangeNothing(t *testing.T) {
	const requests = 10_000
	r := random.Stream(1, "keys")
	keys := make([]uint32, requests)
	for i := range keys {
		switch r.Uint64N(4) {
		case 0:
			keys[i] = uint32(r.Uint64N(5))
		case 1:
			keys[i] = 1<<32 - 1 - uint32(r.Uint64N(100))
		default:
			keys[i] = uint32(r.Uint64N(1_000_000))
		}
	}
	for _, balancer := range []string{"round-robin", "random", "hash", "least"} {
		for _, coordination := range []string{"local", "quota", "central", "synced:period=1ms"} {
			for _, limiter := range []string{"token-bucket:rate=10/s,burst=40", "fixed-window:limit=30,window=1s,jitter=1s", "sliding-log:limit=30,window=1s"} {
				if coordination == "synced:period=1ms" && limiter != "token-bucket:rate=10/s,burst=40" {
					continue
				}
				run := func(portion int, pooled bool) []hearing {
					var h heard
					c := config(t, limiter, balancer, coordination, 40, 0)
					if !pooled && coordination != "central" {
						c.Faults = restartLate(t)
					}
					f, err := New(c, &h)
					require.NoError(t, err)
					sim := des.New()
					told := 0
					for i, key := range keys {
						if portion > 0 && told <= i+1 && told < requests { // one is still to come
							more := min(portion, requests-told)
							f.Foresee(keys[told : told+more])
							told += more
						}
						sim.Run(time.Duration(i+1) * 100 * time.Microsecond)
						f.Send(sim, contract.Request{At: sim.Now(), Key: key, Cost: 1})
					}
					return h.all
				}
				want := run(0, false)
				require.Len(t, want, requests)
				for _, portion := range []int{0, 3, 64} {
					require.Equal(t, want, run(portion, true), "%s %s %s", balancer, coordination, limiter)
				}
			}
		}
	}
}

// restartLate has a server restart long after the end, for the sake of which each
// keeps a limiter of its own.
func restartLate(t *testing.T) Faults {
	f, err := ParseFaults("restart=0@1000h")
	require.NoError(t, err)
	return f
}
