package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mangled is a log whose times lost their minutes.
func mangled() string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "10.0.0.%d - - [%02d/Jan/2026:%02d:05:%02d +0000] \"GET / HTTP/1.1\" 200 1\n", i%7, 1+i/200, i/10%20, i*37%60)
	}
	return b.String()
}

func TestFitRefusesALogThatLostItsMinutesUnlessForced(t *testing.T) {
	status, out, errOut := ratelab(t, mangled(), "fit", "-")
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	assert.Equal(t, "ratelab: standard input: unfit for rates: 99 % of its 400 requests, from 40 different hours, lie in 1 minute of the hour from minute 05 on: no traffic does that; its times lost their minutes, or it holds scheduled jobs alone; --force fits it all the same\n", errOut)

	status, out, errOut = ratelab(t, mangled(), "fit", "-", "--force")
	assert.Equal(t, 0, status)
	assert.Contains(t, out, "warning   unfit for rates: ")
	assert.Empty(t, errOut)

	status, out, errOut = ratelab(t, mangled(), "fit", "-", "--force", "--rates", "1/s", "--format", "csv")
	assert.Equal(t, 0, status)
	assert.True(t, strings.HasPrefix(out, "rate,of,quantile,burst\n1/s,keys,0.99,"), out)
	assert.Contains(t, errOut, "warning: unfit for rates: ")
}

func TestFitFindsTheMangledRealLogUnfit(t *testing.T) {
	log := filepath.Join(root, "..", "shared", "traces", "apache_logs.elastic")
	if _, err := os.Stat(log); err != nil {
		t.Skip("the real log is not here")
	}
	status, _, errOut := ratelab(t, "", "fit", log)
	assert.Equal(t, 2, status)
	assert.Contains(t, errOut, "from 84 different hours, lie in 1 minute of the hour from minute 05 on")
}

func TestFitWritesAPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "fit.html")
	tour := filepath.Join(root, "logs", "testdata", "tour.log")
	status, out, errOut := ratelab(t, "", "fit", tour, "--html", page, "--anonymize", "--salt", "x")
	require.Equal(t, 0, status, errOut)
	assert.NotEmpty(t, out)
	first, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(first, []byte("<!DOCTYPE html>")))
	assert.True(t, bytes.Contains(first, []byte("Which limit fits tour.log?")))
	assert.False(t, bytes.Contains(first, []byte("10.0.0.")))

	status, again, _ := ratelab(t, "", "fit", tour, "--html", page, "--anonymize", "--salt", "x")
	require.Equal(t, 0, status)
	second, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, out, again)
	assert.True(t, bytes.Equal(first, second), "the same log gives the same bytes")

	status, _, errOut = ratelab(t, "", "fit", tour, "--html", filepath.Join(t.TempDir(), "nowhere", "fit.html"))
	assert.Equal(t, 1, status)
	assert.Contains(t, errOut, "fit.html")
}

func TestFitWritesFigures(t *testing.T) {
	base := filepath.Join(t.TempDir(), "tour")
	status, _, errOut := ratelab(t, "", "fit", filepath.Join(root, "logs", "testdata", "tour.log"), "--figures", base)
	require.Equal(t, 0, status, errOut)
	for _, name := range []string{"-frontier.svg", "-frontier.pdf", "-frontier.png", "-refusals.svg", "-refusals.pdf", "-refusals.png"} {
		assert.FileExists(t, base+name)
	}
}

func TestFitSaysWhatItTookByItsName(t *testing.T) {
	const csv = "ts,client_ip\n0.5,a\n1.25,b\n"
	const times, keys = `the times are those of the column "ts", by its name; --time names another`, `--key may name another, as "client_ip"`
	status, out, errOut := ratelab(t, csv, "fit", "-", "--rates", "1/s", "--quantiles", "1", "--format", "csv")
	assert.Equal(t, 0, status)
	assert.Equal(t, "rate,of,quantile,burst\n1/s,keys,1,2\n1/s,requests,1,2\n", out)
	assert.Contains(t, errOut, "chosen: "+times+"\n")
	assert.Contains(t, errOut, keys)
	for _, format := range []string{"table", "json"} {
		_, out, _ = ratelab(t, csv, "fit", "-", "--format", format)
		out = strings.ReplaceAll(strings.Join(strings.Fields(out), " "), `\"`, `"`)
		assert.Contains(t, out, times, format)
		assert.Contains(t, out, keys, format)
	}
	_, out, _ = ratelab(t, csv, strings.Fields(replayed)...)
	assert.Contains(t, out, "chosen    "+times)
	assert.Contains(t, out, keys)
	_, out, errOut = ratelab(t, csv, "advise", "-", "--force", "--format", "csv")
	assert.Contains(t, errOut, "chosen: "+times+"\n", out)
	_, out, _ = ratelab(t, csv, "advise", "-", "--force")
	assert.Contains(t, out, "chosen    "+times)
	status, _, errOut = ratelab(t, "date,time\n0,0\n", "fit", "-")
	assert.Equal(t, 2, status)
	assert.Equal(t, "ratelab: standard input: line 1: several columns may hold the times: \"date\", \"time\"; choose one with --time\n", errOut)
}

