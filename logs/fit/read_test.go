package fit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/logs"
)

// limited is a log behind a limit: a client that is refused and comes back, and an address with many user agents.
func limited() string {
	var b strings.Builder
	line := func(ip string, at int, path string, status int, agent string) {
		fmt.Fprintf(&b, "%s - - [01/Jan/2026:00:%02d:%02d +0000] \"GET %s HTTP/1.1\" %d 10 \"-\" \"%s\"\n", ip, at/60, at%60, path, status, agent)
	}
	for i := range 12 {
		line("10.0.0.1", i, "/a", 200, fmt.Sprintf("agent %d", i%ManyAgents))
	}
	line("10.0.0.2", 20, "/a", 200, "curl")
	line("10.0.0.2", 21, "/b", 429, "curl")
	line("10.0.0.2", 22, "/a", 200, "curl")
	line("10.0.0.2", 23, "/b", 503, "curl")
	line("10.0.0.2", 24, "/b", 200, "curl")
	line("10.0.0.2", 30, "/b", 200, "curl")
	return b.String()
}

func readText(t *testing.T, text string) *Input {
	t.Helper()
	in, err := Read([]string{"-"}, logs.Options{Stdin: strings.NewReader(text)}, time.Minute)
	require.NoError(t, err)
	return in
}

func readFile(t *testing.T, text string) *Input {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.log")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	in, err := Read([]string{path}, logs.Options{}, time.Minute)
	require.NoError(t, err)
	return in
}

func TestRefusalsRetriesAndAgentsAreRead(t *testing.T) {
	for name, in := range map[string]*Input{"standard input": readText(t, limited()), "a file": readFile(t, limited())} {
		assert.Equal(t, 18, in.Traffic.Len(), name)
		assert.Equal(t, 2, in.Refused, name)
		assert.Equal(t, 2, in.Retries, name)
		assert.True(t, in.RetriesByPath, name)
		assert.Equal(t, []int{12 + 3, 12 + 4}, where(in.Retried), name)
		assert.Equal(t, ManyAgents, in.Log.Agents(0), name)
		assert.Equal(t, 1, in.Log.Agents(1), name)
	}
}

func where(marks []bool) (at []int) {
	for i, m := range marks {
		if m {
			at = append(at, i)
		}
	}
	return at
}

func TestALogWithoutPathsOrAgentsIsRead(t *testing.T) {
	const csv = "t,key,status\n0,a,429\n5,a,200\n6,b,200\n"
	for name, in := range map[string]*Input{"standard input": readText(t, csv), "a file": readFile(t, csv)} {
		assert.Equal(t, 3, in.Traffic.Len(), name)
		assert.Equal(t, 1, in.Refused, name)
		assert.Equal(t, []int{1}, where(in.Retried), name)
		assert.False(t, in.RetriesByPath, name)
		assert.Zero(t, in.Log.Agents(0), name)
	}
	common := strings.ReplaceAll(limited(), ` "-" "curl"`, "")
	common = strings.Join(strings.Split(common, "\n")[12:], "\n")
	for name, in := range map[string]*Input{"standard input": readText(t, common), "a file": readFile(t, common)} {
		assert.EqualValues(t, "common", in.Log.Files[0].Format, name)
		assert.Equal(t, 2, in.Retries, name)
		assert.True(t, in.RetriesByPath, name)
		assert.Zero(t, in.Log.Agents(0), name)
	}
}

func TestALongLogOnStandardInputIsReadOnce(t *testing.T) {
	var b strings.Builder
	b.WriteString("t,key\n")
	for i := range 300_000 {
		fmt.Fprintf(&b, "%d,k%d\n", i, i%7)
	}
	in := readText(t, b.String())
	assert.Equal(t, 300_000, in.Traffic.Len())
	assert.Equal(t, 7, in.Traffic.Arrivals(nil).Keys())
}

func TestAPipeIsReadOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no names of open pipes")
	}
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _ = r.Close() }()
	_, err = w.WriteString(limited())
	require.NoError(t, err)
	require.NoError(t, w.Close())
	in, err := Read([]string{fmt.Sprintf("/dev/fd/%d", r.Fd())}, logs.Options{}, time.Minute)
	require.NoError(t, err)
	assert.Equal(t, 18, in.Traffic.Len())
	assert.Equal(t, 2, in.Retries)
}

func TestFaultsOfTheInputAreTold(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "standard input: is empty; want a log",
		"t,key\n":                              "standard input: holds no request",
		"t\nx\ny\n1\n":                         "2 of 3 lines do not parse",
		"t,cost\n0,4611686018427387904\n1,1\n": "the costs add up to more than 2^62",
	} {
		_, err := Read([]string{"-"}, logs.Options{Stdin: strings.NewReader(text)}, time.Minute)
		var fault *logs.InputError
		require.ErrorAs(t, err, &fault, text)
		assert.ErrorContains(t, err, want)
	}
	_, err := Read([]string{"nowhere.log"}, logs.Options{}, time.Minute)
	assert.ErrorContains(t, err, "nowhere.log")
}

func report(t *testing.T, text string, opts Options) *Report {
	t.Helper()
	in := readText(t, text)
	if opts.Shares == nil {
		opts.Shares = shares(t, "0.99,1")
	}
	r := NewReport(in, opts)
	r.Within = time.Minute
	return r
}

func TestEveryFormatOfAReportIsAsItWas(t *testing.T) {
	for name, text := range map[string]string{
		"limited": limited(),
		"one":     "t\n5.25\n",
		"instant": "t,key\n5.5,a\n5.5,a\n5.5,b\n",
		"costs":   "t,key,cost\n0.5,a,3\n1,a,40\n1.5,b,2\n90,a,3\n",
	} {
		opts := Options{Grain: -1, Seed: 1}
		if name == "limited" {
			opts.Rates = rates(t, "1/m", "30/m", "2/s")
		}
		r := report(t, text, opts)
		for kind, write := range map[string]func(*bytes.Buffer) error{
			"table": func(b *bytes.Buffer) error { return r.WriteTable(b) },
			"csv":   func(b *bytes.Buffer) error { return r.WriteCSV(b) },
			"json":  func(b *bytes.Buffer) error { return r.WriteJSON(b) },
		} {
			var out bytes.Buffer
			require.NoError(t, write(&out))
			golden(t, name+"."+kind+".golden", out.Bytes())
		}
	}
}

func TestTheAnalysisWithoutRetriesLeavesThemOut(t *testing.T) {
	r := report(t, limited(), Options{Grain: 0})
	require.NotNil(t, r.WithoutRetries)
	assert.Equal(t, 18, r.Raw.Requests)
	assert.Equal(t, 16, r.WithoutRetries.Requests)
	assert.Equal(t, r.Raw.Frontier.Rates, r.WithoutRetries.Frontier.Rates)
	assert.Nil(t, report(t, "t\n0\n1\n", Options{}).WithoutRetries)
}

func TestAPageHoldsFiguresAndTables(t *testing.T) {
	for name, text := range map[string]string{"limited": limited(), "one": "t\n5.25\n", "costs": "t,key,cost\n0,a,3\n1,a,40\n90,a,3\n"} {
		var out bytes.Buffer
		r := report(t, text, Options{Grain: -1, Rates: rates(t, "30/m", "5/s"), Shares: shares(t, "0.5,1")})
		require.NoError(t, r.WritePage(&out), name)
		wants := []string{"<svg", "Bursts at every rate"}
		if name == "limited" {
			wants = append(wants, "Without retries", `id="all-refusals"`, `id="new-frontier"`, "10 user agents")
		}
		for _, want := range wants {
			assert.True(t, bytes.Contains(out.Bytes(), []byte(want)), "%s: %s", name, want)
		}
	}
}

