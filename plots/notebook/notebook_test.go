package notebook

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments"
	"ratelab/experiments/sweep"
	"ratelab/plots/writeup"
)

// ran runs an experiment, and loads what it left.
func ran(t *testing.T, out, name string, set ...experiments.Setting) *experiments.Data {
	t.Helper()
	e, err := experiments.Lookup(name)
	require.NoError(t, err)
	options := experiments.Options{Out: out, Quick: true, Seed: 1, Program: experiments.Program{Hash: "test"}, Set: set}
	_, err = experiments.Run(context.Background(), e, options)
	require.NoError(t, err)
	return load(t, out, e)
}

func load(t *testing.T, out string, e experiments.Experiment) *experiments.Data {
	t.Helper()
	d, err := experiments.Load(e, out, "test")
	require.NoError(t, err)
	return d
}

// few is settings that make a grid of boundary-burst small.
var few = []experiments.Setting{{Factor: "part", Values: []string{"straddle"}}, {Factor: "limit", Values: []string{"10"}}, {Factor: "window", Values: []string{"1s"}}}

func written(t *testing.T, data ...*experiments.Data) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Write(&out, data))
	return out.String()
}

func TestTheNotebookShowsAllOfAnExperiment(t *testing.T) {
	out := t.TempDir()
	d := ran(t, out, "reset-stampede")
	text := written(t, d)
	assert.True(t, text == written(t, load(t, out, d.Experiment)), "the same results give the same bytes")

	e := d.Experiment
	found, err := d.Findings()
	require.NoError(t, err)
	require.NotEmpty(t, found)
	checked, err := d.Judge()
	require.NoError(t, err)
	tally := experiments.Count(checked)
	want := slices.Concat([]string{
		e.Question, e.Hypothesis, "ratelab run reset-stampede --quick --out " + out, "ratelab check reset-stampede --out " + out,
		fmt.Sprintf("%d hold", tally.Holds), "A quick run.", fmt.Sprintf("Every mean with its 95 %% interval: %d rows", d.Summary.Len()),
	}, found, e.Threats)
	for _, c := range e.Claims {
		want = append(want, c.Text, c.Domain, c.Source, c.Wrong)
	}
	for _, s := range want {
		has(t, html.UnescapeString(text), s)
	}
	has(t, text, `<article id="reset-stampede"`)
	assert.Equal(t, len(e.Figures), strings.Count(text, "<figure "))
	assert.Equal(t, len(checked), strings.Count(text, "<tr><td><span class=\"verdict "))
	has(t, text, fmt.Sprintf("%d more rows are in the files.", d.Summary.Len()-mostRows))
	for _, file := range regexp.MustCompile(`href="(reset-stampede/[^"]+\.csv|reset-stampede/[^"]+\.json)"`).FindAllStringSubmatch(text, -1) {
		assert.FileExists(t, filepath.Join(out, file[1]))
	}
	wellFormed(t, text)
}

func TestTheNotebookLinksToTheTablesOfAnExperiment(t *testing.T) {
	out := t.TempDir()
	d := ran(t, out, "choose", experiments.Setting{Factor: "workload", Values: []string{"steady"}})
	require.NotEmpty(t, d.Experiment.Tables)
	text := written(t, d)
	for _, own := range d.Experiment.Tables {
		has(t, text, `href="choose/`+own.File()+`"`)
		assert.FileExists(t, filepath.Join(out, "choose", own.File()))
	}
}

// has checks that a page has a text, without showing the page.
func has(t *testing.T, text, want string) {
	t.Helper()
	assert.True(t, strings.Contains(text, want), "the page lacks %q", want)
}

// wellFormed checks that tags are closed in order; elements that have no end
// are known by name.
func wellFormed(t *testing.T, text string) {
	t.Helper()
	text = regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`<details([^>]*) open>`).ReplaceAllString(text, `<details$1 open="">`)
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta", "link"}, xml.HTMLEntity
	var open []string
	for {
		token, err := d.RawToken()
		if err != nil {
			require.ErrorContains(t, err, "EOF")
			break
		}
		switch token := token.(type) {
		case xml.StartElement:
			if !slices.Contains(d.AutoClose, token.Name.Local) {
				open = append(open, token.Name.Local)
			}
		case xml.EndElement:
			require.NotEmpty(t, open, token.Name.Local)
			require.Equal(t, open[len(open)-1], token.Name.Local)
			open = open[:len(open)-1]
		}
	}
	assert.Empty(t, open)
}

