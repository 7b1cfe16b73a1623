package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a run of the quickest experiment that takes next to no time.
const small = "run boundary-burst --quick --reps 2 --set part=straddle --set limit=10 --set window=1s"

// as makes this program another one, as the linker would.
func as(t *testing.T, hash string) {
	t.Helper()
	before := program
	program = hash
	t.Cleanup(func() { program = before })
}

func TestRunLeavesWhatCheckReads(t *testing.T) {
	t.Chdir(t.TempDir())
	status, out, errOut := ratelab(t, "", strings.Fields(small)...)
	require.Equal(t, 0, status, errOut)
	assert.Regexp(t, `^boundary-burst: \d+ cells in results/boundary-burst; claims: \d+ hold, 0 fail, \d+ undecided\n$`, out)
	assert.Regexp(t, `^boundary-burst: 10 of 70 means are doubtful; results/boundary-burst/warnings.csv says which\n  10 few: .*\n  10 wide: .*\n$`, errOut)
	dir := filepath.Join("results", "boundary-burst")
	for _, file := range []string{"runs.csv", "summary.csv", "warnings.csv", "claims.csv", "datapackage.json", "manifest.json"} {
		assert.FileExists(t, filepath.Join(dir, file))
	}
	claims, err := os.ReadFile(filepath.Join(dir, "claims.csv"))
	require.NoError(t, err)

	status, out, errOut = ratelab(t, "", "check", "boundary-burst")
	require.Equal(t, 0, status, errOut)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	assert.Regexp(t, `^claims: [1-9]\d* hold, 0 fail, 0 undecided$`, lines[len(lines)-1])
	again, err := os.ReadFile(filepath.Join(dir, "claims.csv"))
	require.NoError(t, err)
	assert.Equal(t, string(claims), string(again), "check judges as run did")

	before := files(t, ".")
	status, out, errOut = ratelab(t, "", strings.Fields(small)...)
	require.Equal(t, 0, status, errOut)
	assert.Equal(t, "boundary-burst: up to date in results/boundary-burst\n", out)
	assert.Equal(t, before, files(t, "."), "what is up to date is not run again")
}

func TestRunJudgesAgainWhatWasNotJudged(t *testing.T) {
	t.Chdir(t.TempDir())
	status, _, errOut := ratelab(t, "", strings.Fields(small)...)
	require.Equal(t, 0, status, errOut)
	path := filepath.Join("results", "boundary-burst", "claims.csv")
	claims, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, spoil := range map[string]func() error{
		"missing":               func() error { return os.Remove(path) },
		"of an interrupted run": func() error { return os.WriteFile(path, claims[:len(claims)/2], 0o600) },
	} {
		require.NoError(t, spoil())
		status, out, errOut := ratelab(t, "", strings.Fields(small)...)
		require.Equal(t, 0, status, errOut)
		assert.Contains(t, out, "claims: ", name)
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(claims), string(again), name)
	}
}

func TestWorkersDoNotChangeABit(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, workers := range []string{"1", "3"} {
		status, _, errOut := ratelab(t, "", append(strings.Fields(small), "--workers", workers, "--out", workers)...)
		require.Equal(t, 0, status, errOut)
	}
	for _, file := range []string{"runs.csv", "summary.csv", "warnings.csv", "claims.csv", "datapackage.json"} {
		one, err := os.ReadFile(filepath.Join("1", "boundary-burst", file))
		require.NoError(t, err)
		three, err := os.ReadFile(filepath.Join("3", "boundary-burst", file))
		require.NoError(t, err)
		assert.True(t, string(one) == string(three), file)
	}
}

