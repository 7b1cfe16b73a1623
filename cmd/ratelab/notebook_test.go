package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/sweep"
)

func TestNotebookIsWrittenFromWhatRunLeft(t *testing.T) {
	t.Chdir(t.TempDir())
	as(t, "one")
	status, _, errOut := ratelab(t, "", strings.Fields(small)...)
	require.Equal(t, 0, status, errOut)
	status, out, errOut := ratelab(t, "", "notebook", "boundary-burst")
	require.Equal(t, 0, status, errOut)
	assert.Equal(t, "results/index.html\n", out)
	page, err := os.ReadFile(filepath.Join("results", "index.html"))
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(page), "<!DOCTYPE html>"))

	t.Run("missing or stale results", func(t *testing.T) {
		for _, args := range [][]string{{"notebook"}, {"notebook", "--all"}, {"notebook", "retry-herd"}} {
			status, out, errOut := ratelab(t, "", args...)
			assert.Equal(t, 2, status, args)
			assert.Empty(t, out)
			assert.Regexp(t, `; run: ratelab run [a-z-]+\n$`, errOut)
		}
		as(t, "another")
		status, _, errOut := ratelab(t, "", "notebook", "boundary-burst")
		assert.Equal(t, 2, status)
		assert.Contains(t, errOut, "; run: ratelab run boundary-burst --quick --reps 2 --set part=straddle")
		after, err := os.ReadFile(filepath.Join("results", "index.html"))
		require.NoError(t, err)
		assert.True(t, string(page) == string(after), "the page stays as it was")
	})
	t.Run("usage", func(t *testing.T) {
		for _, args := range [][]string{{"notebook", "boundary-burst", "--all"}, {"notebook", "boundary-bust"}, {"notebook", "--out", ""}} {
			status, _, errOut := ratelab(t, "", args...)
			assert.Equal(t, 2, status, args)
			assert.Equal(t, 1, strings.Count(errOut, "\n"), errOut)
		}
	})
}

func TestABrokenModelIsSeenByCheckAndOnThePage(t *testing.T) {
	t.Chdir(t.TempDir())
	as(t, "one")
	status, _, errOut := ratelab(t, "", strings.Fields(small)...)
	require.Equal(t, 0, status, errOut)
	dir := filepath.Join("results", "boundary-burst")
	file := filepath.Join(dir, sweep.RunsFile)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	broken := strings.ReplaceAll(string(text), ",20,,,\n", ",21,,,\n") // admitted in a blink, of a limit of 10
	require.NotEqual(t, string(text), broken)
	require.NoError(t, os.WriteFile(file, []byte(broken), 0o600))

	status, _, errOut = ratelab(t, "", "notebook", "boundary-burst")
	assert.Equal(t, 2, status, "a table that was changed is refused")
	assert.Contains(t, errOut, "; run: ")

	require.NoError(t, sweep.AddOutputs(dir, sweep.RunsFile)) // as if the model had found it
	status, out, _ := ratelab(t, "", "check", "boundary-burst")
	assert.Equal(t, 1, status)
	assert.Regexp(t, `(?m)^  fails +0 of 1 points hold`, out)
	assert.Regexp(t, `claims: \d+ hold, 1 fail, \d+ undecided\n$`, out)
	status, _, errOut = ratelab(t, "", "notebook", "boundary-burst")
	require.Equal(t, 0, status, errOut)
	page, err := os.ReadFile(filepath.Join("results", "index.html"))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(page), `<tr><td><span class="verdict fails">fails</span></td><td class="n">21</td>`))
}
