package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVerifySaysWhatDiffers(t *testing.T) {
	t.Chdir(t.TempDir())
	as(t, "one")
	status, _, errOut := ratelab(t, "", "verify", "boundary-burst", "--quick")
	assert.Equal(t, 2, status)
	assert.Equal(t, "ratelab: results/boundary-burst holds no results to verify; run: ratelab run boundary-burst --quick\n", errOut)

	for _, command := range []string{"run boundary-burst --quick", "plot boundary-burst"} {
		status, _, errOut := ratelab(t, "", strings.Fields(command)...)
		require.Equal(t, 0, status, errOut)
	}
	before := files(t, ".")
	status, out, errOut := ratelab(t, "", "verify", "boundary-burst", "--quick")
	require.Equal(t, 0, status, errOut)
	assert.Regexp(t, `^boundary-burst: (\d+) of (\d+) files are what this program makes\n$`, out)
	assert.Equal(t, before, files(t, "."), "verify changes nothing")

	dir := filepath.Join("results", "boundary-burst")
	spoil(t, filepath.Join(dir, "summary.csv"), func(text string) string { return strings.Replace(text, ",admitted,", ",admitted ,", 1) })
	spoil(t, filepath.Join(dir, "boundary-burst-blink.svg"), func(text string) string { return text + "\n" })
	require.NoError(t, os.Remove(filepath.Join(dir, "claims.csv")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "boundary-burst-old.svg"), nil, 0o600))
	status, out, _ = ratelab(t, "", "verify", "boundary-burst", "--quick")
	assert.Equal(t, 1, status)
	assert.Contains(t, out, dir+"/claims.csv: is missing\n")
	assert.Regexp(t, dir+`/summary\.csv: line \d+ is ".*", and this program makes ".*"\n`, out)
	assert.Regexp(t, dir+`/boundary-burst-blink\.svg: has \d+ lines, and this program makes \d+\n`, out)
	assert.Contains(t, out, dir+"/boundary-burst-old.svg: this program makes no such file\n")
}

func TestARowIsTracedToItsCells(t *testing.T) {
	t.Chdir(t.TempDir())
	as(t, "one")
	status, _, errOut := ratelab(t, "", strings.Fields(small)...)
	require.Equal(t, 0, status, errOut)
	row := "part=straddle,limiter=token-bucket,limit=10,window=1s,metric=max_window_admitted"
	status, out, errOut := ratelab(t, "", "verify", "boundary-burst", "--row", row)
	require.Equal(t, 0, status, errOut)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 3)
	assert.Regexp(t, `^max_window_admitted \(requests\) of 2 cells: n=2 mean=\d+ sd=0 `, lines[2])
	for i, line := range lines[:2] {
		value, key, ok := strings.Cut(line, "  ")
		require.True(t, ok)
		assert.True(t, strings.HasSuffix(key, ",rep="+string(rune('0'+i))), key)
		status, out, errOut := ratelab(t, "", append(strings.Fields(small), "--cell", key)...)
		require.Equal(t, 0, status, errOut)
		assert.Regexp(t, `(?m)^max_window_admitted +requests +`+value+`$`, out, "the cell measures it again")
	}

	for _, c := range []struct{ row, want string }{
		{"part=straddle,metric=max_window_admitted", "name also limiter (fixed-window, "},
		{"part=straddle", "--row must name the metric of the row: metric=NAME"},
		{"straddle", `--row: want FACTOR=VALUE,…, got "straddle"`},
		{`part="straddle"x,metric=admitted`, `--row: after part="straddle" want a comma, got "x`},
		{"part=flood,metric=admitted", `has no row at part=flood; `},
		{"part=straddle,limiter=,metric=admitted", "has no row at part=straddle,limiter=''; "},
		{"part=straddle,metric=admited", `has no row of metric "admited" there (did you mean "admitted"?); it has admitted, `},
		{"prt=flood,metric=admitted", `"prt"`},
	} {
		status, out, errOut := ratelab(t, "", "verify", "boundary-burst", "--row", c.row)
		assert.Equal(t, 2, status, c.row)
		assert.Empty(t, out)
		assert.Contains(t, errOut, c.want)
	}
}

func spoil(t *testing.T, path string, change func(text string) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.False(t, change(string(text)) == string(text), path)
	require.NoError(t, os.WriteFile(path, []byte(change(string(text))), 0o600))
}

func TestVerifyTakesTheSettingsOfTheResults(t *testing.T) {
	t.Chdir(t.TempDir())
	as(t, "one")
	run := append(strings.Fields(small+" --seed 3 --out mine --where"), "limiter != 'gcra'")
	status, _, errOut := ratelab(t, "", run...)
	require.Equal(t, 0, status, errOut)
	status, out, errOut := ratelab(t, "", "verify", "boundary-burst", "--out", "mine")
	require.Equal(t, 0, status, errOut)
	assert.Equal(t, "boundary-burst: 5 of 5 files are what this program makes; figures were not drawn\n", out)

	again := `run: ratelab run boundary-burst --quick --reps 2 --seed 3 --set part=straddle --set limit=10 --set window=1s --where 'limiter != '\''gcra'\''' --out mine` + "\n"
	dir := filepath.Join("mine", "boundary-burst")
	spoil(t, filepath.Join(dir, "manifest.json"), func(text string) string { return strings.Replace(text, `"keys": "`, `"keys": "0`, 1) })
	status, out, errOut = ratelab(t, "", "verify", "boundary-burst", "--out", "mine")
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	assert.Contains(t, errOut, "can not be made anew: they are of 9 points, and this program has others (9) for the settings in manifest.json; "+again)

	require.NoError(t, os.Remove(filepath.Join(dir, "summary.csv")))
	for _, command := range []string{"check", "plot", "verify"} {
		status, _, errOut = ratelab(t, "", command, "boundary-burst", "--out", "mine")
		assert.Equal(t, 2, status)
		assert.True(t, strings.HasSuffix(errOut, again), errOut)
	}
}

func TestVerifyRefusesToCallAFullRunQuick(t *testing.T) {
	t.Chdir(t.TempDir())
	as(t, "one")
	status, _, errOut := ratelab(t, "", strings.Fields(strings.Replace(small, "--quick", "--set limiter=gcra", 1))...)
	require.Equal(t, 0, status, errOut)
	status, _, errOut = ratelab(t, "", "verify", "boundary-burst", "--quick")
	assert.Equal(t, 2, status)
	assert.Equal(t, "ratelab: --quick: the results in results/boundary-burst are of a full run, says manifest.json; leave the flag out\n", errOut)
	status, _, errOut = ratelab(t, "", "verify", "boundary-burst")
	assert.Equal(t, 0, status, errOut)
}
