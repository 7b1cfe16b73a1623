package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// copyOfCheckout copies the Go files, what they embed and what their tests
// read, into a folder of its own.
func copyOfCheckout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", "bin", "results", "results-quick", "peers", "slurm"}, name) {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(dir, name), 0o755)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), content, 0o600)
	}))
	return dir
}

// goIn runs the go tool in a checkout.
func goIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "go %s\n%s", strings.Join(args, " "), out)
	return string(out)
}

// One of each kind is begun in a copy of the checkout, vetted, tested, listed,
// simulated, swept and drawn; nothing else is edited.
func TestNewPartsAreWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program anew")
	}
	dir := copyOfCheckout(t)
	for _, s := range scaffolds {
		status, out, errOut := ratelab(t, "", "new", s.kind, "odd-one", "--dir", dir)
		require.Equal(t, 0, status, errOut)
		assert.Contains(t, out, filepath.Join(dir, s.folder, "odd_one.go")+"\n"+filepath.Join(dir, s.folder, "odd_one_test.go")+"\nNext: ")
	}
	goIn(t, dir, "vet", "./workloads", "./limiters", "./clients", "./experiments")
	for folder, tests := range map[string]string{
		"./workloads": "OddOne|Arrivals|Law|Counts|Gaps/odd-one", "./limiters": "OddOne|Conformance/odd-one", "./clients": "OddOne", "./experiments": "OddOne",
	} {
		goIn(t, dir, "test", folder, "-run", tests)
	}
	goIn(t, dir, "build", "-o", "ratelab.test", "./cmd/ratelab")
	odd := func(args ...string) string {
		cmd := exec.Command(filepath.Join(dir, "ratelab.test"), args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", strings.Join(args, " "), out)
		return string(out)
	}
	assert.Equal(t, 4, strings.Count(odd("list"), "\nodd-one "))
	assert.Contains(t, odd("simulate", "--limiter", "odd-one:limit=20,window=1s", "--workload", "odd-one:rate=30/s", "--horizon", "1m", "--reps", "2"), "admitted")
	odd("run", "odd-one", "--quick", "--out", "swept", "--set", "workload=odd-one:rate=3/s ; odd-one:rate=6/s ; poisson:rate=4/s",
		"--set", "limiter=odd-one:limit=2,window=1s ; token-bucket:rate=2/s,burst=2")
	odd("plot", "odd-one", "--out", "swept")
	assert.FileExists(t, filepath.Join(dir, "swept", "odd-one", "odd-one-admitted.svg"))
	assert.Contains(t, odd("run", "odd-one", "--quick", "--out", "own"), "claims: 4 hold")

	// The file of a workload is tried wherever it lies, under another name too.
	text, err := os.ReadFile(filepath.Join(dir, "workloads", "odd_one.go"))
	require.NoError(t, err)
	away := filepath.Join(t.TempDir(), "odd_two.go")
	require.NoError(t, os.WriteFile(away, []byte(strings.NewReplacer("odd-one", "odd-two", "oddOne", "oddTwo").Replace(string(text))), 0o600))
	tried := odd("try", away)
	assert.Contains(t, tried, "odd-two:rate=100/s\n")
	assert.Contains(t, tried, "\nodd-one ", "a limiter of this checkout")
	assert.NoFileExists(t, filepath.Join(dir, "workloads", "odd_two.go"))
}

func TestNewOverwritesNothing(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module ratelab\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "workloads"), 0o755))
	theirs := filepath.Join(dir, "workloads", "odd_one_test.go")
	require.NoError(t, os.WriteFile(theirs, []byte("mine"), 0o600))
	status, out, errOut := ratelab(t, "", "new", "workload", "odd-one", "--dir", dir)
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	assert.Equal(t, "ratelab: "+theirs+" exists; nothing was written\n", errOut)
	assert.NoFileExists(t, filepath.Join(dir, "workloads", "odd_one.go"))
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	empty := t.TempDir()
	for line, want := range map[string]string{
		"new":                                        `new takes one of workload, limiter, client, experiment and a name, got ""`,
		"new workloads x":                            `got "workloads x" (did you mean "workload"?)`,
		"new workload Evening":                       `a name is lower-case words of letters and digits, joined by dashes, 40 bytes at most, got "Evening"`,
		"new workload a-test":                        `a name can not end in "test", by which Go would leave the file out of a build`,
		"new client retry-linux":                     `a name can not end in "linux"`,
		"new workload poisson":                       `there is a workload "poisson" already; see ratelab show workload/poisson`,
		"new workload x --dir DIR":                   `DIR is no checkout of ratelab: it has no go.mod that begins with "module ratelab"; clone it, or name it with --dir`,
		"try":                                        `try takes the Go file of a workload, or a spec, got 0 arguments`,
		"try poison:rate=1/s":                        `unknown workload "poison" (did you mean "poisson"?)`,
		"try DIR/x.go --dir DIR":                     `DIR is no checkout of ratelab`,
		"try DIR/absent.go --dir R":                  `absent.go`,
		"try R/go.go --dir R":                        `go.go`,
		"try R/cmd/ratelab/main.go --dir R":          `main.go: a workload is in package workloads, got main`,
		"try R/workloads/workload.go --dir R":        `workload.go registers no example; write Examples: []string{"name:rate=100/s"}`,
		"try clip:(steady:rate=1/s),from=1ms,to=2ms": `nothing arrives, so there is nothing to limit`,
	} {
		args := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(line, "DIR", empty), "R/", root+"/"))
		for i := range args {
			if args[i] == "R" {
				args[i] = root
			}
		}
		status, _, errOut := ratelab(t, "", args...)
		assert.Equal(t, 2, status, line)
		assert.Contains(t, errOut, strings.ReplaceAll(want, "DIR", empty), line)
	}
}

func TestTrySpecs(t *testing.T) {
	status, out, errOut := ratelab(t, "", "try", "on-off:rate=20/s,on=1s,off=4s")
	require.Equal(t, 0, status, errOut)
	golden(t, "try-on-off", out)
}
