package plots

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func TestTheFontHasWhatFiguresSay(t *testing.T) {
	for _, face := range []xfont.Weight{regular, bold} {
		sty := textStyle(face, 9, nil)
		path, err := outlines(sty.Handler.Cache().Lookup(sty.Font, 9), vg.Point{}, "ρλμσΔδ×÷±≤≥≠≈∞√→−–—…·²³½µ°%‰éü")
		require.NoError(t, err)
		assert.NotEmpty(t, path)
	}
}

func TestTextWidthGrowsWithSizeAndWeight(t *testing.T) {
	assert.InDelta(t, float64(2*textWidth(regular, 9, "Token")), float64(textWidth(regular, 18, "Token")), 1e-9)
	assert.Greater(t, textWidth(bold, 9, "bucket"), textWidth(regular, 9, "bucket"))
	assert.Less(t, textWidth(regular, 9, "AV"), textWidth(regular, 9, "A")+textWidth(regular, 9, "V"), "kerning")
	assert.Zero(t, textWidth(regular, 9, ""))
}

func TestWrappedLinesFitAndKeepEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching("[a-zρ≤]{1,30}")).Draw(t, "words")
		width := vg.Length(rapid.Float64Range(20, 400).Draw(t, "width"))
		lines := wrap(regular, 9, width, strings.Join(words, " "))
		for _, line := range lines {
			require.LessOrEqual(t, textWidth(regular, 9, line), width)
		}
		require.Equal(t, strings.Join(words, ""), strings.ReplaceAll(strings.Join(lines, ""), " ", ""))
		require.LessOrEqual(t, len(lines), len(greedy(regular, 9, width, strings.Join(words, " "))))
	})
}

func TestWrappedLinesAreAboutEquallyLong(t *testing.T) {
	text := "The quick brown fox jumps over the lazy dog again"
	lines := wrap(regular, 9, textWidth(regular, 9, text)-1, text)
	require.Len(t, lines, 2)
	assert.InDelta(t, float64(textWidth(regular, 9, lines[0])), float64(textWidth(regular, 9, lines[1])), 30)
	assert.Nil(t, wrap(regular, 9, 100, ""))
	assert.Equal(t, []string{"a", "b"}, wrap(regular, 9, 1, "a b"), "a single character stays whole")
}

func TestTextBreaksAfterSpacesAndHyphens(t *testing.T) {
	assert.Equal(t, []string{"page-turn", "straddle"}, wrap(regular, 8.5, 45, "page-turn straddle"))
	assert.Equal(t, []string{"sliding-", "counter"}, wrap(regular, 8.5, 35, "sliding-counter"))
}

func TestDurationsHaveABlankBeforeTheirUnit(t *testing.T) {
	for d, want := range map[time.Duration]string{
		4 * time.Second: "4 s", 100 * time.Millisecond: "100 ms", 1500 * time.Microsecond: "1.5 ms", 2 * time.Microsecond: "2 µs",
		90 * time.Second: "1 min 30 s", time.Minute: "1 min", 2 * time.Hour: "2 h", 0: "0 s", -time.Second: "−1 s", time.Hour + time.Second: "1 h 0 min 1 s",
	} {
		assert.Equal(t, want, Duration(d))
	}
}
