package limiters_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// request has a key in each layer.
type request struct {
	now  time.Duration
	keys []uint32
	cost int64
}

var chargeModes = []limiters.ChargeMode{limiters.ChargeAdmitted, limiters.ChargeInOrder, limiters.ChargeAlways}

func drawLayers(t *rapid.T, charge limiters.ChargeMode, r regime) limiters.LayersSpec {
	s := limiters.LayersSpec{Charge: charge}
	for range rapid.IntRange(1, 4).Draw(t, "layers") {
		layer := limiters.Layer{Column: rapid.SampledFrom([]string{"user", "ip", limiters.Global}).Draw(t, "column")}
		for range 3 { // so that few refuse all
			layer.Spec = drawSpec(t, rapid.SampledFrom(limiters.Canonical()).Draw(t, "limiter"), r)
			if layer.Spec.Capacity() > 1 {
				break
			}
		}
		s.Layers = append(s.Layers, layer)
	}
	return s
}

// drawRequests draws requests as drawOps does, by the hints of the layers
// together.
func drawRequests(t *rapid.T, s limiters.LayersSpec, r regime, most int) []request {
	scout := s.New(1, nil)
	unit := map[regime]time.Duration{tiny: 1, usual: 50 * time.Millisecond}[r]
	now := time.Duration(rapid.Int64Range(-20, 20).Draw(t, "start")) * unit
	var requests []request
	var last limiters.Decision
	for range rapid.IntRange(1, most).Draw(t, "requests") {
		beside := func(d time.Duration) time.Duration {
			if d == limiters.Never {
				return 0
			}
			return d + time.Duration(rapid.IntRange(-1, 1).Draw(t, "beside"))
		}
		switch rapid.SampledFrom([]string{"same", "same", "step", "retry", "reset", "back", "rest"}).Draw(t, "time") {
		case "step":
			now += time.Duration(rapid.Int64Range(0, 5).Draw(t, "step")) * unit
		case "retry":
			now += beside(last.RetryAfter)
		case "reset":
			now += beside(last.Reset)
		case "back":
			now -= time.Duration(rapid.Int64Range(1, 15).Draw(t, "back")) * unit
		case "rest":
			now += time.Duration(rapid.Int64Range(10, 60).Draw(t, "rest")) * unit
		}
		q := request{now: now, cost: rapid.SampledFrom([]int64{1, 1, 1, 1, 2, 3, 13}).Draw(t, "cost")}
		of := map[string]uint32{
			"user": uint32(rapid.SampledFrom([]int{0, 0, 1, 7000}).Draw(t, "user")),
			"ip":   uint32(rapid.IntRange(0, 1).Draw(t, "ip")),
		}
		for _, layer := range s.Layers {
			q.keys = append(q.keys, of[layer.Column])
		}
		requests = append(requests, q)
		last = scout.Take(q.now, q.keys, q.cost)
	}
	return requests
}

func checkLayers(t *testing.T, modes []limiters.ChargeMode, property func(t *rapid.T, s limiters.LayersSpec, requests []request)) {
	t.Helper()
	for _, mode := range modes {
		t.Run(string(mode), rapid.MakeCheck(func(t *rapid.T) {
			r := rapid.SampledFrom([]regime{tiny, tiny, usual}).Draw(t, "regime")
			s := drawLayers(t, mode, r)
			requests := drawRequests(t, s, r, 12)
			t.Logf("%s", s)
			for i, q := range requests {
				t.Logf("%2d cost %d at %d keys %v", i, q.cost, q.now, q.keys)
			}
			property(t, s, requests)
		}))
	}
}

// together makes one answer of those of all layers, by the words of the rule.
func together(each []limiters.Decision) limiters.Decision {
	d := limiters.Decision{Admitted: true}
	for i, e := range each {
		if !e.Admitted {
			d.Admitted, d.Layer = false, int32(i)
			break
		}
	}
	var waits, delays, resets []time.Duration
	var limits, remaining []int64
	gives := func(e limiters.Decision, hint contract.Hints) bool {
		d.Has |= e.Has & hint
		return e.Has&hint != 0
	}
	for _, e := range each {
		delays = append(delays, e.Delay)
		if e.Admitted == d.Admitted && gives(e, contract.HintRetryAfter) {
			waits = append(waits, e.RetryAfter)
		}
		if gives(e, contract.HintLimit) {
			limits = append(limits, e.Limit)
		}
		if gives(e, contract.HintRemaining) {
			remaining = append(remaining, e.Remaining)
		}
		if gives(e, contract.HintReset) {
			resets = append(resets, e.Reset)
		}
	}
	if len(waits) > 0 {
		d.RetryAfter = slices.Max(waits)
	}
	if len(limits) > 0 {
		d.Limit = slices.Min(limits)
	}
	if len(remaining) > 0 {
		d.Remaining = slices.Min(remaining)
	}
	if len(resets) > 0 {
		d.Reset = slices.Max(resets)
	}
	if d.Admitted {
		d.Delay = slices.Max(delays)
	}
	return d
}

