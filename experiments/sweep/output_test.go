package sweep

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/plots/table"
)

func text(t *testing.T, tab *table.Table) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, tab.Write(&b))
	return b.String()
}

// small has a metric that is missing in one replication, one that is missing at one point, one that is never there.
func small() *Plan {
	return &Plan{
		Name:        "small",
		Description: "shares by rule",
		Factors:     []Factor{{Name: "rule", Description: "how to count"}, {Name: "servers", Unit: "servers", Description: "how many"}},
		Metrics:     []Metric{{"share", "1", "of what"}, {"count", "requests", "how many"}, {"never", "s", "not measured"}},
		Grids:       []Grid{{{Factor: "rule", Values: []string{"b,x", "a"}}, {Factor: "servers", Values: []string{"10", "9"}}}},
		Reps:        3,
		Seed:        5,
		Run: func(_ context.Context, c Cell, out *Row) error {
			if c.Rep != 1 {
				out.Set("share", float64(c.Rep+1)/3)
			}
			if c.Get("rule") == "a" && c.Int("servers") == 10 {
				out.Set("count", float64(c.Rep))
			}
			return nil
		},
	}
}

func TestRunsHasARowACellAndSummaryARowAPointAndMetric(t *testing.T) {
	r, err := Execute(t.Context(), small(), Options{})
	require.NoError(t, err)
	runs, err := r.Runs()
	require.NoError(t, err)
	assert.Equal(t, `rule,servers,rep,seed,share,count,never
"b,x",9,0,5,0.3333333333333333,,
"b,x",9,1,5,,,
"b,x",9,2,5,1,,
"b,x",10,0,5,0.3333333333333333,,
"b,x",10,1,5,,,
"b,x",10,2,5,1,,
a,9,0,5,0.3333333333333333,,
a,9,1,5,,,
a,9,2,5,1,,
a,10,0,5,0.3333333333333333,0,
a,10,1,5,,1,
a,10,2,5,1,2,
`, text(t, runs))
	summary, err := r.Summary()
	require.NoError(t, err)
	// t with 1 degree of freedom is 12.7062047362, half-width of the shares 12.7062047362 · (1/3); with 2 it is
	// 4.30265272975, half-width of the counts 4.30265272975/√3.
	assert.Equal(t, `rule,servers,metric,unit,n,mean,sd,ci_low,ci_high,min,max
"b,x",9,share,1,2,0.666666666667,0.471404520791,-3.56873491206,4.90206824539,0.333333333333,1
"b,x",10,share,1,2,0.666666666667,0.471404520791,-3.56873491206,4.90206824539,0.333333333333,1
a,9,share,1,2,0.666666666667,0.471404520791,-3.56873491206,4.90206824539,0.333333333333,1
a,10,share,1,2,0.666666666667,0.471404520791,-3.56873491206,4.90206824539,0.333333333333,1
a,10,count,requests,3,1,1,-1.48413771175,3.48413771175,0,2
`, text(t, summary))
}

func TestOneReplicationHasNoSpread(t *testing.T) {
	p := small()
	p.Reps = 1
	r, err := Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	summary, err := r.Summary()
	require.NoError(t, err)
	assert.Contains(t, text(t, summary), "a,10,count,requests,1,0,,,,0,0\n")
}

