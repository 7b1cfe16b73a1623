package experiments

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/sweep"
	"ratelab/plots"
)

type examined struct {
	name  string
	shown plots.Examined
}

var (
	drawn     []examined
	drawnOnce sync.Once
)

// allFigures draws all figures of all experiments from what is committed, once for all tests.
func allFigures(t *testing.T) []examined {
	t.Helper()
	drawnOnce.Do(func() {
		for _, e := range All() {
			d, found := published(t, e, asItIs)
			if !found {
				continue
			}
			var err error
			d.Summary, err = sweep.ReadSummary(d.Dir, e.plan(trueLab(false))) // with its intervals
			require.NoError(t, err)
			for _, f := range e.Figures {
				figure, err := f.Draw(d)
				require.NoError(t, err, "%s-%s", e.Name, f.Name)
				shown, err := plots.Examine(figure)
				require.NoError(t, err, "%s-%s", e.Name, f.Name)
				drawn = append(drawn, examined{e.Name + "-" + f.Name, shown})
			}
		}
	})
	require.Greater(t, len(drawn), 50)
	return drawn
}

// What has a name in the grammar of the figures looks as the grammar says, in whatever figure, and so does what has the
// same words at its end.
func TestTheSameThingLooksTheSameInEveryFigure(t *testing.T) {
	type looks struct{ code, where string }
	byLabel := make(map[string]looks)
	code := func(l plots.Look) string { return l.Color + " " + l.Dash }
	named := 0
	for _, f := range allFigures(t) {
		for _, s := range f.shown.Shown {
			for _, name := range []string{s.Name, s.Look.Label} {
				want, ok := plots.LookOf(name)
				if !ok {
					continue
				}
				named++
				assert.Equal(t, want.Color, s.Look.Color, "%s: %q, labelled %q", f.name, s.Name, s.Look.Label)
				if !strings.Contains(name, ":") { // several specs of one thing differ by their dashes
					assert.Equal(t, code(want), code(s.Look), "%s: %q, labelled %q", f.name, s.Name, s.Look.Label)
				}
			}
			label := s.Look.Label
			if s.Theory || strings.TrimSpace(label) == "" || strings.ContainsAny(label, "0123456789") { // "N = 4" is a place, not a thing
				continue
			}
			if before, seen := byLabel[label]; seen {
				assert.Equal(t, before.code, code(s.Look), "%q in %s and in %s", label, before.where, f.name)
				continue
			}
			byLabel[label] = looks{code(s.Look), f.name}
		}
	}
	assert.Greater(t, named, 50)
}

func TestNoTwoCurvesOfAPanelLookAlike(t *testing.T) {
	for _, f := range allFigures(t) {
		seen := make(map[string]string)
		for _, s := range f.shown.Shown {
			if s.Theory {
				continue // has the look of what it is the theory of
			}
			line, point := fmt.Sprint(s.Panel, s.Look.Color, s.Look.Dash), fmt.Sprint(s.Panel, s.Look.Color, s.Look.Mark)
			for _, code := range []string{line, point} {
				other, taken := seen[code]
				assert.False(t, taken && other != s.Name, "%s: %q looks like %q", f.name, s.Name, other)
				seen[code] = s.Name
			}
		}
	}
}

func TestFiguresAreTidyAndLegibleInAColumn(t *testing.T) {
	const column = 8.5 / 2.54 * 72 // points
	for _, f := range allFigures(t) {
		assert.Empty(t, f.shown.Covered, f.name)
		assert.Empty(t, f.shown.CutOff, f.name)
		assert.GreaterOrEqual(t, f.shown.Smallest*column/f.shown.Width, 5.0, "%s: points of the smallest text, 8.5 cm wide", f.name)
	}
}

// Figures write the same thing in the same way.
func TestFiguresAreWrittenAlike(t *testing.T) {
	rules := []struct {
		wrong *regexp.Regexp
		say   string
	}{
		{regexp.MustCompile(`[0-9] %`), `"5%", without a blank`},
		{regexp.MustCompile(`\b(fixed-window|sliding-log|sliding-counter|token-bucket|leaky-meter|leaky-queue|gcra|round-robin|two-choices)\b`), `names as people write them: "token bucket", "GCRA"`},
		{regexp.MustCompile(`(^|[\s(])-[0-9.]| - `), `a minus is "−"`},
		{regexp.MustCompile(`(^|[\s(])[0-9.]+(ms|µs|s|min|h|d)([\s,;:.)]|$)`), `"4 s", with a blank`},
		{regexp.MustCompile(`[0-9] [0-9]{3}([^0-9]|$)`), `"10,000", with a comma`},
		{regexp.MustCompile(`[0-9]{5}`), `"10,000", with a comma`},
		{regexp.MustCompile(`NaN|Inf|%!`), "a number"},
	}
	for _, f := range allFigures(t) {
		for _, text := range f.shown.Texts {
			for _, r := range rules {
				assert.NotRegexp(t, r.wrong, text, "%s: want %s", f.name, r.say)
			}
		}
	}
}
