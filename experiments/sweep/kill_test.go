package sweep

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// childFolder, if it is set, makes this test program sweep long into that folder.
const childFolder = "SWEEP_TEST_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		if err := sweepInto(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// long is a plan of many short cells.
func long() *Plan {
	p := noisy()
	p.Reps = 100
	return p
}

// sweepInto does what a command does: it runs what is missing, prints how many cells are done after each, and leaves the
// tables in a folder.
func sweepInto(dir string) error {
	s, err := OpenStore(filepath.Join(dir, "cells"), long(), origin)
	if err != nil {
		return err
	}
	r, err := Execute(context.Background(), long(), Options{Workers: 2, Store: s, Progress: func(now Progress) { fmt.Println(now.Done) }})
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	release := s.Lock()
	defer release()
	if err := r.Write(dir, Manifest{Program: origin.Program}); err != nil {
		return err
	}
	return s.Compact()
}

func child(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childFolder+"="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

func writtenIn(t *testing.T, dir string) string {
	t.Helper()
	runs, err := os.ReadFile(filepath.Join(dir, RunsFile))
	require.NoError(t, err)
	summary, err := os.ReadFile(filepath.Join(dir, SummaryFile))
	require.NoError(t, err)
	return string(runs) + string(summary)
}

// quickly returns the tables of long, made without a store.
func quickly(t *testing.T) string {
	t.Helper()
	r, err := Execute(t.Context(), long(), Options{Workers: 100})
	require.NoError(t, err)
	return tablesOf(t, r)
}

// TestKilledAtAnyMoment kills a process that sweeps twenty times, at random moments, and lets the last one end.
func TestKilledAtAnyMoment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("another way to die")
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	stored := 0
	for range 20 {
		cmd := child(t, dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		after := stored + random.IntN(60) - 15 // cells; now and then before it has begun
		said := 0                              // cells that it said were done
		kill := func() {
			time.Sleep(time.Duration(random.Int64N(int64(4 * time.Millisecond))))
			_ = cmd.Process.Kill()
			after = math.MaxInt
		}
		if after < stored {
			kill()
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if n, err := strconv.Atoi(strings.TrimSpace(lines.Text())); err == nil {
				said = n
			}
			if said >= after {
				kill()
			}
		}
		_ = cmd.Wait()
		s := open(t, filepath.Join(dir, "cells"), long(), origin)
		assert.GreaterOrEqual(t, s.Cells(), max(said, stored), "no cell that was done is lost")
		assert.LessOrEqual(t, s.Cells(), max(said, stored)+2, "only those in flight may be more")
		assert.Empty(t, s.Damage())
		stored = s.Cells()
	}
	assert.Positive(t, stored)
	t.Logf("%d of %d cells were done after 20 kills", stored, 800)
	require.NoError(t, child(t, dir).Run())
	assert.Equal(t, quickly(t), writtenIn(t, dir))
	assert.Len(t, segmentsIn(t, filepath.Join(dir, "cells")), 1, "the pieces are joined")
}

func TestTwoProcessesAtOnce(t *testing.T) {
	dir := t.TempDir()
	one, two := child(t, dir), child(t, dir)
	require.NoError(t, one.Start())
	require.NoError(t, two.Start())
	assert.NoError(t, one.Wait())
	assert.NoError(t, two.Wait())
	assert.Equal(t, quickly(t), writtenIn(t, dir))
	s := open(t, filepath.Join(dir, "cells"), long(), origin)
	assert.Empty(t, s.Damage())
	assert.Equal(t, 800, s.Cells())
	m, err := ReadManifest(dir)
	require.NoError(t, err)
	assert.Equal(t, "", m.spoilt(dir))
}
