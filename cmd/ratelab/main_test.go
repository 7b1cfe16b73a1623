package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// root is the root of the repository.
var root string

// TestMain lets this test program be ratelab itself, for the tests that need
// a process of their own, and checks that no goroutine is left.
func TestMain(m *testing.M) {
	if os.Getenv("RATELAB_TEST_MAIN") != "" {
		main()
	}
	here, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	root = filepath.Dir(filepath.Dir(here))
	goleak.VerifyTestMain(m)
}

// ratelab runs one command line in this process.
func ratelab(t *testing.T, in string, args ...string) (status int, out, errOut string) {
	t.Helper()
	return ratelabIn(t.Context(), in, args...)
}

func ratelabIn(ctx context.Context, in string, args ...string) (status int, out, errOut string) {
	var stdout, stderr bytes.Buffer
	status = execute(ctx, args, strings.NewReader(in), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// process prepares a shell line in which ratelab is on the PATH.
func process(t *testing.T, line string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	bin := t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "ratelab")))
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = append(os.Environ(), "RATELAB_TEST_MAIN=1", "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return cmd
}

// golden compares a text with testdata/NAME.golden, or writes it there.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(root, "cmd", "ratelab", "testdata", name+".golden")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test ./cmd/ratelab -update writes it")
	assert.Equal(t, string(want), got)
}