// TestTheGuideToFitIsRight types the lines of docs/fit.md and compares what they print, messages too.
func TestTheGuideToFitIsRight(t *testing.T) {
	t.Chdir(root)
	guide, err := os.ReadFile(filepath.Join("docs", "fit.md"))
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```console\n\\$ ratelab (.*?)\n(.*?)^```$").FindAllStringSubmatch(string(guide), -1)
	require.Greater(t, len(blocks), 3)
	for _, block := range blocks {
		t.Run(block[1], func(t *testing.T) {
			args := strings.Fields(block[1])
			if _, err := os.Stat(args[1]); err != nil {
				require.True(t, strings.HasPrefix(args[1], "../shared/traces/"), "%s is the project's own, and missing", args[1])
				t.Skipf("%s is not here", args[1])
			}
			_, out, errOut := ratelab(t, "", args...)
			assert.Equal(t, block[2], errOut+out)
		})
	}
}

func TestFitTellsOfACompressedFileThatIsCutOff(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(mangled()))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	log := filepath.Join(t.TempDir(), "a.log.gz")
	require.NoError(t, os.WriteFile(log, packed.Bytes()[:packed.Len()/2], 0o600))
	status, out, errOut := ratelab(t, "", "fit", log)
	assert.Positive(t, status)
	assert.Empty(t, out)
	assert.Contains(t, errOut, "a.log.gz")
}

func TestFitIsTheSameHoweverTheLogComes(t *testing.T) {
	tour := filepath.Join(root, "logs", "testdata", "tour.log")
	text, err := os.ReadFile(tour)
	require.NoError(t, err)
	_, fromFile, _ := ratelab(t, "", "fit", tour, "--format", "csv")
	_, piped, _ := ratelab(t, string(text), "fit", "-", "--format", "csv")
	assert.Equal(t, fromFile, piped)
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	_, reversed, _ := ratelab(t, strings.Join(append(lines, "\n"), ""), "fit", "-", "--format", "csv")
	assert.Equal(t, fromFile, reversed)
}

func TestALogWithOneTimeIsRefusedUnlessForced(t *testing.T) {
	log := "t,key\n" + strings.Repeat("0,a\n", 6721)
	for _, command := range []string{"fit -", "advise -", "advise - --rate 1/s --burst 2"} {
		status, out, errOut := ratelab(t, log, strings.Fields(command)...)
		assert.Equal(t, 2, status)
		assert.Empty(t, out)
		assert.Contains(t, errOut, "unfit for rates: all 6721 requests have one time, 1970-01-01T00:00:00Z; --force ")
		status, out, _ = ratelab(t, log, append(strings.Fields(command), "--force")...)
		assert.Equal(t, 0, status)
		assert.Contains(t, out, "unfit for rates: all 6721 requests have one time")
	}
}

func TestAdviceNeedsAHundredRequestsOrALimit(t *testing.T) {
	var b strings.Builder
	b.WriteString("t,key\n")
	for i := range 99 {
		fmt.Fprintf(&b, "%d.5,a\n", i*i)
	}
	few, many := b.String(), b.String()+"20000,a\n"
	status, out, errOut := ratelab(t, few, "advise", "-")
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	assert.Equal(t, "ratelab: standard input: 99 requests are too few to find a limit in: want 100 or more, of which 1 % is one request; name one to look at with --rate and --burst or --limiter, or --force it\n", errOut)
	for log, command := range map[string]string{
		many: "advise -", few: "advise - --force", few + "100000,b\n": "advise - --rate 1/s --burst 2", few + "100000,c\n": "advise - --limiter gcra:rate=1/s,burst=2",
	} {
		status, out, errOut = ratelab(t, log, strings.Fields(command)...)
		assert.Equal(t, 0, status, errOut)
		assert.Contains(t, out, "advice ")
	}
}

func TestEveryCommandWarnsOfALogBehindALimitOfCopiesAndOfOneKey(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("t,key,client_ip,status\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%d.25,proxy,10.0.0.%d,%d\n", i, i%9, []int{200, 200, 429}[i%3])
	}
	var paths []string
	for _, name := range []string{"a.csv", "b.csv"} {
		paths = append(paths, filepath.Join(dir, name))
		require.NoError(t, os.WriteFile(paths[len(paths)-1], []byte(b.String()), 0o600))
	}
	for _, command := range []string{"fit", "advise", "replay --limiter gcra:rate=1/s,burst=2"} {
		for _, format := range []string{"table", "csv", "json"} {
			args := append(strings.Fields(command), paths...)
			status, out, errOut := ratelab(t, "", append(args, "--format", format)...)
			require.Equal(t, 0, status, errOut)
			said := strings.ReplaceAll(strings.Join(strings.Fields(out+errOut), " "), `\"`, `"`)
			for _, want := range []string{"hold the same 300 requests", `while the log has "client_ip" with several values: choose with --key`, "written behind a limit"} {
				assert.Contains(t, said, want, "%s %s", command, format)
			}
			assert.Equal(t, strings.HasPrefix(command, "replay"), strings.Contains(said, "--observed puts"))
			assert.Equal(t, !strings.HasPrefix(command, "replay"), strings.Contains(said, "The truth lies between the two answers") && strings.Contains(said, "is a lower bound"))
		}
	}
	_, out, _ := ratelab(t, b.String(), "replay", "-", "--limiter", "gcra:rate=1/s,burst=2", "--observed")
	assert.Contains(t, out, "written behind a limit")
	assert.NotContains(t, out, "--observed")
	_, out, _ = ratelab(t, "t,status\n1.5,200\n2,404\n", "replay", "-", "--limiter", "gcra:rate=1/s,burst=2")
	assert.NotContains(t, out, "warning")
}
