package fleet

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

// weighted picks server i with a chance proportional to its weight.
type weighted struct {
	weights []float64
	out     []bool    // does not serve
	upTo    []float64 // cumulated weights of those that serve; the last is the total
	r       *rand.Rand
}

func (b *weighted) Pick(uint32) int {
	u := float64(b.r.Float64() * b.upTo[len(b.upTo)-1])
	i := sort.Search(len(b.upTo)-1, func(i int) bool { return u < b.upTo[i] })
	return i
}

func (b *weighted) serve(server int, up bool) {
	b.out[server] = !up
	b.cumulate()
}

// cumulate adds the weights up. Where a server adds nothing, none is drawn
// that is not also below the one before it.
func (b *weighted) cumulate() {
	sum := 0.0
	for i, w := range b.weights {
		if !b.out[i] {
			sum += w
		}
		b.upTo[i] = sum
	}
}

func init() {
	balancers.Register(spec.Entry{
		Name: "weighted",
		Doc:  "each request to any server, with chances in given proportions",
		Params: []spec.Param{
			{Name: "zipf", Unit: "exponent", Default: "none", Doc: "chances 1, 1/2^s, 1/3^s, …; s a multiple of 0.5 up to 8"},
			{Name: "shares", Unit: "proportions", Default: "none", Doc: "chances as given, one a server: 4/2/1"},
		},
	}, func(v *spec.Values) (newBalancer, error) {
		var weigh func(servers int) ([]float64, error)
		switch {
		case v.Given("zipf") == v.Given("shares"):
			return nil, fmt.Errorf(`balancer "weighted" needs either zipf or shares, as in weighted:zipf=1 or weighted:shares=4/2/1`)
		case v.Given("zipf"):
			halves := v.Halves("zipf", 8)
			weigh = func(servers int) ([]float64, error) { return random.Zipf(servers, halves), nil }
		default:
			var shares []float64
			for text := range strings.SplitSeq(v.Text("shares"), "/") {
				share, err := spec.ParseNumber(text)
				if err != nil || share <= 0 {
					v.Fail("shares", "must be numbers > 0 separated by /, as in 4/2/1, got %q", v.Text("shares"))
				}
				shares = append(shares, share)
			}
			weigh = func(servers int) ([]float64, error) {
				if servers != len(shares) {
					return nil, fmt.Errorf("shares names %d servers, the fleet has %d", len(shares), servers)
				}
				return shares, nil
			}
		}
		if err := v.Err(); err != nil {
			return nil, err
		}
		return func(servers int, stream func(string) *rand.Rand) (Balancer, error) {
			weights, err := weigh(servers)
			if err != nil {
				return nil, err
			}
			b := &weighted{weights: weights, out: make([]bool, servers), upTo: make([]float64, servers), r: stream("balancer")}
			b.cumulate()
			return b, nil
		}, nil
	})
}
