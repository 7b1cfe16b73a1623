package plots

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTheFontHasWhatFiguresSay(t *testing.T) {
	for _, face := range []typeface{regular, bold} {
		path, err := outline(face, 9, 0, 0, "ρλμσΔδ×÷±≤≥≠≈∞√→−–—…·²³½µ°%‰éü")
		require.NoError(t, err)
		assert.NotEmpty(t, path)
	}
}

func TestTextWidthGrowsWithSizeAndWeight(t *testing.T) {
	assert.InDelta(t, 2*textWidth(regular, 9, "Token"), textWidth(regular, 18, "Token"), 1e-9)
	assert.Greater(t, textWidth(bold, 9, "bucket"), textWidth(regular, 9, "bucket"))
	assert.Less(t, textWidth(regular, 9, "AV"), textWidth(regular, 9, "A")+textWidth(regular, 9, "V"), "kerning")
	assert.Zero(t, textWidth(regular, 9, ""))
}

func TestWrappedLinesFitAndKeepEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching("[a-zρ≤]{1,30}")).Draw(t, "words")
		width := rapid.Float64Range(20, 400).Draw(t, "width")
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
	assert.InDelta(t, textWidth(regular, 9, lines[0]), textWidth(regular, 9, lines[1]), 30)
	assert.Nil(t, wrap(regular, 9, 100, ""))
	assert.Equal(t, []string{"a", "b"}, wrap(regular, 9, 1, "a b"), "a single character stays whole")
}
