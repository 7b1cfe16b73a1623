package main

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWorst compares what is printed with golden files, and types the line that
// it gives: the replay admits as many.
func TestWorst(t *testing.T) {
	for _, c := range []struct {
		name, line string
		admitted   int // on replay
	}{
		{"worst", "worst --limiter sliding-counter:limit=10,window=1s", 19},
		{"worst-log", "worst --limiter sliding-log:limit=7,window=1m --tries 2 --out log.csv", 7},
		{"worst-jitter", "worst --limiter fixed-window:limit=4,window=1m,jitter=1m --tries 2 --seed 5", 8},
		{"worst-within", "worst --limiter fixed-window:limit=10,window=1s --within 2ns --tries 2", 20},
		{"worst-spread", "worst --limiter leaky-meter:rate=12/s --tries 2", 12},
		{"worst-deficit", "worst --limiter sliding-counter:limit=10,window=1s --harm deficit --tries 2", 10},
		{"worst-delay", "worst --limiter leaky-queue:rate=3/s,queue=7 --harm delay --tries 2", 8},
		{"worst-dialect", "worst --limiter upstash-sliding:limit=10,window=1s --tries 2", -1},
		{"worst-few", "worst --limiter fixed-window:limit=100,window=1s --requests 50 --span 10s --tries 1", 50},
		{"worst-fills", "worst --limiter token-bucket:rate=7/m,burst=20 --tries 1", 40},
		{"worst-racy", "worst --limiter fixed-window:limit=3,window=1s --servers 3 --coordination central-racy:delay=100ms --tries 1", 27},
		{"worst-fleet", "worst --limiter fixed-window:limit=5,window=1m --servers 3 --tries 2 --out fleet.csv", 30},
		{"worst-central", "worst --limiter sliding-counter:limit=5,window=1s --servers 3 --balancer random --coordination central --rtt 20ms --tries 1 --seed 2", 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			status, out, errOut := ratelab(t, "", strings.Fields(c.line)...)
			golden(t, c.name, "$ ratelab "+c.line+"\n"+out)
			assert.Zero(t, status)
			assert.Empty(t, errOut)

			line := regexp.MustCompile(`(?m)^replay +ratelab (.*)$`).FindStringSubmatch(out)
			require.NotNil(t, line, out)
			status, replayed, errOut := ratelab(t, "", strings.Fields(line[1])...)
			require.Zero(t, status, errOut)
			admitted := strings.Count(replayed, ",true,")
			if strings.HasPrefix(line[1], "simulate") {
				row := regexp.MustCompile(`(?m)^admitted +requests +1 +(\d+)`).FindStringSubmatch(replayed)
				require.NotNil(t, row, replayed)
				var err error
				admitted, err = strconv.Atoi(row[1])
				require.NoError(t, err)
			}
			if c.admitted < 0 { // as many as it says
				row := regexp.MustCompile(`(?m)^found +(\d+) requests`).FindStringSubmatch(out)
				require.NotNil(t, row, out)
				assert.Equal(t, row[1], strconv.Itoa(admitted))
				return
			}
			assert.Equal(t, c.admitted, admitted)
		})
	}
}

func TestWorstFindsTheSameWhateverTheWorkers(t *testing.T) {
	t.Chdir(t.TempDir())
	const line = "worst --limiter sliding-counter:limit=5,window=1s --tries 3 --workers "
	var out, file [2]string
	for i, workers := range []string{"1", "3"} {
		var status int
		status, out[i], _ = ratelab(t, "", strings.Fields(line+workers)...)
		require.Zero(t, status)
		text, err := os.ReadFile("worst.csv")
		require.NoError(t, err)
		file[i] = string(text)
	}
	assert.Equal(t, out[0], out[1])
	assert.Equal(t, file[0], file[1])
	assert.True(t, strings.HasPrefix(file[0], "t,key,cost\n0.9"), file[0])
}

func TestWorstRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	const good = "worst --limiter gcra:rate=1/s,burst=5 "
	for _, c := range []struct{ line, want string }{
		{"worst", `worst needs --limiter SPEC, as in --limiter sliding-counter:limit=10,window=1s; see ratelab list limiters`},
		{"worst now", `worst takes no arguments, got "now"`},
		{"worst --limiter gcraa:rate=1/s", `unknown limiter "gcraa" (did you mean "gcra"?)`},
		{good + "--harm noise", `--harm must be window, deficit or delay, got "noise"`},
		{good + "--harm deficit", `harm deficit compares with a log of the same window, which limiter "gcra:rate=1/s,burst=5" has not`},
		{good + "--harm delay --within 1s", `--within is the length of the intervals of --harm window, not of --harm delay`},
		{good + "--requests 0", `--requests must be > 0, got 0`},
		{good + "--requests 100001", `requests must lie in 1..100000, got 100001`},
		{good + "--tries -1", `tries must lie in 1..10000, got -1`},
		{good + "--span 0s", `--span must be > 0, got 0s`},
		{good + "--span -1s", `span must be > 0 and at most`},
		{good + "--within 2000000000s", `length of the intervals (within) must be > 0 and at most`},
		{good + "--servers 0", `servers must lie in 1..65536, got 0`},
		{good + "--servers 2 --rtt 1ms", `coordination "local" asks no store, so rtt must be 0`},
		{good + "--workers -1", `--workers must be >= 0, got -1`},
		{good + "--seed 9223372036854775808", `--seed must be below 2^63`},
		{good + "--out=", `--out must name a file, got ''`},
		{good + "--out .", `--out must name a file, got the folder .`},
		{good + "--out nowhere/worst.csv", `--out nowhere/worst.csv: there is no folder nowhere`},
		{good + "--servers 2 --out a,b.csv", `--out must have no comma for a fleet, whose replay is trace:file=a,b.csv`},
	} {
		status, out, errOut := ratelab(t, "", strings.Fields(c.line)...)
		assert.Equal(t, 2, status, c.line)
		assert.Empty(t, out, c.line)
		assert.Contains(t, errOut, c.want, c.line)
		assert.Equal(t, 1, strings.Count(errOut, "\n"), errOut)
	}
	assert.Equal(t, map[string]string{".": "folder"}, files(t, "."))
}

func TestWorstOverwritesNothingButArrivals(t *testing.T) {
	t.Chdir(t.TempDir())
	line := strings.Fields("worst --limiter gcra:rate=1/s,burst=5 --tries 1 --out mine.txt")
	for _, theirs := range []string{"my notes, which are long enough", "t"} {
		require.NoError(t, os.WriteFile("mine.txt", []byte(theirs), 0o600))
		status, out, errOut := ratelab(t, "", line...)
		assert.Equal(t, 2, status)
		assert.Empty(t, out)
		assert.Equal(t, "ratelab: --out mine.txt exists, and holds no arrivals; give another name, or --force\n", errOut)
		assert.Equal(t, map[string]string{".": "folder", "mine.txt": theirs}, files(t, "."))
	}
	for _, more := range []string{"--force", "--seed=2"} { // by force, then arrivals over arrivals
		status, _, errOut := ratelab(t, "", append(line, more)...)
		require.Zero(t, status, errOut)
	}
	require.NoError(t, os.WriteFile("mine.txt", nil, 0o600))
	status, _, errOut := ratelab(t, "", line...)
	require.Zero(t, status, errOut)
}

func TestAnInterruptedWorstLeavesWhatWasThere(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("worst.csv", []byte("as it was"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	status, out, errOut := ratelabIn(ctx, "", strings.Fields("worst --limiter sliding-counter:limit=500,window=1s --tries 10000 --force")...)
	assert.Equal(t, 1, status)
	assert.Empty(t, out)
	assert.Regexp(t, `^ratelab: interrupted after \d+ of 10000 climbs\n$`, errOut)
	assert.Equal(t, map[string]string{".": "folder", "worst.csv": "as it was"}, files(t, "."))
}

func TestWorstOnAFullDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	var errOut strings.Builder
	status := execute(t.Context(), strings.Fields("worst --limiter gcra:rate=1/s,burst=5 --tries 1"), strings.NewReader(""), full{}, &errOut)
	assert.Equal(t, 1, status)
	assert.Equal(t, "ratelab: the disk is full\n", errOut.String())
}
