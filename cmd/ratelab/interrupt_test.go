package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
