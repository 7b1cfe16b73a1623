package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Ticks are our own, since those of the library are about three, whatever the length, and print a million as 1e+06.

// linearTicks returns ticks at 1, 2 or 5 times a power of ten from at or below low to at or above high.
func (a Axis) linearTicks(low, high float64, n int) []plot.Tick {
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
	var ticks []plot.Tick
	for k := first; k <= last; k++ {
		v := k * float64(mantissa)
		if exponent < 0 {
			v /= at(1, -exponent) // divides by an exact power of ten: 3/10 is 0.3, 3*0.1 is not
		} else {
			v *= at(1, exponent)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: a.format(v, exponent, top)})
	}
	return ticks
}

// dataTicks returns a tick at each of a few values that have few decimals.
func (a Axis) dataTicks(values []float64, top float64) []plot.Tick {
	values = slices.Clone(values)
	slices.Sort(values)
	values = slices.Compact(values)
	if a.Ticks != nil || len(values) < 2 || len(values) > 9 {
		return nil
	}
	var ticks []plot.Tick
	for _, v := range values {
		_, fraction, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
		if len(fraction) > 3 {
			return nil
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: a.format(v, -len(fraction), top)})
	}
	return ticks
}

// at returns mantissa times a power of ten.
func at(mantissa, exponent int) float64 {
	v, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", mantissa, exponent), 64)
	return v
}

// logTicks returns ticks from at or below low to at or above high, and marks between them.
func (a Axis) logTicks(low, high float64, n int) (ticks []plot.Tick, minor []float64) {
	const slack = 1e-9
	logarithm, power := math.Log10, func(k int) float64 { return at(1, k) }
	if a.Base == 2 {
		logarithm, power = math.Log2, func(k int) float64 { return math.Ldexp(1, k) }
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
			return ticks, nil
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
		if v := power(k); v > 0 && !math.IsInf(v, 0) {
			ticks = append(ticks, a.logTick(v))
		}
	}
	if a.Base != 2 && stride == 1 {
		for k := first; k < last; k++ {
			for m := 2; m < 10; m++ {
				minor = append(minor, at(m, k))
			}
		}
	}
	return ticks, minor
}

func (a Axis) logTick(v float64) plot.Tick {
	exponent := int(math.Floor(math.Log10(v) + 1e-9))
	if a.Base == 2 { // 2^-k has k decimals
		exponent = min(0, int(math.Round(math.Log2(v))))
	}
	return plot.Tick{Value: v, Label: a.format(v, exponent, v)}
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
	text := strconv.FormatFloat(v, 'f', min(decimals, 6), 64)
	switch {
	case decimals > 6 || top >= 1e12:
		text = strconv.FormatFloat(v, 'g', 4, 64)
	case !a.Percent && top >= 1e6 && v != 0:
		text, suffix = strconv.FormatFloat(v/1e6, 'f', max(0, 6-exponent), 64), " M"
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
	}
	if !strings.Contains(text, "e") && top >= 1e4 { // commas between thousands, from 10,000
		whole, fraction, _ := strings.Cut(text, ".")
		for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
		text = strings.TrimSuffix(whole+"."+fraction, ".")
	}
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		text = "−" + rest
	}
	return text + suffix
}
