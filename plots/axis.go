package plots

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Axis describes an axis. The zero value is a linear axis over the range of the data.
type Axis struct {
	Label string // "Offered load"
	Unit  string // "requests/s"; shown in brackets after the label, unless it is "1"
	// Min and Max are the ends. Both 0: the data decide. An end that is NaN, or 0 on a log axis, is left to the data;
	// Max 0 under Min > 0 is too. Curves are cut at the ends.
	Min, Max float64
	Zero     bool   // a range left to the data includes 0; linear axes only
	Log      bool   // logarithmic; a value <= 0 is an error
	Base     int    // of the ticks of a log axis: 10 (also if 0) or 2
	Percent  bool   // computed ticks show shares as "10%"
	Ticks    []Tick // instead of computed ones; a range left to the data includes them
}

// Tick is a labelled place on an axis. Where labels would collide, some are left out, their marks stay.
type Tick struct {
	Value float64
	Label string
}

func (a Axis) title() string {
	if a.Unit == "" || a.Unit == "1" {
		return a.Label
	}
	if a.Label == "" {
		return a.Unit
	}
	return a.Label + " (" + a.Unit + ")"
}

func (a Axis) check() error {
	switch {
	case math.Abs(a.Min) > largest || math.Abs(a.Max) > largest:
		return fmt.Errorf("ends must lie within ±%g, or be NaN to leave them to the data, got %g and %g", largest, a.Min, a.Max)
	case a.fixedMin() && a.fixedMax() && (a.Min >= a.Max || flat(a.Min, a.Max)):
		return fmt.Errorf("min must be clearly below max, got %g and %g", a.Min, a.Max)
	case a.Log && (a.Min < 0 || a.Max < 0):
		return fmt.Errorf("a log axis starts above 0, got %g to %g", a.Min, a.Max)
	case a.Base != 0 && a.Base != 2 && a.Base != 10:
		return fmt.Errorf("base must be 2 or 10, got %d", a.Base)
	case a.Log && a.Zero:
		return errors.New("a log axis cannot include 0")
	}
	for _, t := range a.Ticks {
		if err := a.holds(t.Value); err != nil || math.IsNaN(t.Value) {
			return fmt.Errorf("tick %q: value %g is not on the axis", t.Label, t.Value)
		}
	}
	return nil
}

// largest is the largest magnitude that is drawn, smallest the smallest on a log axis: ranges and ratios stay finite.
const largest, smallest = 1e300, 1e-300

// flat tells whether two ends are too close for ticks between them.
func flat(low, high float64) bool {
	return high-low <= 1e-9*max(math.Abs(low), math.Abs(high))
}

// holds returns an error if a value cannot be drawn on the axis. A missing value can: it is a gap.
func (a Axis) holds(v float64) error {
	switch {
	case math.IsNaN(v):
		return nil
	case math.Abs(v) > largest:
		return fmt.Errorf("%g is too large to draw", v)
	case a.Log && v <= 0:
		return fmt.Errorf("%g cannot be drawn on a log axis: use a linear axis, or NaN for a gap", v)
	case a.Log && v < smallest:
		return fmt.Errorf("%g is too small to draw on a log axis", v)
	}
	return nil
}

func (a Axis) fixedMin() bool {
	return !math.IsNaN(a.Min) && (a.Min != 0 || !a.Log && a.Max > 0)
}

func (a Axis) fixedMax() bool {
	return !math.IsNaN(a.Max) && (a.Max != 0 || !a.Log && a.Min < 0)
}

// extent is the range of some data; the zero value is empty.
type extent struct {
	low, high float64
	any       bool
}

func (e *extent) add(v float64) {
	switch {
	case math.IsNaN(v):
	case !e.any:
		*e = extent{v, v, true}
	default:
		e.low, e.high = min(e.low, v), max(e.high, v)
	}
}

// scale maps an axis to 0..1 and carries its ticks.
type scale struct {
	low, high float64
	log       bool
	ticks     []Tick
	minor     []float64 // marks without labels
}

func (s scale) norm(v float64) float64 {
	if s.log {
		return math.Log(v/s.low) / math.Log(s.high/s.low)
	}
	return (v - s.low) / (s.high - s.low)
}

