package adversary

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/experiments/scenario"
	"ratelab/internal/random"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/logs"
	"ratelab/workloads"
)

func TestLimitersApartDecideAsTheirFleet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := against(t, rapid.SampledFrom([]string{
			"fixed-window:limit=5,window=1s,jitter=1s", "sliding-counter:limit=5,window=1s", "gcra:rate=5/s,burst=4", "leaky-queue:rate=5/s,queue=3",
		}).Draw(t, "limiter"), Window).on(t, rapid.IntRange(1, 4).Draw(t, "servers"),
			rapid.SampledFrom([]string{"round-robin", "random", "hash", "weighted:zipf=1"}).Draw(t, "balancer"),
			rapid.SampledFrom([]string{"local", "quota", "quota:remainder=drop", "central"}).Draw(t, "coordination"), "0s").Filled()
		c.Seed = rapid.Uint64Range(1, 1<<40).Draw(t, "seed")
		fast, err := c.player()
		require.NoError(t, err)
		require.IsType(t, &apart{}, fast)
		for range 3 { // one after the other
			at := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration {
				return time.Duration(rapid.Int64Range(0, 30).Draw(t, "tenths")) * 100 * time.Millisecond
			}), 0, c.Requests).Draw(t, "arrivals")
			slices.Sort(at)
			var got, want outcome
			require.NoError(t, fast.play(at, &got))
			require.NoError(t, (&world{config: c.fleet()}).play(at, &want))
			require.Equal(t, fmt.Sprint(want), fmt.Sprint(got))
		}
	})
}

// TestWhatIsFoundIsWhatAScenarioMeasures replays what was found.
func TestWhatIsFoundIsWhatAScenarioMeasures(t *testing.T) {
	for _, c := range []Config{
		against(t, "sliding-counter:limit=5,window=1s", Window),
		against(t, "sliding-counter:limit=5,window=1s", Deficit),
		against(t, "gcra:rate=5/s,burst=5", Window),
		against(t, "leaky-queue:rate=5/s,queue=3", Delay),
		against(t, "sliding-counter:limit=5,window=1s", Window).on(t, 3, "random", "local", "0s"),
		against(t, "sliding-counter:limit=5,window=1s", Deficit).on(t, 3, "random", "quota", "0s"),
		against(t, "fixed-window:limit=5,window=1s", Window).on(t, 3, "least", "central", "exp:mean=20ms"),
		against(t, "leaky-queue:rate=5/s,queue=3", Delay).on(t, 3, "round-robin", "central:capacity=100/s", "20ms"),
		against(t, "fixed-window:limit=5,window=1s", Window).on(t, 3, "random", "leased:batch=3,ttl=5s", "3ms"),
		against(t, "sliding-log:limit=5,window=1s", Window).on(t, 2, "round-robin", "synced:period=100ms,delay=10ms", "0s"),
		against(t, "fixed-window:limit=5,window=1s", Window).on(t, 2, "round-robin", "central-racy:delay=50ms", "3ms"),
		against(t, "fixed-window:limit=5,window=1s", Deficit).on(t, 2, "round-robin", "adaptive:period=300ms", "0s"),
	} {
		c.Tries, c.Patience, c.Seed = 1, 300, 3
		t.Run(strings.ReplaceAll(fmt.Sprintf("%s of %s under %s", c.Harm, c.Limiter, c.Coordination), ",", ";"), func(t *testing.T) {
			f, err := Search(t.Context(), c)
			require.NoError(t, err)
			var w workloads.Spec
			w, err = workloads.Parse("trace:file=" + saved(t, f))
			require.NoError(t, err)
			s := scenario.Default(c.Limiter, w)
			s.Servers, s.Balancer, s.Coordination, s.RTT, s.Seed, s.Horizon = c.Servers, c.Balancer, c.Coordination, c.RTT, c.Seed, time.Minute
			s.Measure.Within, s.Measure.Reference = f.Within, c.Harm == Deficit
			r, err := scenario.Run(t.Context(), s)
			require.NoError(t, err)
			assert.InDelta(t, float64(f.Admitted), r.Get("admitted"), 0)
			assert.InDelta(t, float64(len(f.Arrivals)), r.Get("offered"), 0)
			switch c.Harm {
			case Window:
				assert.InDelta(t, f.Value(), r.Get("max_window_admitted"), 0)
			case Deficit:
				assert.InDelta(t, f.Value(), r.Get("throughput_deficit"), 1e-15)
			case Delay:
				assert.InDelta(t, f.Value()/1e9, r.Get("delay_max"), 1e-12)
			}
			assert.Positive(t, f.Value()+1)
		})
	}
}