func TestPlotAndCheckNeedResults(t *testing.T) {
	for _, c := range []struct {
		name, want string
		spoil      func(t *testing.T)
	}{
		{"missing", `results/boundary-burst holds no results of "boundary-burst"; run: ratelab run boundary-burst`, func(t *testing.T) {
			require.NoError(t, os.RemoveAll("results"))
		}},
		{"made by another program", `another program made them (one, this is two); run: ratelab ` + small, func(t *testing.T) {
			as(t, "two")
		}},
		{"changed", `summary.csv was changed after it was written; run: ratelab ` + small, func(t *testing.T) {
			path := filepath.Join("results", "boundary-burst", "summary.csv")
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o600))
		}},
		{"incomplete", `runs.csv is missing; run: ratelab ` + small, func(t *testing.T) {
			require.NoError(t, os.Remove(filepath.Join("results", "boundary-burst", "runs.csv")))
		}},
		{"as a clone has it", `results/boundary-burst has no runs.csv of this program to judge (it is not kept in git; the published verdicts are in results/boundary-burst/claims.csv); run: ratelab run boundary-burst`, func(t *testing.T) {
			require.NoError(t, os.Remove(filepath.Join("results", "boundary-burst", "runs.csv")))
			require.NoError(t, os.Remove(filepath.Join("results", "boundary-burst", "manifest.json")))
		}},
		{"without a readable manifest", `run: ratelab run boundary-burst`, func(t *testing.T) {
			require.NoError(t, os.WriteFile(filepath.Join("results", "boundary-burst", "manifest.json"), []byte("{"), 0o600))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			as(t, "one")
			status, _, errOut := ratelab(t, "", strings.Fields(small)...)
			require.Equal(t, 0, status, errOut)
			c.spoil(t)
			before := files(t, ".")
			for _, command := range []string{"plot", "check"} {
				status, out, errOut := ratelab(t, "", command, "boundary-burst")
				assert.Equal(t, 2, status, command)
				assert.Empty(t, out, command)
				assert.True(t, strings.HasSuffix(errOut, c.want+"\n"), errOut)
				assert.Equal(t, 1, strings.Count(errOut, "\n"), command)
			}
			assert.Equal(t, before, files(t, "."))

			status, _, errOut = ratelab(t, "", strings.Fields(small)...)
			require.Equal(t, 0, status, errOut)
			status, _, errOut = ratelab(t, "", "check", "boundary-burst")
			assert.Equal(t, 0, status, "run makes them anew: %s", errOut)
		})
	}
}

func TestTheLineToTypeNamesTheFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	status, _, errOut := ratelab(t, "", "check", "boundary-burst", "--out", "elsewhere")
	assert.Equal(t, 2, status)
	assert.True(t, strings.HasSuffix(errOut, "; run: ratelab run boundary-burst --out elsewhere\n"), errOut)
}

func TestAnInterruptedRunLeavesEarlierResults(t *testing.T) {
	t.Chdir(t.TempDir())
	status, _, errOut := ratelab(t, "", strings.Fields(small)...)
	require.Equal(t, 0, status, errOut)
	before := files(t, ".")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, out, errOut := ratelabIn(ctx, "", append(strings.Fields(small), "--seed", "2")...)
	assert.Equal(t, 1, status)
	assert.Empty(t, out)
	assert.Regexp(t, `^ratelab: interrupted after 0 of \d+ cells of boundary-burst; no cell is done; go on with: ratelab run boundary-burst --quick --reps 2 --seed 2 --set part=straddle --set limit=10 --set window=1s\n$`, errOut)
	assert.Equal(t, before, files(t, "."))
}

func TestDryRunListsCellsAndCellRunsOne(t *testing.T) {
	t.Chdir(t.TempDir())
	args := strings.Fields(small)
	status, out, errOut := ratelab(t, "", append(args, "--dry-run")...)
	require.Equal(t, 0, status, errOut)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	assert.Equal(t, `boundary-burst: 20 cells: 20 to run, 0 cached; the time is unknown until a cell has run; results/boundary-burst holds no results of "boundary-burst"`, lines[20])
	state, key, _ := strings.Cut(lines[0], "\t")
	assert.Equal(t, "run", state)
	assert.Len(t, files(t, "."), 1, "nothing is written")

	status, out, errOut = ratelab(t, "", append(args, "--cell", key)...)
	require.Equal(t, 0, status, errOut)
	assert.Contains(t, out, "admitted  ")

	as(t, "one")
	status, _, errOut = ratelab(t, "", args...)
	require.Equal(t, 0, status, errOut)
	status, out, errOut = ratelab(t, "", append(args, "--dry-run")...)
	require.Equal(t, 0, status, errOut)
	assert.Contains(t, out, "cached\t"+key+"\n")
	assert.Contains(t, out, "boundary-burst: 20 cells: 0 to run, 20 cached; the tables are up to date\n")

	status, out, errOut = ratelab(t, "", append(strings.Fields(strings.Replace(small, "--reps 2", "--reps 3", 1)), "--dry-run")...)
	require.Equal(t, 0, status, errOut)
	assert.Contains(t, out, "cached\t"+key+"\n")
	assert.Contains(t, out, "run\t"+strings.TrimSuffix(key, "0")+"2\n")
	assert.Contains(t, out, "boundary-burst: 30 cells: 10 to run, 20 cached; less than 1s; the results in results/boundary-burst are stale: they have 2 replications, and 3 are wanted\n")

	as(t, "two")
	before := files(t, ".")
	status, out, errOut = ratelab(t, "", append(args, "--dry-run")...)
	require.Equal(t, 0, status, errOut)
	assert.Contains(t, out, "stale\t"+key+"\tanother program computed it (one, this is two)\n")
	assert.Contains(t, out, "boundary-burst: 20 cells: 20 to run (20 of them stale), 0 cached; less than 1s; the results in results/boundary-burst are stale: another program made them (one, this is two)\n")
	assert.Equal(t, before, files(t, "."))
}