func TestABrokenClaimIsRedAndOpen(t *testing.T) {
	out := t.TempDir()
	d := ran(t, out, "boundary-burst", few...)
	text := written(t, d)
	assert.False(t, strings.Contains(text, `class="verdict fails"`), "all holds")
	assert.False(t, strings.Contains(text, `<details class="claim" open`), "all holds")
	has(t, text, "Not the experiment's own grid")
	has(t, text, "Left out: ")

	breakRuns(t, d.Dir)
	d = load(t, out, d.Experiment)
	checked, err := d.Judge()
	require.NoError(t, err)
	failed := experiments.Count(checked).Fails
	require.Positive(t, failed)
	text = written(t, d)
	has(t, text, `<details class="claim" open>`)
	has(t, text, fmt.Sprintf(`<span class="fail">%d fail</span>`, failed))
	has(t, text, `<li><a href="#boundary-burst">boundary-burst</a> <span class="verdict fails">fails</span></li>`)
	assert.Equal(t, failed, strings.Count(text, `<tr><td><span class="verdict fails">fails</span></td>`))
}

// breakRuns doubles what fixed windows admitted in every replication, as if
// the model were wrong, and enters that into the manifest.
func breakRuns(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, sweep.RunsFile)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	header := strings.Split(lines[0], ",")
	for i, line := range lines {
		if strings.HasPrefix(line, "straddle,fixed-window,") {
			fields := strings.Split(line, ",")
			for k, name := range header {
				if name == "admitted_in_blink" {
					fields[k] += "0"
				}
			}
			lines[i] = strings.Join(fields, ",")
		}
	}
	broken := strings.Join(lines, "\n")
	require.NotEqual(t, string(text), broken)
	require.NoError(t, os.WriteFile(file, []byte(broken), 0o600))
	require.NoError(t, sweep.AddOutputs(dir, sweep.RunsFile))
}

func TestWhatAQuickRunLeavesUndecidedIsFolded(t *testing.T) {
	undecided, fails := experiments.Tally{Holds: 1, Undecided: 1}, experiments.Tally{Undecided: 1, Fails: 1}
	for _, c := range []struct {
		tally       experiments.Tally
		quick, seen bool
	}{
		{experiments.Tally{Holds: 2}, false, false}, {undecided, false, true}, {undecided, true, false}, {fails, false, true}, {fails, true, true},
	} {
		assert.Equal(t, c.seen, claim{In: c.tally, Quick: c.quick}.Open(), "%+v", c)
		assert.Equal(t, c.seen, entry{Tally: c.tally, Quick: c.quick}.Marked(), "%+v", c)
	}
}

func TestEveryExperimentHasItsPlaceInTheTour(t *testing.T) {
	entries := map[string]entry{"made-up": {Name: "made-up"}}
	for _, e := range experiments.All() {
		entries[e.Name] = entry{Name: e.Name}
	}
	var names []string
	ids := map[string]bool{}
	for _, c := range arrange(entries) {
		assert.False(t, ids[c.ID])
		ids[c.ID] = true
		for _, e := range c.Entries {
			names = append(names, e.Name)
			if c.ID == "more" {
				assert.Equal(t, "made-up", e.Name, "give it a place in chapters")
			}
		}
	}
	assert.Len(t, names, len(entries), "each once")
	assert.Equal(t, "made-up", names[len(names)-1])
}

func TestNumbersOfClaims(t *testing.T) {
	assert.Equal(t, "all equal", interval(7, 7))
	assert.Equal(t, "0.5 to 1.25", interval(0.5, 1.25))
	assert.Equal(t, "– to 1", interval(math.Inf(-1), 1))
	assert.Error(t, Write(&bytes.Buffer{}, nil))
}

func TestATextStandsBeforeTheExperiments(t *testing.T) {
	d := ran(t, t.TempDir(), "boundary-burst", few...)
	svg, err := os.ReadFile(filepath.Join("..", "..", "results", "boundary-burst", "boundary-burst-story.svg"))
	require.NoError(t, err)
	assert.NotContains(t, written(t, d), `href="#write-up"`)
	var out bytes.Buffer
	require.NoError(t, Write(&out, []*experiments.Data{d},
		writeup.Section{HTML: `<h2 id="text-of-limits">Of limits</h2>`, SVG: svg, Name: "one"}, writeup.Section{HTML: "<p>The end.</p>"}))
	text := out.String()
	wellFormed(t, text)
	has(t, text, `<a href="#write-up">The write-up</a>`)
	has(t, text, `<figure id="text-one">`)
	has(t, text, `<details class="text" id="write-up">`)
	has(t, text, "all questions in one text, with 1 figure<")
	first, last, questions := strings.Index(text, "Of limits"), strings.Index(text, "The end."), strings.Index(text, `id="questions"`)
	assert.True(t, 0 < first && first < last && last < questions)
}