// inside tells whether a value lies on the axis, but for rounding.
func (s scale) inside(v float64) bool {
	n := s.norm(v)
	return n >= -1e-9 && n <= 1+1e-9
}

// scale lays an axis of about n ticks over the data. If loose, ends left to the data move out to the next tick.
func (a Axis) scale(data extent, n int, loose bool) scale {
	if a.Zero && data.any {
		data.add(0)
	}
	s := scale{low: data.low, high: data.high, log: a.Log}
	if !data.any {
		s.low, s.high = 0, 1
		if a.Log {
			s.low = 0.1
		}
	}
	fixedMin, fixedMax := a.fixedMin(), a.fixedMax()
	for _, t := range a.Ticks {
		s.low, s.high = min(s.low, t.Value), max(s.high, t.Value)
	}
	if fixedMin {
		s.low = a.Min
	}
	if fixedMax {
		s.high = a.Max
	}
	if s.low >= s.high || flat(s.low, s.high) { // a flat curve, or data beyond a fixed end: make room where it is allowed
		room := max(math.Abs(s.low), math.Abs(s.high)) / 10
		if room == 0 {
			room = 1
		}
		switch {
		case a.Log && fixedMin:
			s.high = s.low * 10
		case a.Log && fixedMax:
			s.low = s.high / 10
		case a.Log:
			s.low, s.high = s.low/2, s.high*2
		case fixedMin:
			s.high = s.low + room
		case fixedMax:
			s.low = s.high - room
		default:
			s.low, s.high = s.low-room, s.high+room
		}
	}
	low, high := s.low, s.high
	var candidates []Tick
	switch {
	case a.Ticks != nil:
		candidates = slices.Clone(a.Ticks)
		slices.SortStableFunc(candidates, func(a, b Tick) int { return cmp.Compare(a.Value, b.Value) })
	case a.Log:
		candidates, s.minor = a.logTicks(s.low, s.high, n)
	default:
		candidates = a.linearTicks(s.low, s.high, n)
	}
	if loose && a.Ticks == nil {
		for _, t := range candidates { // in ascending order, one beyond each end
			if !fixedMin && t.Value <= low {
				s.low = t.Value
			}
			if !fixedMax && t.Value >= high {
				s.high = t.Value
				break
			}
		}
	}
	for _, t := range candidates {
		if s.inside(t.Value) {
			s.ticks = append(s.ticks, t)
		}
	}
	return s
}

// linearTicks returns ticks at 1, 2 or 5 times a power of ten from at or below low to at or above high.
func (a Axis) linearTicks(low, high float64, n int) []Tick {
	exponent := int(math.Floor(math.Log10((high - low) / float64(n))))
	mantissa := 1
	for _, mantissa = range []int{1, 2, 5, 10} {
		if at(mantissa, exponent)*float64(n) >= (high-low)*(1-1e-9) {
			break
		}
	}
	if mantissa == 10 {
		mantissa, exponent = 1, exponent+1
	}
	step := at(mantissa, exponent)
	first, last := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	top := max(math.Abs(first*step), math.Abs(last*step))
	var ticks []Tick
	for k := first; k <= last; k++ {
		v := k * float64(mantissa)
		if exponent < 0 {
			v /= at(1, -exponent) // divides by an exact power of ten: 3/10 is 0.3, 3*0.1 is not
		} else {
			v *= at(1, exponent)
		}
		ticks = append(ticks, Tick{v, a.format(v, exponent, top)})
	}
	return ticks
}

// dataTicks returns a tick at each of a few values, if all their labels fit side by side on an axis of this length.
func (a Axis) dataTicks(values []float64, low, high, length float64) []Tick {
	values = slices.Clone(values)
	slices.Sort(values)
	values = slices.Compact(values)
	if a.Ticks != nil || len(values) < 2 || len(values) > 9 {
		return nil
	}
	s := scale{low: low, high: high, log: a.Log}
	free := math.Inf(-1)
	var ticks []Tick
	for _, v := range values {
		exponent := 0
		if _, fraction, found := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), "."); found {
			exponent = -len(fraction)
		}
		t := Tick{v, a.format(v, exponent, max(math.Abs(low), math.Abs(high)))}
		half := textWidth(regular, tickSize, t.Label) / 2
		at := s.norm(v) * length
		if exponent < -3 || at-half < free {
			return nil
		}
		free = at + half + 5
		ticks = append(ticks, t)
	}
	return ticks
}

