package fleet

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/des"
	"ratelab/internal/random"
	"ratelab/limiters/contract"
)

func TestLeastGoesToTheFewestInFlightAndAmongThemToTheLongestAgo(t *testing.T) {
	b := newLeast(3)
	take := func() int { s := b.Pick(0); b.started(s); return s }
	assert.Equal(t, []int{0, 1, 2, 0}, []int{take(), take(), take(), take()})
	b.ended(2)
	b.ended(1) // 1, 0, 0 in flight: 1 was picked before 2
	assert.Equal(t, []int{1, 2, 1}, []int{take(), take(), take()})
}

func TestWithNothingInFlightLeastIsRoundRobinAndTwoChoicesIsRandom(t *testing.T) {
	turn, few := build(t, "round-robin", 5), build(t, "least", 5)
	for range 100 {
		require.Equal(t, turn.Pick(0), few.Pick(0))
	}
	counts := picks(build(t, "two-choices", 8), 80_000, func(int) uint32 { return 0 })
	withinFiveSigma(t, counts, 80_000, func(int) float64 { return 1.0 / 8 })
}

// A plain search finds what the heap finds.
func TestLeastIsTheMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "servers")
		b, inFlight, last, out := newLeast(n), make([]int, n), make([]int, n), make([]bool, n)
		for i := range last {
			last[i] = i - n
		}
		for now := range rapid.IntRange(1, 200).Draw(t, "steps") {
			s := rapid.IntRange(0, n-1).Draw(t, "server")
			switch rapid.SampledFrom([]string{"call", "call", "end", "out", "in"}).Draw(t, "what") {
			case "call":
				best := -1
				for i := range n {
					if !out[i] && (best < 0 || inFlight[i] < inFlight[best] || inFlight[i] == inFlight[best] && last[i] < last[best]) {
						best = i
					}
				}
				got := b.Pick(0)
				require.Equal(t, best, got)
				b.started(got)
				inFlight[got]++
				last[got] = now
			case "end":
				if inFlight[s] > 0 {
					inFlight[s]--
					b.ended(s)
				}
			case "out":
				up := 0
				for _, o := range out {
					if !o {
						up++
					}
				}
				if up > 1 || out[s] {
					out[s] = true
					b.serve(s, false)
				}
			case "in":
				out[s] = false
				b.serve(s, true)
			}
		}
	})
}

func TestTwoChoicesAreDifferentServers(t *testing.T) {
	b := build(t, "two-choices", 2)
	b.(tracker).started(1)
	for range 100 {
		require.Equal(t, 0, b.Pick(0), "both are drawn always, so the idle one is found")
	}
	assert.Equal(t, 0, build(t, "two-choices", 1).Pick(0))
}

func TestNoBalancerPicksAServerThatDoesNotServe(t *testing.T) {
	for _, text := range []string{"round-robin", "random", "hash", "weighted:zipf=1", "weighted:shares=5/4/3/2/1", "least", "two-choices"} {
		rapid.Check(t, func(t *rapid.T) {
			spec, err := ParseBalancer(text)
			require.NoError(t, err)
			b, err := spec.build(5, streams(1))
			require.NoError(t, err)
			never, err := spec.build(5, streams(1))
			require.NoError(t, err)
			out := rapid.SliceOfNDistinct(rapid.IntRange(0, 4), 1, 4, rapid.ID).Draw(t, "out")
			for _, s := range out {
				b.serve(s, false)
				b.serve(s, false) // again
			}
			seen := map[int]bool{}
			for key := range uint32(400) {
				seen[b.Pick(key)] = true
			}
			for _, s := range out {
				require.NotContains(t, seen, s, text)
			}
			require.Len(t, seen, 5-len(out), "%s: all others are picked", text)
			if text == "hash" {
				for key := range uint32(400) {
					if home := never.Pick(key); !assert.ObjectsAreEqual(home, b.Pick(key)) {
						require.Contains(t, out, home, "only the keys of those that are out move")
					}
				}
			}
			for _, s := range out {
				b.serve(s, true)
				b.serve(s, true)
			}
			counts := picks(b, 5000, func(i int) uint32 { return uint32(i) })
			require.Len(t, counts, 5, text)
		})
	}
}

func TestBalancersThatGoByLoadDoNotAllocate(t *testing.T) {
	for _, text := range []string{"least", "two-choices"} {
		b := build(t, text, 100)
		assert.Zero(t, testing.AllocsPerRun(1000, func() {
			s := b.Pick(0)
			b.(tracker).started(s)
			b.(tracker).ended(s)
		}), text)
	}
}

