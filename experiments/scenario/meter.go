package scenario

import (
	"math/rand/v2"
	"time"

	"ratelab/des/metrics"
	"ratelab/fleet"
	"ratelab/limiters"
)

// samplesPerWindow is how often the open counter error is looked at, on
// average. Errors less than a window apart are correlated, so looking more
// often would tell little more.
const samplesPerWindow = 8

// mostSamples bounds the looks of a run, to 2²⁴ on average: windows may be far
// shorter than the horizon.
const mostSamples = 24

// meter hands what happens to everything that counts it.
type meter struct {
	cfg      Config
	fleet    *fleet.Fleet
	span     metrics.Span
	keyed    bool
	window   time.Duration
	promise  int64
	counts   metrics.Counts
	siblings int64 // refused while another server had room; counted if looks
	looks    bool
	late     int64           // decisions at the end of the span or after
	refused  []int64         // by layer; none if there is one limiter
	max      *metrics.Window // one key
	pages    *metrics.Pages
	maxes    *metrics.Windows // several keys
	keyPages *metrics.KeyedPages
	delay    metrics.Delay
	costs    costs
	trouble  trouble
	callers  *callers // nil if no clients are simulated
	recovery *recovery
	load     load

	open    *metrics.OpenErrors
	closed  *metrics.ClosedErrors
	compare *metrics.Compare
	log     limiters.Limiter // the exact log that compare judges by
	levels  *levels
}

func newMeter(c Config, f *fleet.Fleet, keyed bool, stream func(string) *rand.Rand) (*meter, error) {
	m := &meter{
		cfg:    c,
		fleet:  f,
		span:   metrics.Span{Start: c.Warmup, End: c.Horizon},
		keyed:  keyed,
		window: c.window(),
	}
	m.costs = costs{fleet: f, span: m.span}
	m.looks = c.Measure.Siblings && f.LooksAround()
	m.trouble = newTrouble(c.Faults)
	m.promise = c.promise(m.window)
	if c.hasPeople() {
		mix, err := c.mix()
		if err != nil {
			return nil, err
		}
		m.callers = newCallers(mix, m.span)
		from := time.Duration(-1)
		if c.Measure.Recovery {
			from = c.Measure.RecoverFrom
		}
		m.recovery = newRecovery(m.span, from)
	}
	m.load = load{capacity: c.Capacity, servers: c.Servers, fleet: f, span: m.span}
	m.refused = make([]int64, len(c.Layers.Layers))
	if keyed {
		m.maxes = metrics.NewWindows(m.window, m.promise)
		m.keyPages = metrics.NewKeyedPages(m.window, m.promise, m.span)
	} else {
		m.max = metrics.NewWindow(m.window, m.promise)
		m.pages = metrics.NewPages(m.window, m.promise, m.span)
	}
	if c.layered() {
		return m, nil
	}
	if w, ok := c.Limiter.Window(); ok {
		if c.Measure.Errors && !keyed {
			m.open = metrics.NewOpenErrors(w, m.span, max(1, w/samplesPerWindow, m.span.Length()>>mostSamples), stream("error-instants"))
			if f.Buckets() == 1 {
				m.closed = metrics.NewClosedErrors(w, m.span)
			}
		}
		if c.Measure.Reference {
			log, err := exactLog(c.Limiter.Capacity(), w)
			if err != nil {
				return nil, err
			}
			m.log = log.New(c.Seed, nil)
			m.compare = metrics.NewCompare(c.Limiter.Capacity(), w, m.span)
		}
	}
	if c.Measure.Level {
		m.levels = newLevels(f, m.span)
	}
	return m, nil
}

// arrived counts a request as it arrives, in order of arrival.
func (m *meter) arrived(t time.Duration, cost int64) {
	if !m.costs.begun {
		m.costs.arrived(t)
	}
	if m.open != nil {
		m.open.Arrive(t, cost)
	}
}

// decided counts a decision, in order of decision, of a request that arrived
// at arrival. What a server decides late, on a round trip, falls
// by its arrival into the span of the counts, the maximum and the delays, and by
// its decision into that of the windows, the levels, the errors and the
// comparison with the log. Rates are counts over the length of the span, so
// those of admitted requests hold what was decided after it.
func (m *meter) decided(arrival, t time.Duration, server int, key uint32, cost int64, admitted bool) {
	if m.levels != nil {
		m.levels.observe(t, server, key, cost, admitted)
	}
	if m.closed != nil {
		m.closed.Decide(t, cost, admitted)
	}
	if m.compare != nil {
		inLog, _ := m.log.Admit(t, key, cost)
		m.compare.Decide(t, key, cost, admitted, inLog)
	}
	if m.cfg.pilot != nil {
		m.cfg.pilot.decided(arrival, admitted)
	}
	counts := arrival >= m.span.Start
	if counts {
		m.counts.Count(cost, admitted)
		if t >= m.span.End {
			m.late++
		}
		if m.trouble.store {
			m.trouble.decided(arrival, admitted)
		}
		if m.looks && !admitted && m.fleet.HasRoomElsewhere(t, server, key, cost) {
			m.siblings++
		}
	}
	switch {
	case !admitted:
	case m.keyed:
		m.keyPages.Admit(t, key, cost)
		if counts {
			m.maxes.Admit(t, key, cost)
		}
	default:
		m.pages.Admit(t, cost)
		if counts {
			m.max.Admit(t, cost)
		}
	}
}

