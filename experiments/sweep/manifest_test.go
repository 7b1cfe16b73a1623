package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// manifestOf is what a command would fill in.
func manifestOf(t *testing.T, p *Plan) Manifest {
	t.Helper()
	m, err := NewManifest(p)
	require.NoError(t, err)
	m.Program, m.Revision = "0123456789abcdef", "r1"
	return m
}

// written returns a folder with the results of small.
func written(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	r, err := Execute(t.Context(), small(), Options{})
	require.NoError(t, err)
	require.NoError(t, r.Write(dir, manifestOf(t, small())))
	return dir
}

func TestManifestSaysWhereResultsCameFrom(t *testing.T) {
	before := time.Now()
	dir := written(t)
	m, err := ReadManifest(dir)
	require.NoError(t, err)
	assert.Equal(t, "small", m.Experiment)
	assert.Equal(t, "0123456789abcdef", m.Program)
	assert.Equal(t, "r1", m.Revision)
	assert.Equal(t, runtime.Version(), m.GoVersion)
	assert.Equal(t, []Axis{{Factor: "rule", Values: []string{"b,x", "a"}}, {Factor: "servers", Values: []string{"9", "10"}}}, m.Grid)
	assert.Equal(t, []int{4, 3, 12, 12, 0, 0}, []int{m.Points, m.Reps, m.Cells, m.CellsRun, m.CellsCached, m.CellsFailed})
	assert.Equal(t, uint64(5), m.Seed)
	assert.False(t, m.Start.Before(before.Add(-time.Second)) || m.End.Before(m.Start))
	require.Len(t, m.Outputs, 4)
	for i, file := range []string{DataPackageFile, RunsFile, SummaryFile, WarningsFile} {
		content, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		assert.Equal(t, Output{file, hex.EncodeToString(sum[:])}, m.Outputs[i])
	}
	assert.Empty(t, m.Changed(dir))
}

func TestFreshTellsWhyResultsAreStale(t *testing.T) {
	for name, c := range map[string]struct {
		plan  func(p *Plan)
		want  func(m *Manifest)
		files func(t *testing.T, dir string)
		why   string
	}{
		"nothing differs":       {},
		"the host differs":      {want: func(m *Manifest) { m.Host, m.GoVersion, m.Revision, m.Dirty = "other", "go9", "r2", true }},
		"another program":       {want: func(m *Manifest) { m.Program = "fedcba9876543210" }, why: "another program made them (0123456789ab, this is fedcba987654)"},
		"an unknown program":    {want: func(m *Manifest) { m.Program = "" }, why: "another program made them (0123456789ab, this is unknown)"},
		"another experiment":    {plan: func(p *Plan) { p.Name = "other" }, why: `they are of "small", not of "other"`},
		"a quick run":           {want: func(m *Manifest) { m.Quick = true }, why: "they are of a full run, and a quick one is wanted"},
		"another seed":          {plan: func(p *Plan) { p.Seed = 6 }, why: "they have seed 5, and 6 is wanted"},
		"more replications":     {plan: func(p *Plan) { p.Reps = 4 }, why: "they have 3 replications, and 4 are wanted"},
		"fewer replications":    {plan: func(p *Plan) { p.Reps = 2 }, why: "they have 3 replications, and 2 are wanted"},
		"another value":         {plan: func(p *Plan) { p.Grids[0][1].Values = []string{"9", "11"} }, why: "they have servers = 9,10, and 9,11 is wanted"},
		"another value, a spec": {plan: func(p *Plan) { p.Grids[0][0].Values = []string{"a"} }, why: "they have rule = b,x ; a, and a is wanted"},
		"many values": {plan: func(p *Plan) { p.Grids[0][1].Values = strings.Split("1,2,3,4,5,6,7,8,9,10", ",") },
			why: "they have servers = 9,10, and 1,2,3,4,5,6,7,8 and 2 more is wanted"},
		"another factor": {plan: func(p *Plan) { p.Factors = append(p.Factors, Factor{Name: "load", Default: "1"}) },
			why: `they do not have factor "load"`},
		"another combination": {plan: func(p *Plan) {
			p.Where = func(get func(string) string) bool { return get("rule") == "a" || get("servers") == "9" }
			p.Grids = []Grid{{{Factor: "rule", Values: []string{"b,x", "a"}}, {Factor: "servers", Values: []string{"9", "10"}}}}
		}, why: "they are of another grid (4 points, and 3 are wanted)"},
		"no manifest": {files: func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, ManifestFile))) },
			why: `DIR holds no results of "small"`},
		"a broken manifest": {files: func(t *testing.T, dir string) { overwrite(t, dir, ManifestFile, "{") },
			why: "DIR/manifest.json: unexpected end of JSON input"},
		"a table is missing": {files: func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, RunsFile))) },
			why: "runs.csv is missing"},
		"a table was changed": {files: func(t *testing.T, dir string) { overwrite(t, dir, SummaryFile, "rule\n") },
			why: "summary.csv was changed after it was written"},
		"the data package was changed": {files: func(t *testing.T, dir string) { overwrite(t, dir, DataPackageFile, "{}") },
			why: "datapackage.json was changed after it was written"},
		"a figure is missing": {files: func(t *testing.T, dir string) {
			overwrite(t, dir, "small-figure.svg", "<svg/>")
			require.NoError(t, AddOutputs(dir, "small-figure.svg"))
			require.NoError(t, os.Remove(filepath.Join(dir, "small-figure.svg")))
		}},
		"a manifest without tables": {files: func(t *testing.T, dir string) {
			m := manifestOf(t, small())
			m.CellsRun = m.Cells
			require.NoError(t, m.write(dir))
		}, why: "the manifest does not know runs.csv"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := written(t)
			p := small()
			if c.plan != nil {
				c.plan(p)
			}
			want := manifestOf(t, p)
			if c.want != nil {
				c.want(&want)
			}
			if c.files != nil {
				c.files(t, dir)
			}
			err := Fresh(dir, want)
			switch {
			case c.why == "":
				assert.NoError(t, err)
			case len(c.why) > 3 && c.why[:3] == "DIR":
				assert.EqualError(t, err, dir+c.why[3:])
			default:
				assert.EqualError(t, err, "the results in "+dir+" are stale: "+c.why)
			}
		})
	}
}