func TestACallIsInFlightUntilItsCallerHearsOfIt(t *testing.T) {
	b := newBuilt(t, config(t, "leaky-queue:rate=1/s,queue=3", "least", "local", 2, 0))
	assert.False(t, b.AtOnce())
	send := func() int {
		call := b.Send(b.sim, contract.Request{At: b.sim.Now(), Cost: 1})
		return b.calls.slots[uint32(call)].server
	}
	assert.Equal(t, []int{0, 1, 0, 1, 0}, []int{send(), send(), send(), send(), send()}, "the first of each leaves at once; 2 and 1 are held")
	b.sim.Run(1500 * time.Millisecond) // one of each has left: 1 and 0 are held
	assert.Equal(t, []int{1, 0, 1}, []int{send(), send(), send()}, "the fewer; of 1 and 1 the one picked longer ago; of 2 and 1 the fewer")

	remote := newBuilt(t, config(t, "gcra:rate=1/d,burst=1", "least", "central", 2, 10))
	first := remote.Send(remote.sim, contract.Request{Cost: 1})
	remote.Cancel(first)
	assert.Equal(t, []int{1, 0}, remote.balancer.(*least).load, "given up, and still under way")
	remote.sim.Run(des.Never)
	assert.Equal(t, []int{0, 0}, remote.balancer.(*least).load)
}

func BenchmarkPick(b *testing.B) {
	for _, text := range []string{"random", "round-robin", "hash", "weighted:zipf=1", "least", "two-choices"} {
		for _, n := range []int{10, 1000} {
			b.Run(fmt.Sprintf("balancer=%s/servers=%d", text, n), func(b *testing.B) {
				spec, err := ParseBalancer(text)
				require.NoError(b, err)
				balancer, err := spec.build(n, streams(1))
				require.NoError(b, err)
				load, _ := balancer.(tracker)
				ring, at := make([]int, n/2), 0 // calls in flight
				for i := range ring {
					ring[i] = balancer.Pick(0)
					if load != nil {
						load.started(ring[i])
					}
				}
				for b.Loop() {
					server := balancer.Pick(uint32(at))
					if load != nil {
						load.started(server)
						load.ended(ring[at])
					}
					if ring[at], at = server, at+1; at == len(ring) {
						at = 0
					}
				}
			})
		}
	}
}

// queues are servers that work on one call after the other, for exponential
// times with mean 1 s, behind a balancer.
type queues struct {
	balancer       Balancer
	load           []int
	arrivals, work *random.ExpGaps
	worked         time.Duration // the last point of work
	from           time.Duration
	inSystem       int
	area           float64 // calls in the system × seconds, from from on
	since          time.Duration
}

func (q *queues) count(now time.Duration, change int) {
	q.area += float64(q.inSystem) * (max(now, q.from) - max(q.since, q.from)).Seconds()
	q.inSystem, q.since = q.inSystem+change, now
}

const arrives = ^uint64(0)

func (q *queues) Handle(s *des.Sim, tag uint64) {
	if tag != arrives {
		q.count(s.Now(), -1)
		if t, ok := q.balancer.(tracker); ok {
			t.ended(int(tag))
		}
		if q.load[tag]--; q.load[tag] > 0 {
			s.After(q.time(), q, tag)
		}
		return
	}
	s.At(q.arrivals.Next(), q, arrives)
	q.count(s.Now(), 1)
	server := q.balancer.Pick(0)
	if t, ok := q.balancer.(tracker); ok {
		t.started(server)
	}
	if q.load[server]++; q.load[server] == 1 {
		s.After(q.time(), q, uint64(server))
	}
}

// time draws how long a call takes: a gap of a Poisson process.
func (q *queues) time() time.Duration {
	last := q.worked
	q.worked = q.work.Next()
	return q.worked - last
}

// meanTime returns the mean time in a fleet of n servers at a load below 1, in
// seconds, by Little's law, over several runs that start empty.
func meanTime(t *testing.T, balancer string, n int, load float64, warmup, length time.Duration, reps int) []float64 {
	var means []float64
	for rep := range reps {
		spec, err := ParseBalancer(balancer)
		require.NoError(t, err)
		b, err := spec.build(n, streams(uint64(rep)))
		require.NoError(t, err)
		name := fmt.Sprint(balancer, n, load)
		q := &queues{
			balancer: b, load: make([]int, n), from: warmup,
			arrivals: random.NewExpGapsOfMean(random.Stream(uint64(rep), "arrivals", name), 1e9/(load*float64(n))),
			work:     random.NewExpGaps(random.Stream(uint64(rep), "work", name), 1, 1e9),
		}
		sim := des.New()
		sim.At(q.arrivals.Next(), q, arrives)
		sim.Run(warmup + length)
		q.count(sim.Now(), 0)
		means = append(means, q.area/length.Seconds()/(load*float64(n)))
	}
	return means
}

