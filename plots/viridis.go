package plots

import (
	"image/color"
	"math"
)

// viridisStops are eleven equally spaced colours of matplotlib's viridis (van der Walt and Smith, 2015; CC0).
var viridisStops = [11][3]float64{
	{0x44, 0x01, 0x54}, {0x48, 0x24, 0x75}, {0x41, 0x44, 0x87}, {0x35, 0x5F, 0x8D}, {0x2A, 0x78, 0x8E}, {0x21, 0x91, 0x8C},
	{0x22, 0xA8, 0x84}, {0x44, 0xBF, 0x70}, {0x7A, 0xD1, 0x51}, {0xBD, 0xDF, 0x26}, {0xFD, 0xE7, 0x25},
}

// viridisAt returns the colour at a place from 0 to 1; beyond, that at the end.
func viridisAt(at float64) color.NRGBA {
	at = min(1, max(0, at)) * float64(len(viridisStops)-1)
	k := min(int(at), len(viridisStops)-2)
	t := at - float64(k)
	mix := func(c int) uint8 {
		return uint8(math.Round(viridisStops[k][c]*(1-t) + viridisStops[k+1][c]*t))
	}
	return color.NRGBA{mix(0), mix(1), mix(2), 0xFF}
}

// viridis is the palette of heat maps, which gonum.org/v1/plot/palette lacks.
type viridis struct{}

// Colors returns 256 colours from dark to light.
func (viridis) Colors() []color.Color {
	list := make([]color.Color, 256)
	for i := range list {
		list[i] = viridisAt(float64(i) / 255)
	}
	return list
}

// contrast is the contrast ratio of two colours by WCAG 2.1, from 1 to 21.
func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}