func TestShardsMergeIntoWhatOneRunLeaves(t *testing.T) {
	t.Chdir(t.TempDir())
	as(t, "one")
	args := strings.Fields(small)
	status, _, errOut := ratelab(t, "", append(args, "--out", "whole")...)
	require.Equal(t, 0, status, errOut)
	for i := range 3 {
		status, out, errOut := ratelab(t, "", append(args, "--shard", fmt.Sprintf("%d/3", i))...)
		require.Equal(t, 0, status, errOut)
		assert.Regexp(t, fmt.Sprintf(`^boundary-burst: shard %d/3: [67] cells in results/boundary-burst/cells; once all shards are there: ratelab merge boundary-burst\n$`, i), out)
		if i < 2 {
			status, out, errOut = ratelab(t, "", "merge", "boundary-burst")
			assert.Equal(t, 2, status)
			assert.Empty(t, out)
			assert.Regexp(t, `^ratelab: results/boundary-burst/cells: \d+ of 20 cells are missing: part=\S+ part=\S+ and \d+ more; run: `, errOut)
			assert.Less(t, len(errOut), 400)
			want := "; run: for i in 1 2; do ratelab " + small + " --shard $i/3; done\n"
			if i == 1 {
				want = "; run: ratelab " + small + " --shard 2/3\n"
			}
			assert.True(t, strings.HasSuffix(errOut, want), errOut)
		}
	}
	status, out, errOut := ratelab(t, "", "merge", "boundary-burst")
	require.Equal(t, 0, status, errOut)
	assert.Regexp(t, `^boundary-burst: 10 of 70 means are doubtful; results/boundary-burst/warnings.csv says which\n  10 few: .*\n  10 wide: .*\n$`, errOut)
	one, err := os.ReadFile(filepath.Join("whole", "boundary-burst", "runs.csv"))
	require.NoError(t, err)
	assert.Regexp(t, fmt.Sprintf(`^results/boundary-burst/runs.csv: 20 rows, sha256 %x\nresults/boundary-burst/summary.csv: \d+ rows, sha256 [0-9a-f]{64}\nboundary-burst: 20 cells in results/boundary-burst; claims: `, sha256.Sum256(one)), out)
	for _, file := range []string{"runs.csv", "summary.csv", "warnings.csv", "claims.csv", "datapackage.json"} {
		one, err := os.ReadFile(filepath.Join("whole", "boundary-burst", file))
		require.NoError(t, err)
		merged, err := os.ReadFile(filepath.Join("results", "boundary-burst", file))
		require.NoError(t, err)
		assert.Equal(t, string(one), string(merged), file)
	}
	status, out, errOut = ratelab(t, "", append(args, "--shard", "1/3")...)
	require.Equal(t, 0, status, errOut)
	assert.Contains(t, out, "cells (0 run, ")
}

func TestResultsThatCanNotBeStoredAreSaidSo(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll(filepath.Join("results", "boundary-burst"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join("results", "boundary-burst", "cells"), []byte("in the way"), 0o600))
	status, out, errOut := ratelab(t, "", strings.Fields(small)...)
	assert.Equal(t, 1, status)
	assert.Empty(t, out)
	want := "ratelab: cells can not be stored in results/boundary-burst/cells: not a directory; it must be a folder that can be written; then go on with: ratelab " + small + "\n"
	assert.Equal(t, want, errOut)

	require.NoError(t, os.RemoveAll("results"))
	require.NoError(t, os.WriteFile("results", []byte("in the way"), 0o600))
	status, _, errOut = ratelab(t, "", strings.Fields(small)...)
	assert.Equal(t, 1, status)
	assert.Equal(t, want, errOut)
}