// at returns mantissa times a power of ten.
func at(mantissa, exponent int) float64 {
	v, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", mantissa, exponent), 64)
	return v
}

// logTicks returns ticks from at or below low to at or above high, and marks between them.
func (a Axis) logTicks(low, high float64, n int) (ticks []Tick, minor []float64) {
	const slack = 1e-9
	base, logarithm := 10.0, math.Log10
	if a.Base == 2 {
		base, logarithm = 2, math.Log2
	}
	power := func(k int) float64 {
		if a.Base == 2 {
			return math.Ldexp(1, k)
		}
		return at(1, k)
	}
	first, last := int(math.Floor(logarithm(low)+slack)), int(math.Ceil(logarithm(high)-slack))
	inside := int(math.Floor(logarithm(high)+slack)) - int(math.Ceil(logarithm(low)-slack)) + 1
	if inside < 2 { // the range lies within a decade (or an octave)
		if a.Base != 2 && high/low > 2 {
			for k := first; k < last; k++ {
				for _, m := range []int{1, 2, 5} {
					ticks = append(ticks, a.logTick(at(m, k)))
				}
			}
			ticks = append(ticks, a.logTick(at(1, last)))
			return between(ticks, low, high), nil
		}
		linear := a.linearTicks(low, high, n)
		if linear[0].Value <= 0 {
			linear = linear[1:]
		}
		return linear, nil
	}
	stride := 1
	for (last-first)/stride > n {
		stride++
	}
	for k := first - (first%stride+stride)%stride; k < last+stride; k += stride {
		ticks = append(ticks, a.logTick(power(k)))
	}
	if base == 10 && stride == 1 {
		for k := first; k < last; k++ {
			for m := 2; m < 10; m++ {
				minor = append(minor, at(m, k))
			}
		}
	}
	return between(ticks, low, high), minor
}

// between keeps, of ascending ticks, the last at or below low, the first at or above high, and all between.
func between(ticks []Tick, low, high float64) []Tick {
	for len(ticks) > 1 && ticks[1].Value <= low*(1+1e-9) {
		ticks = ticks[1:]
	}
	for len(ticks) > 1 && ticks[len(ticks)-2].Value >= high*(1-1e-9) {
		ticks = ticks[:len(ticks)-1]
	}
	return ticks
}

func (a Axis) logTick(v float64) Tick {
	exponent := int(math.Floor(math.Log10(v) + 1e-9))
	if a.Base == 2 { // 2^-k has k decimals
		exponent = min(0, int(math.Round(math.Log2(v))))
	}
	return Tick{v, a.format(v, exponent, v)}
}

// format writes a tick value that is a whole multiple of 10^exponent, on an axis whose largest tick is top.
func (a Axis) format(v float64, exponent int, top float64) string {
	if v == 0 {
		v = 0 // not -0
	}
	suffix := ""
	if a.Percent {
		v, exponent, suffix = v*100, exponent+2, "%"
	}
	decimals := max(0, -exponent)
	var text string
	switch {
	case decimals > 6 || top >= 1e12:
		text = strconv.FormatFloat(v, 'g', 4, 64)
	case !a.Percent && top >= 1e6 && v != 0:
		text, suffix = strconv.FormatFloat(v/1e6, 'f', max(0, 6-exponent), 64), " M"
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
	default:
		text = strconv.FormatFloat(v, 'f', decimals, 64)
	}
	text, negative := strings.CutPrefix(text, "-")
	if !strings.Contains(text, "e") {
		text = group(text, top)
	}
	if negative {
		text = "−" + text
	}
	return text + suffix
}

// group puts commas between thousands on an axis that goes to 10,000 or beyond.
func group(text string, top float64) string {
	whole, fraction, hasFraction := strings.Cut(text, ".")
	if top >= 1e4 {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	if hasFraction {
		return whole + "." + fraction
	}
	return whole
}
