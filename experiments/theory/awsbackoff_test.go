package theory

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheBackoffStudyIsThePublishedOne(t *testing.T) {
	names := map[string]AWSBackoffAlgorithm{"Exponential": Exponential, "Decorr": Decorrelated, "EqualJitter": EqualJitter, "FullJitter": FullJitter, "None": NoBackoff}
	published := map[AWSBackoffPoint]int{}
	for _, o := range readOracles(t) {
		algorithm, ok := o.Params["alg"]
		if !ok {
			continue
		}
		for _, p := range AWSBackoff() {
			if p.Clients != o.whole("clients") || p.Algorithm != names[algorithm.(string)] {
				continue
			}
			value, err := p.Calls, p.CallsError
			if o.Model == awsTimeModel {
				value, err = p.Time, p.TimeError
			}
			assert.Equal(t, o.Value, value, o.ID)
			assert.InDelta(t, o.Tolerance, 2*err, 1e-9, o.ID)
			published[p]++
		}
	}
	assert.Len(t, AWSBackoff(), 25)
	for _, p := range AWSBackoff() {
		assert.Equal(t, 2, published[p], p)
	}
}

type write struct {
	at      float64
	client  int
	arrived bool // a write that is at the row; otherwise a read
	version int
}

type writes []write

func (w writes) Len() int           { return len(w) }
func (w writes) Less(i, j int) bool { return w[i].at < w[j].at }
func (w writes) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *writes) Push(x any)        { *w = append(*w, x.(write)) }
func (w *writes) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
}

// contendOnce lets clients write to one row, and returns when the last one knows that it has, and the number of writes.
func contendOnce(rng *rand.Rand, clients int, algorithm AWSBackoffAlgorithm) (ms, calls float64) {
	leg := func() float64 { return math.Abs(10 + 2*rng.NormFloat64()) }
	attempt, slept := make([]int, clients), make([]float64, clients)
	var row writes // what reaches the row
	for i := range clients {
		slept[i] = 5
		heap.Push(&row, write{at: leg(), client: i})
	}
	version := 0
	for len(row) > 0 {
		w := heap.Pop(&row).(write)
		if !w.arrived {
			heap.Push(&row, write{w.at + leg() + leg(), w.client, true, version})
			continue
		}
		calls++
		known := w.at + leg()
		if w.version == version {
			version++
			ms = max(ms, known)
			continue
		}
		attempt[w.client]++
		e := math.Min(2000, 5*math.Pow(2, float64(attempt[w.client])))
		wait := 0.0
		switch algorithm {
		case Exponential:
			wait = e
		case EqualJitter:
			wait = e/2 + rng.Float64()*e/2
		case FullJitter:
			wait = rng.Float64() * e
		case Decorrelated:
			slept[w.client] = min(2000, 5+rng.Float64()*(3*slept[w.client]-5))
			wait = slept[w.client]
		}
		heap.Push(&row, write{at: known + wait + leg(), client: w.client})
	}
	return ms, calls
}

func TestTheBackoffStudyAgreesWithSimulation(t *testing.T) {
	for _, p := range AWSBackoff() {
		if p.Clients > 50 {
			continue
		}
		const replications = 100
		var ms, calls [replications]float64
		for rep := range replications {
			ms[rep], calls[rep] = contendOnce(rand.New(rand.NewPCG(91, uint64(rep))), p.Clients, p.Algorithm)
		}
		assertBoth(t, p.Time, p.TimeError/1.96, ms[:], p, "time")
		assertBoth(t, p.Calls, p.CallsError/1.96, calls[:], p, "calls")
	}
}

// assertBoth is assertMean for an expectation that has a standard error itself.
func assertBoth(t *testing.T, want, wantError float64, replications []float64, of ...any) {
	t.Helper()
	n := float64(len(replications))
	mean, square := 0.0, 0.0
	for _, x := range replications {
		mean += x / n
	}
	for _, x := range replications {
		square += (x - mean) * (x - mean)
	}
	z := (mean - want) / math.Sqrt(square/(n-1)/n+wantError*wantError)
	assert.LessOrEqual(t, math.Abs(z), 4.0, "published %v, simulated %v, z = %.2f %v", want, mean, z, of)
}