func TestFilesReadBackAsTheTablesTheyWere(t *testing.T) {
	dir := t.TempDir()
	p := small()
	r, err := Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	require.NoError(t, r.Write(dir, Manifest{}))
	runs, err := r.Runs()
	require.NoError(t, err)
	again, err := ReadRuns(dir, p)
	require.NoError(t, err)
	assert.Equal(t, text(t, runs), text(t, again))
	summary, err := Summarize(p, again)
	require.NoError(t, err)
	read, err := ReadSummary(dir, p)
	require.NoError(t, err)
	assert.Equal(t, text(t, summary), text(t, read))
	_, err = ReadRuns(t.TempDir(), p)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestFactorsAreNumbersIfAllTheirValuesAre(t *testing.T) {
	for values, want := range map[string]table.Type{
		"1,2,-0.5": table.Number,
		"1,,2":     table.Number,
		"1,x":      table.Text,
		"1,2.0":    table.Text, // a number would come back as 2
		"1000000":  table.Text, // and this as 1e+06
		"1s,2s":    table.Text,
		"NaN":      table.Text,
		"Inf,1":    table.Text,
	} {
		p := small()
		p.Grids = []Grid{{{Factor: "rule", Values: strings.Split(values, ",")}}}
		p.Factors[1].Default = "4"
		columns := p.RunsColumns()
		assert.Equal(t, want, columns[0].Type, values)
		assert.Equal(t, table.Number, columns[1].Type, "by its default")
		p.Run = func(context.Context, Cell, *Row) error { return nil }
		r, err := Execute(t.Context(), p, Options{})
		require.NoError(t, err)
		runs, err := r.Runs()
		require.NoError(t, err)
		got, err := runs.Distinct("rule")
		require.NoError(t, err)
		assert.ElementsMatch(t, strings.Split(values, ","), got, "texts stay as they are")
	}
}

func TestDataPackageDescribesEveryColumnOfTheFiles(t *testing.T) {
	dir := t.TempDir()
	r, err := Execute(t.Context(), small(), Options{})
	require.NoError(t, err)
	claims := table.Resource{Name: "claims", Path: "claims.csv", Columns: []table.Column{{Name: "claim", Description: "a statement"}}}
	require.NoError(t, r.Write(dir, Manifest{}, claims))
	content, err := os.ReadFile(filepath.Join(dir, DataPackageFile))
	require.NoError(t, err)
	var pack struct {
		Name, Description string
		Resources         []struct {
			Name, Path string
			Schema     struct {
				Fields []struct{ Name, Type, Unit, Description string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(content, &pack))
	assert.Equal(t, "small", pack.Name)
	assert.Equal(t, "shares by rule", pack.Description)
	require.Len(t, pack.Resources, 4)
	assert.Equal(t, "claims.csv", pack.Resources[3].Path)
	for _, resource := range pack.Resources[:3] {
		csv, err := table.ReadFile(filepath.Join(dir, resource.Path), nil)
		require.NoError(t, err)
		columns := csv.Columns()
		require.Len(t, resource.Schema.Fields, len(columns))
		for i, f := range resource.Schema.Fields {
			assert.Equal(t, columns[i].Name, f.Name)
			assert.NotEmpty(t, f.Description, f.Name)
		}
	}
	servers := pack.Resources[0].Schema.Fields[1]
	assert.Equal(t, "number", servers.Type)
	assert.Equal(t, "servers", servers.Unit)
}

func TestSummarizeRefusesRunsOfAnotherPlan(t *testing.T) {
	r, err := Execute(t.Context(), small(), Options{})
	require.NoError(t, err)
	runs, err := r.Runs()
	require.NoError(t, err)
	other := small()
	other.Metrics = append(other.Metrics, Metric{Name: "more"})
	_, err = Summarize(other, runs)
	assert.ErrorContains(t, err, `"more"`)
	other = small()
	other.Grids = []Grid{{{Factor: "rule", Values: []string{"1", "2"}}, {Factor: "servers", Values: []string{"9"}}}}
	_, err = Summarize(other, runs)
	assert.EqualError(t, err, `factor "rule": value "b,x" is not one of the plan's`)
}

func TestASumBeyondTheRangeOfFloatsIsAnError(t *testing.T) {
	p := small()
	p.Run = func(_ context.Context, _ Cell, out *Row) error {
		out.Set("share", math.MaxFloat64)
		return nil
	}
	r, err := Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	err = r.Write(filepath.Join(t.TempDir(), "new"), Manifest{})
	assert.EqualError(t, err, `metric "share" at b,x, 9: the sum over replications is beyond the range of a float64`)
}

func TestAFolderThatCannotBeMadeIsNamed(t *testing.T) {
	r, err := Execute(t.Context(), small(), Options{})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "taken")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	assert.ErrorContains(t, r.Write(file, Manifest{}), "taken")
}