// saved writes what was found as a CSV, as it is written for people.
func saved(t *testing.T, f Found) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "worst.csv")
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, logs.WriteArrivals(file, f.Next()))
	require.NoError(t, file.Close())
	return path
}

// TestEveryLimiterIsNewToEverySchedule has all limiters, dialects too,
// decide what was found as new ones do.
func TestEveryLimiterIsNewToEverySchedule(t *testing.T) {
	for _, e := range limiters.Entries() {
		text, separator := e.Name, ":"
		for _, p := range e.Params {
			if p.Default != "" || p.Unit == spec.Flag {
				continue
			}
			value, _, _ := strings.Cut(p.Unit, "|")
			if usual, ok := map[string]string{"rate": "10/s", "nginx rate": "10r/s", "duration": "1s", "requests": "10"}[value]; ok {
				value = usual
			}
			text += separator + p.Name + "=" + value
			separator = ","
		}
		t.Run(text, func(t *testing.T) {
			c := against(t, text, Window)
			c.Tries, c.Patience, c.Requests = 1, 300, 60
			f, err := Search(t.Context(), c)
			require.NoError(t, err)
			fresh, n := c.Limiter.New(c.Seed, nil), 0
			for _, at := range f.Arrivals {
				if ok, _ := fresh.Admit(at, 0, 1); ok {
					n++
				}
			}
			assert.Equal(t, f.Admitted, n)
		})
	}
}

func TestSchedulesAllocateNothing(t *testing.T) {
	for _, h := range []Harm{Window, Deficit} {
		c := against(t, "sliding-counter:limit=20,window=1s", h).Filled()
		p, err := c.player()
		require.NoError(t, err)
		e := evaluator{player: p, harm: h, within: c.Within}
		m := mutation{random: random.Stream(1, "test"), span: c.Span, within: c.Within, most: c.Requests}
		at := m.begin(make([]time.Duration, 0, 2*c.Requests))
		next := make([]time.Duration, 0, 2*c.Requests)
		step := func() {
			next = m.change(next, at)
			e.try(next)
			at, next = next, at
		}
		for range 2000 {
			step()
		}
		assert.Zero(t, testing.AllocsPerRun(2000, step), h)
	}
}

// BenchmarkSchedule compares a step of the search with the plain decisions of a
// schedule as long.
func BenchmarkSchedule(b *testing.B) {
	c := against(b, "sliding-counter:limit=10,window=1s", Window).Filled()
	p, err := c.player()
	require.NoError(b, err)
	e := evaluator{player: p, harm: c.Harm, within: c.Within}
	m := mutation{random: random.Stream(1, "test"), span: c.Span, within: c.Within, most: c.Requests}
	at := m.begin(nil)
	b.Run("path=decisions", func(b *testing.B) {
		l := c.Limiter.New(1, nil)
		b.ReportAllocs()
		for b.Loop() {
			l.Forget(0)
			for _, t := range at {
				l.Admit(t, 0, 1)
			}
		}
	})
	b.Run("path=search", func(b *testing.B) {
		var next []time.Duration
		b.ReportAllocs()
		for b.Loop() {
			next = m.change(next, at)
			e.try(next)
			if len(next) > c.Requests/2 {
				at, next = next, at
			}
		}
	})
}
