package plots

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

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

// scale is the range of an axis and its ticks. A log axis is a linear one over logarithms: plot.LogScale panics at 0,
// where an interval may end, and reserves room for the label of an axis where it is not.
type scale struct {
	low, high float64
	log       bool
	ticks     []plot.Tick // in ascending order
	minor     []float64   // marks without labels
}

// at is where a value is in the coordinates of the plot.
func (s scale) at(v float64) float64 {
	if s.log {
		return math.Log10(v)
	}
	return v
}

func (s scale) norm(v float64) float64 {
	return (s.at(v) - s.at(s.low)) / (s.at(s.high) - s.at(s.low))
}

// inside tells whether a value lies on the axis, but for rounding.
func (s scale) inside(v float64) bool {
	n := s.norm(v)
	return n >= -1e-9 && n <= 1+1e-9
}

// set gives an axis of the library the range, and the ticks whose labels have room on a length; extent is the
// length that a label takes. A tick without a label is a short one.
func (s scale) set(a *plot.Axis, length vg.Length, extent func(label string) vg.Length) {
	a.Min, a.Max = s.at(s.low), s.at(s.high)
	ticks := s.apart(length, extent)
	for i := range ticks {
		ticks[i].Value = min(a.Max, max(a.Min, s.at(ticks[i].Value)))
	}
	for _, v := range s.minor {
		if s.inside(v) {
			ticks = append(ticks, plot.Tick{Value: s.at(v)})
		}
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
}

// apart returns the ticks without labels that would touch the label before.
func (s scale) apart(length vg.Length, extent func(label string) vg.Length) []plot.Tick {
	ticks := slices.Clone(s.ticks)
	free := vg.Length(math.Inf(-1))
	for i, t := range ticks {
		half, at := extent(t.Label)/2, vg.Length(s.norm(t.Value))*length
		if at-half < free-1e-9 {
			ticks[i].Label = ""
		} else {
			free = at + half
		}
	}
	return ticks
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
	for _, t := range a.Ticks {
		s.low, s.high = min(s.low, t.Value), max(s.high, t.Value)
	}
	fixedMin, fixedMax := a.fixedMin(), a.fixedMax()
	if fixedMin {
		s.low = a.Min
	}
	if fixedMax {
		s.high = a.Max
	}
	if s.low >= s.high || !a.Log && flat(s.low, s.high) || a.Log && s.high/s.low < 1+1e-9 {
		s.low, s.high = a.widen(s.low, s.high)
	}
	ticks := []plot.Tick(nil)
	switch {
	case a.Ticks != nil:
		for _, t := range a.Ticks {
			ticks = append(ticks, plot.Tick(t))
		}
		slices.SortStableFunc(ticks, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	case a.Log:
		ticks, s.minor = a.logTicks(s.low, s.high, n)
	default:
		ticks = a.linearTicks(s.low, s.high, n)
	}
	if loose && a.Ticks == nil {
		low, high := s.low, s.high
		for _, t := range ticks { // one beyond each end
			if !fixedMin && t.Value <= low {
				s.low = t.Value
			}
			if !fixedMax && t.Value >= high {
				s.high = t.Value
				break
			}
		}
	}
	s.ticks = slices.DeleteFunc(ticks, func(t plot.Tick) bool { return !s.inside(t.Value) })
	return s
}

// widen makes room, where it is allowed, around a flat curve or data beyond a fixed end.
func (a Axis) widen(low, high float64) (float64, float64) {
	room := max(math.Abs(low), math.Abs(high)) / 10
	if room <= smallest {
		room = 1
	}
	switch {
	case a.Log && a.fixedMin():
		return low, low * 10
	case a.Log && a.fixedMax():
		return high / 10, high
	case a.Log:
		return low / 2, high * 2
	case a.fixedMin():
		return low, low + room
	case a.fixedMax():
		return high - room, high
	}
	return low - room, high + room
}