// slowLayers remember what each layer was shown and make its limiter anew from
// that for every answer: what a layer was not shown can not have touched it.
type slowLayers struct {
	spec  limiters.LayersSpec
	shown [][]func(limiters.Limiter)
}

func (s *slowLayers) limiter(i int) limiters.Limiter {
	l := s.spec.Layers[i].Spec.New(1, nil)
	for _, show := range s.shown[i] {
		show(l)
	}
	return l
}

func (s *slowLayers) take(q request) limiters.Decision {
	n := len(s.spec.Layers)
	each := make([]limiters.Decision, n)
	taken := func(i int) limiters.Decision {
		d := s.limiter(i).Take(q.now, q.keys[i], q.cost)
		s.shown[i] = append(s.shown[i], func(l limiters.Limiter) { l.Take(q.now, q.keys[i], q.cost) })
		return d
	}
	switch s.spec.Charge {
	case limiters.ChargeAlways:
		for i := range n {
			each[i] = taken(i)
		}
	case limiters.ChargeInOrder:
		passed := true
		for i := range n {
			if passed {
				each[i] = taken(i)
				passed = each[i].Admitted
				continue
			}
			each[i] = s.limiter(i).Ask(q.now, q.keys[i], 1)
			each[i].Admitted = true
		}
	case limiters.ChargeAdmitted:
		all := true
		for i := range n {
			each[i] = s.limiter(i).Ask(q.now, q.keys[i], q.cost)
			all = all && each[i].Admitted
		}
		for i := range n {
			if all {
				each[i] = taken(i)
			} else {
				s.shown[i] = append(s.shown[i], func(l limiters.Limiter) { l.Ask(q.now, q.keys[i], q.cost) })
			}
		}
	}
	return together(each)
}

func TestLayersAnswerAsTheSlowVersion(t *testing.T) {
	checkLayers(t, chargeModes, func(t *rapid.T, s limiters.LayersSpec, requests []request) {
		for i := range s.Layers { // some of them real programs
			if rapid.IntRange(0, 3).Draw(t, "program") == 0 {
				s.Layers[i].Spec = rapid.SampledFrom(specsOf(t, rapid.SampledFrom(limiters.Dialects()).Draw(t, "dialect"))).Draw(t, "spec")
				t.Logf("layer %d is %s", i, s.Layers[i].Spec)
			}
		}
		if _, unit := s.UnitCost(); unit {
			for i := range requests {
				requests[i].cost = 1
			}
		}
		l := s.New(1, nil)
		slow := &slowLayers{spec: s, shown: make([][]func(limiters.Limiter), len(s.Layers))}
		for i, q := range requests {
			require.Equal(t, slow.take(q), l.Take(q.now, q.keys, q.cost), "request %d", i)
		}
		for i := range s.Layers {
			require.Equal(t, slow.limiter(i).Keys(), l.Limiter(i).Keys(), "layer %d: a key that was not shown leaves no trace", i)
		}
	})
}

