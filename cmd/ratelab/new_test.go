package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One of each kind is begun, and laid over this checkout: the whole is vetted,
// tested, listed, simulated, swept and drawn. Nothing else is edited.
func TestNewPartsAreWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program anew")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module ratelab\n"), 0o600))
	replace := map[string]string{}
	for _, s := range scaffolds {
		require.NoError(t, os.Mkdir(filepath.Join(dir, s.folder), 0o755))
		status, out, errOut := ratelab(t, "", "new", s.kind, "odd-one", "--dir", dir)
		require.Equal(t, 0, status, errOut)
		for _, name := range []string{"odd_one.go", "odd_one_test.go"} {
			path := filepath.Join(dir, s.folder, name)
			assert.Contains(t, out, path+"\n")
			replace[filepath.Join(root, s.folder, name)] = path
		}
		assert.Contains(t, out, "\nNext: ")
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	overlay := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, text, 0o600))
	command := func(in, name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = in
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s %s\n%s", name, strings.Join(args, " "), out)
		return string(out)
	}
	for folder, tests := range map[string]string{ // which go test vets too
		"./workloads": "OddOne|(Ordered|Reproducible|Shift|MeanRate|Vary|Laws|Gaps|Allocates|ReadBack|Refused)/odd-one", "./limiters": "OddOne|Conformance/odd-one", "./clients": "OddOne", "./experiments": "OddOne",
	} {
		command(root, "go", "test", "-overlay", overlay, "-vet=all", folder, "-run", tests)
	}
	program := filepath.Join(dir, "ratelab.test")
	command(root, "go", "build", "-overlay", overlay, "-o", program, "./cmd/ratelab")
	odd := func(args ...string) string { return command(dir, program, args...) }
	assert.Equal(t, 4, strings.Count(odd("list"), "\nodd-one "))
	assert.Contains(t, odd("simulate", "--limiter", "odd-one:limit=20,window=1s", "--workload", "odd-one:rate=30/s", "--horizon", "1m", "--reps", "2"), "admitted")
	odd("run", "odd-one", "--quick", "--out", "swept", "--set", "workload=odd-one:rate=3/s ; odd-one:rate=6/s ; poisson:rate=4/s",
		"--set", "limiter=odd-one:limit=2,window=1s ; token-bucket:rate=2/s,burst=2")
	odd("plot", "odd-one", "--out", "swept")
	assert.FileExists(t, filepath.Join(dir, "swept", "odd-one", "odd-one-admitted.svg"))
	figure, err := os.ReadFile(filepath.Join(dir, "swept", "odd-one", "odd-one-admitted.svg"))
	require.NoError(t, err)
	assert.Contains(t, string(figure), "<title>What 2 limiters admit of their rate", "they are not mixed")
	assert.Contains(t, odd("run", "odd-one", "--quick", "--out", "own"), "claims: 4 hold")
	sentences, err := os.ReadFile(filepath.Join(dir, "own", "odd-one", "findings.txt"))
	require.NoError(t, err)
	assert.Equal(t, "At most 1 of the rate is admitted by token-bucket:rate=2/s,burst=20, under steady:rate=4/s.\n", string(sentences))

	// The file of a workload is tried wherever it lies.
	status, tried, errOut := ratelab(t, "", "try", filepath.Join(dir, "workloads", "odd_one.go"), "--dir", root)
	require.Equal(t, 0, status, errOut)
	assert.True(t, strings.HasPrefix(tried, "odd-one:rate=100/s\n"), tried)
	assert.Contains(t, tried, "\ntoken-bucket ")
	assert.NoFileExists(t, filepath.Join(root, "workloads", "odd_one.go"))
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
