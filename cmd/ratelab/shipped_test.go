package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/logs"
)

// TestShopLog makes the other log that comes with the program again, by the
// line in the README beside it.
func TestShopLog(t *testing.T) {
	dir := filepath.Join(root, "logs", "testdata")
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "\n    ratelab arrivals '")
	require.True(t, found)
	workload, rest, found := strings.Cut(rest, "' ")
	require.True(t, found)
	flags, _, _ := strings.Cut(rest, "\n")
	status, out, errOut := ratelab(t, "", append([]string{"arrivals", workload}, strings.Fields(flags)...)...)
	require.Equal(t, 0, status, errOut)
	want, ok := logs.ShippedText("shop")
	require.True(t, ok)
	assert.True(t, want == out, "%s %s gives other bytes than shop.csv has", workload, flags)
}

func TestTraceReplayFindsItsLogsWhereverItRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	line := []string{"run", "trace-replay", "--quick", "--set", "limit=20", "--set", "limiter=gcra", "--where", "part = 'replay' && cost = 'one'"}
	status, _, errOut := ratelab(t, "", append(line, "--set", "log=tour")...)
	require.Equal(t, 0, status, errOut)

	require.NoError(t, os.WriteFile("mine.csv", []byte("t,key\n1,a\n2,a\n"), 0o600))
	status, out, errOut := ratelab(t, "", append(line, "--set", "log=./mine.csv", "--cell", "part=replay,log=./mine.csv,limiter=gcra,limit=20,servers=1,cost=one,rep=0")...)
	require.Equal(t, 0, status, errOut)
	assert.Contains(t, out, "refused")
}

func TestTraceReplayRefusesALogThatIsNotThereBeforeAnyCellRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	status, out, errOut := ratelab(t, "", "run", "trace-replay", "--set", "log=access.log")
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	assert.Contains(t, errOut, `factor "log": value "access.log": access.log: no such file or directory; name a file, or a log that comes with the program: tour, shop`)
	assert.NoDirExists(t, "results")
}