// Every decision follows from all that was ever charged, in exact ratios, by
// the words of the rules: nothing of the limiters is in this.
func TestLayersDecideByTheRule(t *testing.T) {
	checkLayers(t, chargeModes, func(t *rapid.T, s limiters.LayersSpec, requests []request) {
		models := make([]map[uint32]*slow, len(s.Layers))
		for i := range s.Layers {
			if s.Layers[i].Spec.Name() == "fixed-window" { // the offsets of a jitter are tested apart
				var err error
				s.Layers[i].Spec, err = s.Layers[i].Spec.With("jitter", "0s")
				require.NoError(t, err)
			}
			models[i] = map[uint32]*slow{}
		}
		l := s.New(1, nil)
		for n, q := range requests {
			refusedBy := -1
			var charges []func()
			for i := range s.Layers {
				m := models[i][q.keys[i]]
				if m == nil {
					m = newSlow(t, s.Layers[i].Spec)
					models[i][q.keys[i]] = m
				}
				if !m.begun {
					m.begun, m.latest, m.begin = true, q.now, rat(int64(q.now))
				}
				m.latest = max(m.latest, q.now)
				at := rat(int64(m.latest))
				admitted := m.admits(m.log, at, q.cost)
				if !admitted && refusedBy < 0 {
					refusedBy = i
				}
				charge := func() { m.log = append(m.log, charged{at, q.cost}) }
				switch {
				case s.Charge == limiters.ChargeAdmitted:
					charges = append(charges, charge)
				case admitted || m.param["count"] == "all" && q.cost <= m.capacity():
					charge()
				}
				if s.Charge == limiters.ChargeInOrder && !admitted {
					break
				}
			}
			if refusedBy < 0 {
				for _, charge := range charges {
					charge()
				}
			}
			_, got := l.Admit(q.now, q.keys, q.cost)
			require.Equal(t, refusedBy, got, "request %d", n)
		}
	})
}

func TestLayersAdmitAsTheyTake(t *testing.T) {
	checkLayers(t, chargeModes, func(t *rapid.T, s limiters.LayersSpec, requests []request) {
		a, b := s.New(1, nil), s.New(1, nil)
		for n, q := range requests {
			d := a.Take(q.now, q.keys, q.cost)
			delay, refusedBy := b.Admit(q.now, q.keys, q.cost)
			require.Equal(t, d.Admitted, refusedBy < 0, "request %d", n)
			require.EqualValues(t, d.Layer, max(0, refusedBy), "request %d", n)
			require.Equal(t, d.Delay, delay, "request %d", n)
		}
	})
}

func TestWithChargeAlwaysEveryLayerIsAsIfAlone(t *testing.T) {
	checkLayers(t, chargeModes[2:], func(t *rapid.T, s limiters.LayersSpec, requests []request) {
		l := s.New(1, nil)
		var alone []limiters.Limiter
		for _, layer := range s.Layers {
			alone = append(alone, layer.Spec.New(1, nil))
		}
		for n, q := range requests {
			each := make([]limiters.Decision, len(alone))
			for i := range alone {
				each[i] = alone[i].Take(q.now, q.keys[i], q.cost)
			}
			require.Equal(t, together(each), l.Take(q.now, q.keys, q.cost), "request %d", n)
		}
	})
}

func TestWithChargeAdmittedAllLayersPayOrNone(t *testing.T) {
	checkLayers(t, chargeModes[:1], func(t *rapid.T, s limiters.LayersSpec, requests []request) {
		l := s.New(1, nil)
		stand := func(q request) (all []limiters.Decision) {
			for i := range s.Layers {
				all = append(all, l.Limiter(i).Ask(q.now, q.keys[i], 1))
			}
			return all
		}
		for n, q := range requests {
			before := stand(q)
			d := l.Take(q.now, q.keys, q.cost)
			after := stand(q)
			for i := range s.Layers {
				if d.Admitted {
					require.Equal(t, before[i].Remaining-q.cost, after[i].Remaining, "request %d is paid for in layer %d", n, i)
				} else {
					require.Equal(t, before[i], after[i], "request %d costs nothing in layer %d", n, i)
				}
			}
		}
	})
}

func TestWithChargeAdmittedTheOrderOfLayersDoesNotMatter(t *testing.T) {
	checkLayers(t, chargeModes[:1], func(t *rapid.T, s limiters.LayersSpec, requests []request) {
		order := make([]int, len(s.Layers))
		for i := range order {
			order[i] = i
		}
		order = rapid.Permutation(order).Draw(t, "order")
		turned := limiters.LayersSpec{Charge: s.Charge}
		for _, i := range order {
			turned.Layers = append(turned.Layers, s.Layers[i])
		}
		a, b := s.New(1, nil), turned.New(1, nil)
		for n, q := range requests {
			want := a.Take(q.now, q.keys, q.cost)
			keys := make([]uint32, len(order))
			for j, i := range order {
				keys[j] = q.keys[i]
			}
			got := b.Take(q.now, keys, q.cost)
			want.Layer, got.Layer = 0, 0 // another may be the first that refused
			require.Equal(t, want, got, "request %d", n)
		}
	})
}