func TestSettingsGoTogetherAndConditionsKeepPoints(t *testing.T) {
	t.Chdir(t.TempDir())
	as(t, "one")
	args := []string{"run", "boundary-burst", "--quick", "--reps", "1", "--set", "part=straddle", "--set", "limit=10,20 & window=1s,2s",
		"--where", "limiter = 'gcra' || limiter = 'sliding-log' && limit/10*1s = window", "--dry-run"}
	status, out, errOut := ratelab(t, "", args...)
	require.Equal(t, 0, status, errOut)
	assert.Equal(t, `run	part=straddle,limiter=sliding-log,limit=10,window=1s,rep=0
run	part=straddle,limiter=sliding-log,limit=20,window=2s,rep=0
run	part=straddle,limiter=gcra,limit=10,window=1s,rep=0
run	part=straddle,limiter=gcra,limit=20,window=2s,rep=0
boundary-burst: 4 cells: 4 to run, 0 cached; the time is unknown until a cell has run; results/boundary-burst holds no results of "boundary-burst"
`, out)
	args = []string{"run", "boundary-burst", "--quick", "--reps", "1", "--set", "part=straddle", "--set", "limiter=gcra", "--set", "window=3s", "--set", "limit={window/1s*2},{2+window/1s}", "--dry-run"}
	status, out, errOut = ratelab(t, "", args...)
	require.Equal(t, 0, status, errOut)
	assert.Contains(t, out, "limit=5,window=3s,rep=0\nrun\tpart=straddle,limiter=gcra,limit=6,window=3s,rep=0\nboundary-burst: 2 cells")
}

func TestAPreciseRunSaysWhatItDidNotReach(t *testing.T) {
	t.Chdir(t.TempDir())
	as(t, "one")
	args := append(strings.Fields("run boundary-burst --quick --set part=straddle --set limit=10 --set window=1s --set limiter=gcra"), "--precision", "0.1", "--max-reps", "20")
	status, out, errOut := ratelab(t, "", append(args, "--dry-run")...)
	require.Equal(t, 0, status, errOut)
	assert.Contains(t, out, "boundary-burst: at least 10 cells: at least 10 to run, 0 cached; ")
	status, out, errOut = ratelab(t, "", args...)
	require.Equal(t, 0, status, errOut)
	assert.Contains(t, out, "boundary-burst: 20 cells in results/boundary-burst; claims: ")
	assert.Regexp(t, `^boundary-burst: 1 of 7 means are doubtful; results/boundary-burst/warnings.csv says which
  1 unreached: the cap of replications came before the precision that was asked for; most: ± [0-9.]+ % of the estimate, wanted 10 % of the mean \(half at part=straddle,limiter=gcra,limit=10,window=1s\)
`, errOut)
	status, out, errOut = ratelab(t, "", args...)
	require.Equal(t, 0, status, errOut)
	assert.Equal(t, "boundary-burst: up to date in results/boundary-burst\n", out)
	status, out, errOut = ratelab(t, "", append(args, "--dry-run")...)
	require.Equal(t, 0, status, errOut)
	assert.Contains(t, out, "boundary-burst: 20 cells: 0 to run, 20 cached; the tables are up to date\n")
}

func TestCompareKeepsItsCellsAndWritesNoTables(t *testing.T) {
	t.Chdir(t.TempDir())
	as(t, "one")
	args := strings.Fields("compare boundary-burst --quick --a part=straddle --a limit=10 --a window=1s --a limiter=fixed-window --b limiter=sliding-log --metric admitted --metric half")
	status, out, errOut := ratelab(t, "", args...)
	require.Equal(t, 0, status, errOut)
	golden(t, "compare", out)
	first := files(t, ".")
	status, again, errOut := ratelab(t, "", args...)
	require.Equal(t, 0, status, errOut)
	assert.Equal(t, out, again)
	assert.Equal(t, first, files(t, "."), "nothing ran again")
	for path := range first {
		assert.Regexp(t, `^(\.|results(/boundary-burst(/cells(/[a-z0-9.]+)?)?)?)$`, path)
	}
	status, out, errOut = ratelab(t, "", append(args, "--format", "csv")...)
	require.Equal(t, 0, status, errOut)
	assert.Equal(t, `part,a_limiter,b_limiter,limit,window,delta,sixtieth,metric,unit,n,mean_a,mean_b,difference,ci_low,ci_high,variance_ratio,warnings
straddle,fixed-window,sliding-log,10,1s,,,admitted,requests,2,60,30,-30,-30,-30,,
straddle,fixed-window,sliding-log,10,1s,,,half,s,2,0.0004381225,0.0004381225,0,0,0,,
`, out)
}
