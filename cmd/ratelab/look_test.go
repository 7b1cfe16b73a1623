package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/plots"
	"ratelab/workloads"
)

func TestShowDrawsWorkloads(t *testing.T) {
	for _, text := range []string{
		"diurnal:low=20/s,high=100/s,period=10s", "heavy-tail", "page-turn:size=200,window=1m,story=quiet-then-loud",
		"sum:(poisson:rate=20/s)+(burst-train:size=50,period=10s)", "steady:rate=3/ns",
	} {
		file := filepath.Join(t.TempDir(), "w.svg")
		status, _, errOut := ratelab(t, "", "show", text, "--svg", file)
		require.Equal(t, 0, status, errOut)
		svg, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(svg), "<?xml") || strings.HasPrefix(string(svg), "<svg"), text)
	}
}

func TestEveryWorkloadHasALook(t *testing.T) {
	for _, e := range workloads.Entries() {
		if e.Name == "trace" { // whose examples are of files that are not here
			continue
		}
		for _, example := range e.Examples {
			l, err := lookAt(example)
			require.NoError(t, err, example)
			require.NotZero(t, l.Arrivals, example)
			f, err := l.figure()
			require.NoError(t, err, example)
			if example == e.Examples[0] {
				_, err = plots.SVG(f)
				require.NoError(t, err, example)
			}
		}
	}
}

func TestShowDrawsNothingElse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "w.svg")
	status, out, errOut := ratelab(t, "", "show", "token-bucket", "--svg", file)
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	assert.Equal(t, "ratelab: --svg draws a workload, got one of the limiters: token-bucket\n", errOut)
	status, _, errOut = ratelab(t, "", "show", "clip:(steady:rate=1/d),from=1d,to=2d", "--svg", filepath.Join(file, "no", "folder.svg"))
	assert.Equal(t, 1, status)
	assert.Contains(t, errOut, "folder.svg")
	assert.NoFileExists(t, file)
}

func TestSpansAndBars(t *testing.T) {
	for seconds, want := range map[string]string{span(0): "0s", span(1e-9): "1ns", span(0.0123456): "12.35ms", span(90): "1m30s", span(200_000): "2.315d", bars([]int64{0, 1, 50, 100}, 100): ".▁▄█"} {
		assert.Equal(t, want, seconds)
	}
}
