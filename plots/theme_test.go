package plots

import (
	"fmt"
	"image/color"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestThePaletteIsThatOfOkabeAndIto(t *testing.T) {
	// Okabe and Ito, "Color Universal Design", 2008: RGB 0,114,178 and so on.
	for i, rgb := range [][3]uint8{{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {230, 159, 0}, {86, 180, 233}, {0, 0, 0}} {
		assert.Equal(t, color.NRGBA{rgb[0], rgb[1], rgb[2], 0xFF}, palette[i])
	}
}

func TestCanonicalNamesLookTheSameInEveryFigure(t *testing.T) {
	alone := map[string]style{}
	for _, entry := range grammar {
		alone[entry.name] = assign([]string{entry.name})[entry.name]
		assert.Equal(t, entry.style, alone[entry.name])
	}
	var names []string
	for _, entry := range grammar {
		names = append(names, entry.name)
	}
	rapid.Check(t, func(t *rapid.T) {
		figure := append(rapid.Permutation(names).Draw(t, "order"), "x", "y")
		styles := assign(figure)
		for name, want := range alone {
			assert.Equal(t, want, styles[name])
		}
	})
}

func TestWhatIsOfOneKindDiffers(t *testing.T) {
	seen := map[string]string{}
	alike := map[string]bool{
		"sliding-counter": true, // the same as sliding-counter-fits, which is its default rule
	}
	for _, entry := range grammar {
		if alike[entry.name] {
			continue
		}
		for _, code := range []string{fmt.Sprint(entry.kind, entry.color, entry.dash), fmt.Sprint(entry.kind, entry.color, entry.mark)} {
			assert.Empty(t, seen[code], "%s looks like another", entry.name)
			seen[code] = entry.name
		}
	}
	limiters := map[mark]bool{}
	for _, entry := range grammar {
		if entry.kind == aLimiter && entry.name != "sliding-counter" {
			assert.False(t, limiters[entry.mark], "%s: a mark of its own, for those who see no colour", entry.name)
			limiters[entry.mark] = true
		}
	}
	assert.Len(t, limiters, 8)
}

func TestSpecsLookLikeTheirLimiter(t *testing.T) {
	styles := assign([]string{"gcra:rate=2/s,burst=20", "gcra:rate=2/s,burst=5", "sliding-counter:limit=1,window=1s,rule=below"})
	first, second := styles["gcra:rate=2/s,burst=20"], styles["gcra:rate=2/s,burst=5"]
	assert.Equal(t, style{purple, dashed, ring, "gcra:rate=2/s,burst=20"}, first)
	assert.Equal(t, purple, second.color)
	assert.NotEqual(t, first.dash, second.dash)
	assert.NotEqual(t, first.mark, second.mark)
	assert.Equal(t, green, styles["sliding-counter:limit=1,window=1s,rule=below"].color)
	assert.Equal(t, dotted, styles["sliding-counter:limit=1,window=1s,rule=below"].dash)
}

func TestOtherNamesTakeWhatIsFreeInOrder(t *testing.T) {
	styles := assign([]string{"a", "token-bucket", "b", "a"})
	assert.Len(t, styles, 3)
	assert.Equal(t, style{vermilion, solid, round, "a"}, styles["a"], "blue is taken")
	assert.Equal(t, style{green, dashed, square, "b"}, styles["b"])

	var many []string
	for i := range 28 {
		many = append(many, fmt.Sprint(i))
	}
	seen := map[string]bool{}
	for _, s := range assign(many) {
		seen[fmt.Sprint(s.color, s.dash)] = true
	}
	assert.Len(t, seen, 28, "seven colours with four dashes")
}

func TestTextHasContrast(t *testing.T) {
	assert.InDelta(t, 21, contrast(white, black), 1e-9)
	for _, c := range append(palette, ink, grey) {
		assert.GreaterOrEqual(t, contrast(textColor(c), white), 4.5)
	}
	assert.Equal(t, blue, textColor(blue), "dark enough stays")
}