func requireMean(t *testing.T, want float64, sample []float64, about string) {
	t.Helper()
	mean, squares := 0.0, 0.0
	for _, x := range sample {
		mean += x / float64(len(sample))
	}
	for _, x := range sample {
		squares += (x - mean) * (x - mean)
	}
	se := math.Sqrt(squares / float64(len(sample)-1) / float64(len(sample)))
	t.Logf("%s: %.5f ± %.5f, want %.5f", about, mean, se, want)
	require.LessOrEqual(t, math.Abs(mean-want), 4*se, "%s: %.5f ± %.5f, want %.5f", about, mean, se, want)
}

// chain returns the mean time in a fleet of two or three servers by its
// balance equations, cut off at most calls a server and solved by iteration. In
// a fleet of three, two are drawn (of two, the two), and the shorter queue is
// joined, either of equals.
func chain(n int, load float64, most int) float64 {
	side := most + 1
	states := 1
	for range n {
		states *= side
	}
	p, next := make([]float64, states), make([]float64, states)
	p[0] = 1
	rate := load * float64(n)
	uniform := rate + float64(n)
	step := []int{1, side, side * side}[:n]
	pairs := [][2]int{{0, 1}}
	if n == 3 {
		pairs = append(pairs, [2]int{0, 2}, [2]int{1, 2})
	}
	queue := func(state, i int) int { return state / step[i] % side }
	for range 1200 {
		clear(next)
		for state, here := range p {
			stay := here
			move := func(to int, r float64) {
				next[to] += here * r / uniform
				stay -= here * r / uniform
			}
			for i := range n {
				if queue(state, i) > 0 {
					move(state-step[i], 1)
				}
			}
			for _, pair := range pairs {
				i, j := pair[0], pair[1]
				r := rate / float64(len(pairs))
				switch a, b := queue(state, i), queue(state, j); {
				case min(a, b) == most:
				case a < b:
					move(state+step[i], r)
				case b < a:
					move(state+step[j], r)
				default:
					move(state+step[i], r/2)
					move(state+step[j], r/2)
				}
			}
			next[state] += stay
		}
		p, next = next, p
	}
	mean := 0.0
	for state, here := range p {
		for i := range n {
			mean += here * float64(queue(state, i))
		}
	}
	return mean / rate
}

// Of two servers both balancers find the shorter queue.
func TestJoiningTheShorterOfTwoQueues(t *testing.T) {
	want := chain(2, 0.7, 25)
	assert.InDelta(t, want, chain(2, 0.7, 35), 1e-6, "cut off far enough, and settled")
	for _, balancer := range []string{"least", "two-choices"} {
		requireMean(t, want, meanTime(t, balancer, 2, 0.7, 300*time.Second, 20_000*time.Second, 10), balancer+" of two servers")
	}
}

func TestTwoOfThreeQueues(t *testing.T) {
	want := chain(3, 0.7, 16)
	requireMean(t, want, meanTime(t, "two-choices", 3, 0.7, 300*time.Second, 20_000*time.Second, 10), "two of three servers")
}

// In a large fleet T_2 = Σ ρ^(2^i-2), against 1/(1-ρ) for a random choice
// (Mitzenmacher, IEEE TPDS 12, 2001). The fleets start empty and settle within a
// few times 1/(1-√ρ)², 37 s for a random choice at this load.
func TestThePowerOfTwoChoices(t *testing.T) {
	const load = 0.7
	two := 0.0
	for i := 1; i < 8; i++ {
		two += math.Pow(load, math.Exp2(float64(i))-2)
	}
	assert.InDelta(t, 1.614454, two, 1e-6)
	for _, mean := range meanTime(t, "least", 400, load, 100*time.Second, 100*time.Second, 2) {
		assert.InDelta(t, 1, mean, 0.05, "the shortest of all queues is nearly always empty; a mean of 28000 calls")
	}
	requireMean(t, two, meanTime(t, "two-choices", 400, load, 100*time.Second, 300*time.Second, 6), "two choices")
	requireMean(t, 1/(1-load), meanTime(t, "random", 100, load, 600*time.Second, 1000*time.Second, 6), "random")
}
