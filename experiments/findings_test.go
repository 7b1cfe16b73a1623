package experiments

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/sweep"
	"ratelab/plots/table"
)

// published returns the committed results of an experiment, with the means of
// the summary as if they were one replication. A new experiment has none yet.
func published(t *testing.T, e Experiment, change func(metric string, mean float64) float64) (d *Data, found bool) {
	t.Helper()
	dir := filepath.Join("..", "results", e.Name)
	if _, err := os.Stat(filepath.Join(dir, sweep.SummaryFile)); err != nil {
		return nil, false
	}
	plan := e.plan(trueLab(false))
	summary, err := sweep.ReadSummary(dir, plan)
	require.NoError(t, err)
	var columns []table.Column
	for _, f := range e.Factors {
		columns = append(columns, table.Column{Name: f.Name})
	}
	columns = append(columns, table.Column{Name: "rep", Type: table.Integer})
	for _, m := range e.Metrics {
		columns = append(columns, table.Column{Name: m.Name, Type: table.Number})
	}
	runs, err := table.New(columns...)
	require.NoError(t, err)
	points, err := summary.GroupBy(factorNames(e.Factors)...)
	require.NoError(t, err)
	for _, p := range points {
		names, err := p.Table.Text("metric")
		require.NoError(t, err)
		values, err := p.Table.Floats("mean")
		require.NoError(t, err)
		means := map[string]float64{}
		for i, name := range names {
			means[name] = change(name, values[i])
		}
		var row []any
		for _, v := range p.Values {
			row = append(row, v)
		}
		row = append(row, 0)
		for _, m := range e.Metrics {
			mean, there := means[m.Name]
			if !there {
				mean = math.NaN()
			}
			row = append(row, mean)
		}
		require.NoError(t, runs.Append(row...))
	}
	if summary, err = sweep.Summarize(plan, runs); err != nil {
		t.Fatal(err)
	}
	return &Data{Experiment: e, Dir: dir, Reps: e.Reps, Runs: runs, Summary: summary}, true
}

func asItIs(_ string, mean float64) float64 { return mean }

func TestEveryExperimentSaysWhatItFound(t *testing.T) {
	for _, e := range All() {
		t.Run(e.Name, func(t *testing.T) {
			require.NotNil(t, e.Findings)
			d, found := published(t, e, asItIs)
			if !found {
				t.Skip("no results of it are published")
			}
			sentences, err := e.Findings(d)
			require.NoError(t, err)
			require.NoError(t, d.takePooled())
			require.NotEmpty(t, sentences)
			assert.Regexp(t, `^[\p{Lu}\pN]|^burst=`, sentences[0])
			for _, s := range sentences {
				assert.True(t, strings.HasSuffix(s, "."), s)
				assert.NotRegexp(t, `NaN|Inf|%!|  |e[+-]\d\d|\n`, s)
			}
			assert.Regexp(t, `\d`, sentences[0], "the answer has numbers")

			other, _ := published(t, e, func(_ string, mean float64) float64 { return 1.5 * mean })
			changed, err := e.Findings(other)
			if err == nil { // it may also say that such data answers nothing
				require.NotEmpty(t, changed)
				assert.NotEqual(t, sentences[0], changed[0], "it is made from the data")
			}
			empty := *d
			empty.Runs, err = d.Runs.Where(e.Factors[0].Name, "none")
			require.NoError(t, err)
			empty.Summary, err = d.Summary.Where(e.Factors[0].Name, "none")
			require.NoError(t, err)
			_, err = e.Findings(&empty)
			assert.Error(t, err, "where nothing was measured, nothing was found")
		})
	}
}

// A mean is of one point of the grid: no figure of the results that are
// published takes points that differ for replications.
func TestNoFigurePoolsPoints(t *testing.T) {
	for _, e := range All() {
		d, found := published(t, e, asItIs)
		if !found {
			continue
		}
		for _, f := range e.Figures {
			_, _ = f.Draw(d) // one replication has no interval to draw
			assert.NoError(t, d.takePooled(), "%s, figure %s", e.Name, f.Name)
		}
	}
}

func TestFindingsFollowTheData(t *testing.T) {
	for name, want := range map[string][2]string{
		"fleet-overshoot":   {"By as many times as there are servers: 8 servers with a token bucket each admit 8×", "By up to"},
		"retry-budget":      {"Yes: where half of all attempts fail, three retries make 1.88", "No: where"},
		"window-phase":      {"At an edge that all keys share everybody notices, in the long run nobody: at twice the limit 100% pass", "At twice the limit"},
		"overload-collapse": {"By retries, which keep it busy", "After a spike of 4 s"},
		"memory-bill":       {"A token bucket takes 32 bytes a key and a sliding counter 40, whatever they count to", "at a limit of 256"},
		"shed-vs-throttle":  {"A limit for each tenant protects from one greedy tenant, shedding from all together: where one", "Where one"},
	} {
		e, err := Lookup(name)
		require.NoError(t, err)
		d, found := published(t, e, asItIs)
		require.True(t, found)
		sentences, err := e.Findings(d)
		require.NoError(t, err)
		assert.Contains(t, sentences[0], want[0])
		row := 0.0 // no two points are alike: they fall, or rise where falling is what was found
		d, _ = published(t, e, func(string, float64) float64 {
			row++
			if name == "retry-budget" {
				return row
			}
			return 1e6 - row
		})
		sentences, err = e.Findings(d)
		require.NoError(t, err)
		assert.Contains(t, sentences[0], want[1], name)
	}
}
