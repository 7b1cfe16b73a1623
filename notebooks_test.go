package ratelab_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNotebooks runs what docs/notebooks.md shows, on the committed results.
func TestNotebooks(t *testing.T) {
	text := read(t, filepath.Join("docs", "notebooks.md"))
	blocks := func(kind string) (found []string) {
		for _, block := range regexp.MustCompile("(?ms)^```"+kind+"\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
			found = append(found, block[1])
		}
		return found
	}
	t.Run("pandas", func(t *testing.T) {
		python := "/usr/bin/python3" // Debian's, which has Debian's pandas
		if out, err := exec.Command(python, "-c", "import pandas, matplotlib").CombinedOutput(); err != nil {
			require.Empty(t, os.Getenv("CI"), "no pandas; .ci/run installs it: %s", out)
			t.Skipf("no pandas and matplotlib for %s: the snippet is not tried", python)
		}
		scripts := blocks("python")
		require.Len(t, scripts, 1)
		dir := withResults(t)
		cmd := exec.Command(python, "-c", scripts[0])
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "MPLCONFIGDIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Regexp(t, `(?m)^8 +1\.0 +8\.0 +1\.0000$`, string(out), "eight servers: central, local, quota")
		figure, err := os.ReadFile(filepath.Join(dir, "fleet.png"))
		require.NoError(t, err)
		assert.True(t, bytes.HasPrefix(figure, []byte("\x89PNG")))
	})
	t.Run("DuckDB", func(t *testing.T) {
		queries := blocks("sql")
		require.Len(t, queries, 2)
		duckdb, err := exec.LookPath("duckdb")
		if err != nil {
			t.Skip("no duckdb, which Debian does not have: the queries are not tried")
		}
		cmd := exec.Command(duckdb, "-csv", "-noheader", "-c", queries[0])
		cmd.Dir = withResults(t)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Contains(t, strings.Split(string(out), "\n"), "8,local,8.0,8.0,8.0")
	})
}

// withResults is a folder in which committed results lie as in the repository.
func withResults(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join("results", "fleet-overshoot", "summary.csv")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(read(t, path)), 0o600))
	return dir
}
