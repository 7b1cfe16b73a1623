//go:build linux

// Package slurm_test runs an experiment as a job array on a Slurm of one node
// on loopback, kills a task of it, and holds what comes out to the bytes of a
// run without Slurm.
package slurm_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	experiment = "sliding-counter-error"
	shards     = 8
)

// flags make every shard work for seconds: one is to be killed at it.
var flags = []string{"--quick", "--reps", "40"}

func TestAJobArrayGivesTheBytesOfOneMachine(t *testing.T) {
	if testing.Short() {
		t.Skip("starts daemons and simulates for half a minute")
	}
	for _, program := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%v; .ci/run installs it", err)
			}
			t.Skipf("%v; Debian has it in munge, slurmctld, slurmd and slurm-client", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	lab := laboratory{ctx: ctx, dir: shortTempDir(t)}
	lab.binary = filepath.Join(lab.dir, "ratelab")
	lab.must(t, "go", "build", "-ldflags", "-X main.program=slurm-test", "-o", lab.binary, "../cmd/ratelab")
	alone, array := filepath.Join(lab.dir, "alone"), filepath.Join(lab.dir, "array")

	lab.up(t)
	first := lab.submit(t, array)
	lab.killARunningTask(t, first.array, filepath.Join(array, experiment, "cells"))
	lab.awaitEnd(t, first)
	assert.NoFileExists(t, filepath.Join(array, experiment, "runs.csv"), "nothing is merged before every shard has succeeded")
	lab.mergeRefusesTheHole(t, array)

	lab.awaitEnd(t, lab.submit(t, array))
	lab.must(t, lab.binary, append([]string{"run", experiment, "--out", alone}, flags...)...)
	for _, file := range []string{"runs.csv", "summary.csv", "claims.csv"} {
		want := read(t, filepath.Join(alone, experiment, file))
		got := read(t, filepath.Join(array, experiment, file))
		assert.True(t, bytes.Equal(want, got), "%s differs between the array and one machine\n%s", file, lab.logs(array))
	}
}

// laboratory is a Slurm on loopback with its state in a folder.
type laboratory struct {
	ctx         context.Context
	dir, binary string
	env         []string
}

type submission struct{ array, merge string }

// up starts the daemons; they stop with the test.
func (l *laboratory) up(t *testing.T) {
	t.Helper()
	state := filepath.Join(l.dir, "slurm")
	l.env = append(os.Environ(), "DIR="+state, "PORT="+freePorts(t), "SLURM_CONF="+filepath.Join(state, "slurm.conf"),
		"RATELAB="+l.binary, "RATELAB_FLAGS="+strings.Join(flags, " "))
	t.Cleanup(func() {
		down := exec.Command("testdata/down.sh")
		down.Env = l.env
		assert.NoError(t, down.Run())
	})
	l.must(t, "testdata/up.sh")
}

// submit submits the array and the merge after it.
func (l *laboratory) submit(t *testing.T, out string) submission {
	t.Helper()
	said := l.must(t, "./submit.sh", experiment, out, strconv.Itoa(shards))
	ids := regexp.MustCompile(`^array=(\d+) merge=(\d+)\n$`).FindStringSubmatch(said)
	require.NotNil(t, ids, said)
	return submission{ids[1], ids[2]}
}

// killARunningTask kills a task that has stored cells and has not ended, as
// an operating system short of memory would.
func (l *laboratory) killARunningTask(t *testing.T, array, cells string) {
	t.Helper()
	l.await(t, "task at work", func() bool { return sizeOf(cells) > 0 })
	task, pid := l.running(t)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	var info string
	l.await(t, "end of task "+task, func() bool {
		info = l.must(t, "scontrol", "show", "job", array+"_"+task)
		return strings.Contains(info, "JobState=FAILED") || strings.Contains(info, "JobState=COMPLETED")
	})
	require.Contains(t, info, "JobState=FAILED", "it was killed before it had ended")
}

// running finds a task that is being run, and its process.
func (l *laboratory) running(t *testing.T) (task string, pid int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, file := range lines {
		line, err := os.ReadFile(file)
		args := strings.Split(string(line), "\x00")
		if at := slices.Index(args, "--shard"); err == nil && args[0] == l.binary && at > 0 {
			task, _, _ := strings.Cut(args[at+1], "/")
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			require.NoError(t, err)
			return task, pid
		}
	}
	t.Fatal("no task is being run: the experiment is too short")
	return "", 0
}

// awaitEnd waits until neither the array nor its merge is in the queue.
func (l *laboratory) awaitEnd(t *testing.T, s submission) {
	t.Helper()
	l.await(t, "the end of jobs "+s.array+" and "+s.merge, func() bool {
		queued := l.must(t, "squeue", "--noheader", "--states=PENDING,RUNNING,COMPLETING,SUSPENDED", "--format=%A")
		return strings.TrimSpace(queued) == ""
	})
}

// mergeRefusesTheHole checks that merge names what the killed task left out.
func (l *laboratory) mergeRefusesTheHole(t *testing.T, out string) {
	t.Helper()
	said, err := l.output(l.binary, "merge", experiment, "--out", out)
	assert.Error(t, err, said)
	assert.Regexp(t, `missing`, said)
	assert.Contains(t, said, "--shard ")
}

func (l *laboratory) await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for !happened() {
		select {
		case <-l.ctx.Done():
			t.Fatalf("no %s in time\n%s\n%s", what, l.must(t, "squeue"), l.logs(filepath.Join(l.dir, "array")))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (l *laboratory) output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = l.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (l *laboratory) must(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := l.output(name, args...)
	require.NoError(t, err, "%s %s\n%s", name, strings.Join(args, " "), out)
	return out
}

// logs returns what the jobs wrote.
func (l *laboratory) logs(out string) string {
	var text strings.Builder
	files, _ := filepath.Glob(filepath.Join(out, "log", "*.out"))
	for _, file := range files {
		content, err := os.ReadFile(file)
		fmt.Fprintf(&text, "%s: %s%v\n", filepath.Base(file), content, err)
	}
	return text.String()
}

// shortTempDir is a folder whose path leaves room for a socket's name.
func shortTempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "slurm")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// freePorts returns the first of two neighbouring ports that nobody listens on.
func freePorts(t *testing.T) string {
	t.Helper()
	for port := 16817; port < 17817; port += 2 {
		free := true
		for _, p := range []int{port, port + 1} {
			listener, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(p))
			if err != nil {
				free = false
				continue
			}
			require.NoError(t, listener.Close())
		}
		if free {
			return strconv.Itoa(port)
		}
	}
	t.Fatal("no free port on loopback")
	return ""
}

// sizeOf adds up the files of a folder.
func sizeOf(dir string) (size int64) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !e.IsDir() {
			size += info.Size()
		}
	}
	return size
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return text
}
