package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInterrupt sends Ctrl-C to commands that would go on for very long, each
// once it has printed its first line.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes of Windows can not be interrupted by one another")
	}
	for _, c := range []struct{ line, in string }{
		{"ratelab arrivals poisson:rate=1/s --horizon 100000d", ""},
		{"ratelab decide --stream --limiter token-bucket:rate=2/s,burst=20", "t\n0\n"},
	} {
		t.Run(c.line, func(t *testing.T) {
			cmd := process(t, "exec "+c.line)
			var errOut strings.Builder
			cmd.Stderr = &errOut
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			_, err = io.WriteString(in, c.in) // and more may come: it stays open
			require.NoError(t, err)
			lines := bufio.NewReader(out)
			_, err = lines.ReadString('\n')
			require.NoError(t, err)
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			_, err = io.Copy(io.Discard, lines)
			require.NoError(t, err)
			require.Error(t, cmd.Wait())
			assert.Equal(t, 1, cmd.ProcessState.ExitCode())
			assert.Equal(t, "ratelab: interrupted\n", errOut.String())
		})
	}
}

func TestInterruptedBeforeItBegan(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct{ line, want string }{
		{"arrivals poisson:rate=1/s", "ratelab: interrupted\n"},
		{"simulate --limiter token-bucket:rate=2/s,burst=20", "ratelab: interrupted"},
	} {
		status, out, errOut := ratelabIn(ctx, "", strings.Fields(c.line)...)
		assert.Equal(t, 1, status, c.line)
		assert.NotContains(t, out, "mean", c.line)
		assert.Contains(t, errOut, c.want, c.line)
		assert.Equal(t, 1, strings.Count(errOut, "\n"), c.line)
	}
	left, err := filepath.Glob("*")
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestInterruptedInALongReplication cancels replications that would take
// hours, on the straight way and on the event queue.
func TestInterruptedInALongReplication(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{
		"--limiter gcra:rate=2/s,burst=20 --workload poisson:rate=1000/s",
		"--limiter gcra:rate=2/s,burst=20 --workload poisson:rate=1000/s --coordination central --rtt 2ms",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		status, out, errOut := ratelabIn(ctx, "", strings.Fields("simulate --horizon 1000d --reps 3 "+line)...)
		assert.Equal(t, 1, status, line)
		assert.Empty(t, out, line)
		assert.Equal(t, "ratelab: interrupted after 0 of 3 replications\n", errOut, line)
	}
}

// TestAnInterruptedRunGoesOn stops a run by signals while cells are in flight,
// and lets it go on.
func TestAnInterruptedRunGoesOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes of Windows can not be interrupted by one another")
	}
	const line = "run sliding-counter-error --quick --reps 4 --workers 2"
	whole := t.TempDir()
	status, _, errOut := ratelab(t, "", append(strings.Fields(line), "--out", whole)...)
	require.Equal(t, 0, status, errOut)
	dir := t.TempDir()
	t.Chdir(dir)
	for _, signals := range [][]os.Signal{{os.Interrupt}, {syscall.SIGTERM}, {os.Interrupt, os.Interrupt}} {
		before := stored(t)
		cmd := process(t, "exec ratelab "+line)
		cmd.Dir = dir
		var out, errOut strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errOut
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { return stored(t) >= before+10_000 }, time.Minute, time.Millisecond, "some cells are done")
		for _, s := range signals {
			require.NoError(t, cmd.Process.Signal(s))
			time.Sleep(time.Millisecond)
		}
		require.Error(t, cmd.Wait())
		assert.Equal(t, 1, cmd.ProcessState.ExitCode())
		assert.Empty(t, out.String())
		assert.Regexp(t, `^sliding-counter-error: stopping when the cells in flight have ended; [1-9]\d* of [1-9]\d* are done and kept; Ctrl-C again stops at once
ratelab: interrupted after [1-9]\d* of [1-9]\d* cells of sliding-counter-error; [1-9]\d* are kept in results/sliding-counter-error/cells; go on with: ratelab `+line+`\n$`, errOut.String())
		assert.NoFileExists(t, filepath.Join("results", "sliding-counter-error", "runs.csv"))
	}
	status, out, errOut := ratelab(t, "", strings.Fields(line)...)
	require.Equal(t, 0, status, errOut)
	assert.Regexp(t, `^sliding-counter-error: [1-9]\d* cells \(\d+ run, [1-9]\d* cached\) in `, out)
	for _, file := range []string{"runs.csv", "summary.csv", "claims.csv"} {
		one, err := os.ReadFile(filepath.Join(whole, "sliding-counter-error", file))
		require.NoError(t, err)
		pieces, err := os.ReadFile(filepath.Join("results", "sliding-counter-error", file))
		require.NoError(t, err)
		assert.True(t, string(one) == string(pieces), file)
	}
}

// stored returns how many bytes of cells there are.
func stored(t *testing.T) (bytes int64) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("results", "*", "cells", "*.cells"))
	require.NoError(t, err)
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}