func TestAnonymousReportsHoldNoKey(t *testing.T) {
	text := limited() + "10.0.0.1 is no line of a log\n"
	for salt, same := range map[string]bool{"": false, "pepper": true} {
		var first, second bytes.Buffer
		for _, out := range []*bytes.Buffer{&first, &second} {
			r := report(t, text, Options{Grain: -1, Rates: rates(t, "30/m"), Shares: shares(t, "0.5"), Misfits: 5})
			r.Names = Anonymous(salt)
			require.NoError(t, r.WriteTable(out))
			require.NoError(t, r.WriteCSV(out))
			require.NoError(t, r.WriteJSON(out))
			require.NoError(t, r.WritePage(out))
		}
		assert.False(t, strings.Contains(first.String(), "10.0.0."))
		assert.Equal(t, 12, strings.Count(first.String(), "key-"), "two keys, with retries and without, in table, JSON and page")
		assert.Equal(t, same, first.String() == second.String(), salt)
	}
	assert.NotEqual(t, Anonymous("a")("10.0.0.1"), Anonymous("b")("10.0.0.1"))
}

func TestWarningsSayWhatTheLogCanNot(t *testing.T) {
	r := report(t, limited(), Options{Grain: -1})
	says := func(r *Report) string { return strings.Join(r.Warnings(), "\n") }
	assert.Contains(t, says(r), "requests answered 429 or 503: 2.")
	assert.Contains(t, says(r), "times are whole seconds")
	assert.Contains(t, says(r), "nginx when it was complete")
	assert.Contains(t, says(r), "bursts are off by at most rate × D")
	assert.NotContains(t, says(r), "the order and the gaps within", "the interval says it")
	assert.Contains(t, says(report(t, "t\n0.5\n1\n", Options{Grain: second / 10})), "times are cut to 100ms: bursts")
	assert.Contains(t, says(report(t, "t\n0.5\n1\n", Options{Grain: second / 10})), "what happens within 100ms can")
	r.Input.Log.Files[0].Stamp = logs.StampStart
	assert.NotContains(t, says(r), "rate × D")
	assert.Empty(t, report(t, "t\n0.5\n1\n1.5\n2.25\n", Options{Grain: -1, Rates: rates(t, "10/s")}).Warnings())
}

// A request that took at most D arrived at most D before it was answered: bursts differ by at most rate × D.
func TestTheEffectOfStampsAtTheEndIsBounded(t *testing.T) {
	const longest = 3 * second
	var start, end []request
	for i := range int64(200) {
		at := i * i % 97 * second / 2
		start = append(start, request{0, at, 1})
		end = append(end, request{0, at + i*7919*1e6%longest, 1})
	}
	for _, rate := range rates(t, "1/s", "2/s") {
		a, b := arrivalsOf(t, start).Bursts(rate.Rate)[0], arrivalsOf(t, end).Bursts(rate.Rate)[0]
		assert.InDelta(t, a, b, 3*rate.PerSecond()+1)
		assert.NotEqual(t, a, b)
	}
}

// nginx writes when a request was complete, cut to the second, and how long it took.
func TestAStampLessWhatARequestTookStillStandsForASecond(t *testing.T) {
	var b strings.Builder
	for i, took := range []string{"0.250", "0.750", "0.500", "1.000", "0.001"} {
		fmt.Fprintf(&b, "10.0.0.1 [17/May/2026:10:05:%02d +0000] %s\n", 10+i, took)
	}
	in, err := Read([]string{"-"}, logs.Options{LogFormat: "$remote_addr [$time_local] $request_time", Stdin: strings.NewReader(b.String())}, time.Minute)
	require.NoError(t, err)
	r := NewReport(in, Options{Rates: rates(t, "1/s"), Shares: shares(t, "1"), Grain: -1})
	assert.EqualValues(t, second, r.Raw.Grain)
	p := r.Raw.Frontier.Points[0]
	assert.Equal(t, [3]int64{2, 1, 3}, [3]int64{p.Burst, p.Low, p.High})
	assert.Contains(t, strings.Join(r.Warnings(), "\n"), "times are whole seconds")
	for _, exact := range []string{"t,took\n5,0.25\n6.5,0.25\n", "t,took\n5.000001,0\n"} {
		assert.Zero(t, report(t, exact, Options{Grain: -1}).Raw.Grain, exact)
	}
}