func overwrite(t *testing.T, dir, file, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644))
}

func TestFreshRefusesAQuickRunForAFullOne(t *testing.T) {
	dir := t.TempDir()
	r, err := Execute(t.Context(), small(), Options{})
	require.NoError(t, err)
	m := manifestOf(t, small())
	m.Quick = true
	require.NoError(t, r.Write(dir, m))
	assert.NoError(t, Fresh(dir, m))
	assert.EqualError(t, Fresh(dir, manifestOf(t, small())), "the results in "+dir+" are stale: they are of a quick run")
}

func TestFreshRefusesUnfinishedRuns(t *testing.T) {
	dir := t.TempDir()
	p := failing()
	r, err := Execute(t.Context(), p, Options{KeepGoing: true})
	require.Error(t, err)
	require.NoError(t, r.Write(dir, manifestOf(t, p)))
	assert.EqualError(t, Fresh(dir, manifestOf(t, p)), "the results in "+dir+" are stale: 5 of 12 cells failed")

	p = noisy()
	ctx, cancel := context.WithCancel(t.Context())
	p.Run = func(context.Context, Cell, *Row) error {
		cancel()
		return nil
	}
	r, err = Execute(ctx, p, Options{Workers: 1})
	require.Error(t, err)
	require.NoError(t, r.Write(dir, manifestOf(t, p)))
	assert.EqualError(t, Fresh(dir, manifestOf(t, p)), "the results in "+dir+" are stale: only 1 of 32 cells are done")
}

func TestOutputsCanBeAddedAndRenewed(t *testing.T) {
	dir := written(t)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	overwrite(t, dir, "small-figure.svg", "one")
	overwrite(t, dir, filepath.Join("sub", "a.csv"), "a")
	require.NoError(t, AddOutputs(dir, "small-figure.svg", filepath.Join("sub", "a.csv")))
	m, err := ReadManifest(dir)
	require.NoError(t, err)
	assert.Len(t, m.Outputs, 6)
	assert.IsIncreasing(t, []string{m.Outputs[0].Path, m.Outputs[1].Path, m.Outputs[2].Path, m.Outputs[3].Path, m.Outputs[4].Path, m.Outputs[5].Path})
	assert.Equal(t, "sub/a.csv", m.Outputs[3].Path)
	assert.Equal(t, 12, m.CellsRun, "the rest stays")

	overwrite(t, dir, "small-figure.svg", "two")
	require.NoError(t, os.Remove(filepath.Join(dir, "sub", "a.csv")))
	assert.Equal(t, []string{"small-figure.svg", "sub/a.csv"}, m.Changed(dir))
	require.NoError(t, AddOutputs(dir, "small-figure.svg"))
	m, err = ReadManifest(dir)
	require.NoError(t, err)
	assert.Len(t, m.Outputs, 6)
	assert.Equal(t, []string{"sub/a.csv"}, m.Changed(dir))

	assert.ErrorContains(t, AddOutputs(dir, "../outside"), `output "../outside": want a path inside`)
	assert.ErrorIs(t, AddOutputs(dir, "missing.svg"), os.ErrNotExist)
	assert.ErrorIs(t, AddOutputs(t.TempDir(), "x"), os.ErrNotExist)
}
