package plots

import (
	"image/color"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestViridis(t *testing.T) {
	for at, want := range map[float64]color.NRGBA{ // matplotlib.colormaps["viridis"] at 0, 1/2 and 1
		-1: {0x44, 0x01, 0x54, 0xFF}, 0: {0x44, 0x01, 0x54, 0xFF}, 0.5: {0x21, 0x91, 0x8C, 0xFF}, 1: {0xFD, 0xE7, 0x25, 0xFF}, 2: {0xFD, 0xE7, 0x25, 0xFF},
	} {
		assert.Equal(t, want, viridisAt(at))
	}
	for i := range 100 {
		assert.Less(t, luminance(viridisAt(float64(i)/100)), luminance(viridisAt(float64(i+1)/100)), "lighter means more")
	}
}

func TestHeatPrintsEveryValueButBlanks(t *testing.T) {
	texts, _, _, err := trace(sampleHeat)
	require.NoError(t, err)
	values := map[string]int{}
	for _, s := range texts {
		values[s.text]++
	}
	assert.Equal(t, 1, values["0.02"])
	assert.Equal(t, 0, values["NaN"])
	total := 0
	for _, row := range sampleHeat.Chart.(Heat).Z {
		for _, z := range row {
			if !math.IsNaN(z) {
				total++
			}
		}
	}
	assert.Equal(t, 55, total)
	assert.Len(t, texts, 55+8+7+2+2, "values, columns, rows, axis titles, title and subtitle")
}

func TestHeatInAGridAndWithItsOwnScale(t *testing.T) {
	h := sampleHeat.Chart.(Heat)
	h.Min, h.Max = 0.5, 0.6 // values beyond take the end colours
	requireTidy(t, Figure{Title: "t", Chart: Grid{Panels: []Panel{{"one", h}, {"two", sampleHeatLog.Chart}, {"three", sampleOctaves.Chart}}}})
}