// plain reports whether nothing is measured but the counts, windows and delays
// of one key. What is decided at once before the span begins is then not counted
// by anything.
func (m *meter) plain() bool {
	return !m.keyed && m.levels == nil && m.open == nil && m.closed == nil && m.compare == nil && m.cfg.pilot == nil
}

// decidedPlainly does what decided and released do, of a plain meter and a stretch
// of requests in the span that were decided at once: how many came and what they
// cost, those that were admitted, and how many of these have had their delay
// counted because it was not 0.
func (m *meter) decidedPlainly(offered, cost int64, admitted []metrics.Admission, delayed int64) {
	n, admittedCost := int64(len(admitted)), int64(0)
	for _, a := range admitted {
		admittedCost += a.Cost
	}
	m.counts.Admitted += n
	m.counts.AdmittedCost += admittedCost
	m.counts.Refused += offered - n
	m.counts.RefusedCost += cost - admittedCost
	m.pages.AdmitAll(admitted)
	m.max.AdmitAll(admitted)
	m.delay.AddZeros(n - delayed)
}

// refusedBy counts a refusal by the first layer that refused.
func (m *meter) refusedBy(arrival time.Duration, layer int) {
	if arrival >= m.span.Start {
		m.refused[layer]++
	}
}

// released counts how long an admitted request waited from its arrival on.
func (m *meter) released(arrival, wait time.Duration) {
	if m.cfg.pilot != nil {
		m.cfg.pilot.released(arrival, wait)
	}
	if arrival >= m.span.Start {
		m.delay.Add(wait)
	}
}

// result reads everything out, after the last decision; now is when the world
// ended.
func (m *meter) result(now time.Duration) Result {
	if m.cfg.Sampled != nil && (m.keyed && m.maxes.Sampled() || m.levels != nil && m.levels.sampled) {
		m.cfg.Sampled()
	}
	if m.cfg.Late != nil {
		m.cfg.Late(m.late, m.counts.Offered())
	}
	var r Result
	emit := func(name string, value float64) { r = append(r, Value{name, value}) }
	emit("offered", float64(m.counts.Offered()))
	emit("admitted", float64(m.counts.Admitted))
	emit("refused", float64(m.counts.Refused))
	m.emitLayers(emit)
	emit("admit_share", m.counts.AdmitShare())
	emit("admitted_rate", m.counts.AdmittedRate(m.span.Length()))
	if m.keyed {
		emit("max_window_admitted", float64(m.maxes.Max()))
		emit("overshoot", m.maxes.Overshoot())
		emit("excess_mean", m.keyPages.ExcessMean())
		emit("excess_share", m.keyPages.ExcessShare())
	} else {
		emit("max_window_admitted", float64(m.max.Max()))
		emit("overshoot", m.max.Overshoot())
		emit("excess_mean", m.pages.ExcessMean())
		emit("excess_share", m.pages.ExcessShare())
	}
	if !m.cfg.layered() {
		if r, ok := m.cfg.Limiter.Rate(); ok {
			emit("admitted_over_rate", m.counts.AdmittedOverRate(m.span.Length(), r.N, r.P))
		}
	}
	m.delay.Statistics("delay", emit)
	if m.levels != nil {
		if l := m.levels.finish(); l != nil {
			l.Statistics("level", emit)
		}
	}
	if m.open != nil {
		m.open.Finish()
		m.open.Time.Statistics("error_open_time", emit)
		m.open.Arrivals.Statistics("error_open_arrivals", emit)
	}
	if m.closed != nil {
		m.closed.Statistics("error_closed", emit)
	}
	if m.compare != nil {
		emit("throughput_deficit", m.compare.ThroughputDeficit())
		emit("false_refusals", m.compare.FalseRefusals())
		emit("false_admissions", m.compare.FalseAdmissions())
		emit("decisions_differ", m.compare.DecisionsDiffer())
	}
	if forgotten, most, ok := m.fleet.Forgotten(); ok {
		emit("keys_live_max", float64(most))
		emit("keys_forgotten", float64(forgotten.Total()))
		emit("keys_forgotten_early", float64(forgotten.Early))
	}
	m.costs.emit(now, m.counts.Offered(), emit)
	if m.looks {
		emit("idle_sibling_refusals", float64(m.siblings))
	}
	m.emitTrouble(m.costs.trouble, m.fleet.Trouble(now), emit)
	if m.callers != nil {
		m.callers.emit(emit)
	}
	if !m.cfg.Capacity.Service.IsZero() {
		m.load.emit(emit)
	}
	if m.recovery != nil {
		m.recovery.emit(emit)
	}
	return r
}

// emitLayers reads out the refusals by layer; layers of one column count
// together.
func (m *meter) emitLayers(emit func(name string, value float64)) {
	for _, column := range []string{"user", "ip", "endpoint", limiters.Global} {
		there, refused := false, int64(0)
		for i, layer := range m.cfg.Layers.Layers {
			if layer.Column == column {
				there = true
				refused += m.refused[i]
			}
		}
		if there {
			emit("refused_by_"+column, float64(refused))
		}
	}
}