func TestWithChargeInOrderTheOrderOfLayersMatters(t *testing.T) {
	narrow, wide := "user=fixed-window:limit=1,window=1h", "global=fixed-window:limit=2,window=1h"
	passed := func(layers ...string) (n int) {
		l := parseLayers(t, "in-order", layers...).New(1, nil)
		for _, user := range []uint32{1, 1, 2} {
			keys := []uint32{user, 0}
			if strings.HasPrefix(layers[0], limiters.Global) {
				keys = []uint32{0, user}
			}
			if _, refusedBy := l.Admit(0, keys, 1); refusedBy < 0 {
				n++
			}
		}
		return n
	}
	assert.Equal(t, 2, passed(narrow, wide))
	assert.Equal(t, 1, passed(wide, narrow), "the wide layer paid for what the narrow one refused")
}

func TestTheRetryAfterOfLayersChargedOnAdmissionIsExact(t *testing.T) {
	refused := 0
	checkLayers(t, chargeModes[:1], func(t *rapid.T, s limiters.LayersSpec, requests []request) {
		replayed := func() (l *limiters.Layers, waits int, d limiters.Decision) {
			l, waits = s.New(1, nil), -1
			for n, q := range requests {
				got := l.Take(q.now, q.keys, q.cost)
				above := slices.ContainsFunc(s.Layers, func(l limiters.Layer) bool { return q.cost > l.Spec.Capacity() })
				require.Equal(t, above, got.RetryAfter == limiters.Never, "no wait helps a cost above a capacity, and some wait any other")
				if got.Admitted {
					require.Zero(t, got.RetryAfter)
				} else if !above {
					waits, d = n, got
				}
			}
			return l, waits, d
		}
		_, last, d := replayed()
		if last < 0 {
			return
		}
		requests = requests[:last+1] // nobody else comes
		q := requests[last]
		refused++
		l, _, _ := replayed()
		early := l.Take(q.now+d.RetryAfter-1, q.keys, q.cost)
		require.False(t, early.Admitted, "1 ns before %d", d.RetryAfter)
		l, _, _ = replayed()
		then := l.Take(q.now+d.RetryAfter, q.keys, q.cost)
		require.True(t, then.Admitted, "after %d", d.RetryAfter)
	})
	assert.Greater(t, refused, 5, "enough waits were tried")
}

func TestNoDecisionOfLayersAllocates(t *testing.T) {
	for _, mode := range chargeModes {
		l := parseLayers(t, string(mode), "user=token-bucket:rate=5/s,burst=5", "ip=sliding-log:limit=5,window=1s,count=all", "user=fixed-window:limit=5,window=1s,origin=first",
			"global=sliding-counter:limit=50,window=1s", "global=leaky-queue:rate=50/s,queue=9", "ip=token-bucket:rate=7/s,burst=9,refill=interval", "global=gcra:rate=99/s,burst=9").New(1, nil)
		now := time.Duration(0)
		keys := make([]uint32, 7)
		refused := 0
		round := func() {
			for key := range uint32(20) {
				keys[0], keys[1], keys[2], keys[5] = key*997, key%3, key*997, key%3
				if !l.Take(now, keys, 1).Admitted {
					refused++
				}
				if _, by := l.Admit(now, keys, 2); by >= 0 {
					refused++
				}
				now += 7 * time.Millisecond
			}
		}
		for range 50 {
			round()
		}
		// A user that the first layers refuse is looked at in those behind,
		// and forgotten there: that may take a slot, and gives it back.
		assert.Zero(t, testing.AllocsPerRun(50, round), string(mode))
		assert.Positive(t, refused, string(mode))
	}
}

// BenchmarkLayers is one decision of three layers over 64 users.
func BenchmarkLayers(b *testing.B) {
	for _, mode := range chargeModes {
		l := parseLayers(b, string(mode), "user=token-bucket:rate=100/s,burst=10", "ip=gcra:rate=200/s,burst=20", "global=fixed-window:limit=3000,window=1s").New(1, nil)
		keys := make([]uint32, 3)
		decide := map[string]func(now time.Duration){
			"take":  func(now time.Duration) { l.Take(now, keys, 1) },
			"admit": func(now time.Duration) { l.Admit(now, keys, 1) },
		}
		for _, name := range []string{"admit", "take"} {
			b.Run(fmt.Sprintf("%s/%s", mode, name), func(b *testing.B) {
				b.ReportAllocs()
				var now time.Duration
				for b.Loop() {
					keys[0] = (keys[0] + 1) % 64
					keys[1] = keys[0] / 2
					decide[name](now)
					now += 150 * time.Microsecond
				}
			})
		}
	}
}
