package replay

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
	"ratelab/logs"
	"ratelab/logs/decide"
)

var update = flag.Bool("update", false, "write the golden files anew")

// every is one limiter of each kind, tight enough to refuse some of the logs below.
var every = []string{
	"fixed-window:limit=3,window=10s",
	"fixed-window:limit=3,window=10s,origin=first",
	"fixed-window:limit=3,window=10s,jitter=10s",
	"sliding-log:limit=3,window=10s",
	"sliding-log:limit=3,window=10s,count=all",
	"sliding-counter:limit=3,window=10s",
	"sliding-counter:limit=3,window=10s,rule=below,count=all",
	"token-bucket:rate=1/10s,burst=3",
	"token-bucket:rate=3/10s,burst=3,refill=interval",
	"gcra:rate=1/10s,burst=3",
	"leaky-meter:rate=1/s",
	"leaky-queue:rate=1/10s,queue=2",
}

func read(t testing.TB, opts logs.Options, paths ...string) *logs.Log {
	t.Helper()
	log, err := logs.Read(paths, opts)
	require.NoError(t, err)
	return log
}

// fromText reads a CSV that is written in the test.
func fromText(t testing.TB, text string) *logs.Log {
	return read(t, logs.Options{Stdin: strings.NewReader(text)}, "-")
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}

func TestReportsAreAsTheyWere(t *testing.T) {
	t.Chdir("../testdata") // so that reports name files as a user would
	log := read(t, logs.Options{}, "combined.log")
	merged := read(t, logs.Options{}, "combined.log", "common.log", "arrivals.csv")
	t.Chdir("../replay")
	for name, log := range map[string]*logs.Log{"combined": log, "merged": merged} {
		report, err := Run(log, Options{Limiters: []string{"token-bucket:rate=1/m,burst=1", "gcra:rate=100/s,burst=100"}, Seed: 1})
		require.NoError(t, err)
		for _, format := range Formats {
			var out bytes.Buffer
			require.NoError(t, report.Write(&out, format))
			golden(t, name+"."+format+".golden", out.Bytes())
			if format == "json" {
				assert.True(t, json.Valid(out.Bytes()))
			}
		}
	}
}

func TestNamesTheWorstKeysInOrder(t *testing.T) {
	var text strings.Builder
	text.WriteString("t,key\n")
	for key := range 30 {
		requests := 3
		if key == 7 {
			requests = 5
		}
		if key == 12 {
			requests = 1
		}
		for range requests {
			fmt.Fprintf(&text, "0,k%02d\n", 29-key)
		}
	}
	report, err := Run(fromText(t, text.String()), Options{Limiters: []string{"leaky-meter:rate=1/s"}, Seed: 1})
	require.NoError(t, err)
	result := report.Limiters[0]
	assert.EqualValues(t, 29, result.KeysRefused)
	assert.EqualValues(t, 28*2+4, result.Refused)
	assert.EqualValues(t, 30*3, result.Requests)
	require.Len(t, result.Worst, 20)
	assert.Equal(t, KeyRefused{"k22", 5, 4}, result.Worst[0])
	for i, k := range result.Worst[1:] {
		assert.Equal(t, KeyRefused{fmt.Sprintf("k%02d", i), 3, 2}, k, "ties by text; k17 and k22 come elsewhere")
		if i == 16 {
			break
		}
	}
	assert.Equal(t, "k18", result.Worst[18].Key)
	var table, table2 bytes.Buffer
	require.NoError(t, report.Write(&table, "table"))
	require.NoError(t, report.Write(&table2, "table"))
	assert.Equal(t, table.String(), table2.String())
	assert.Contains(t, table.String(), "  and 9 keys more\n")
}

func TestTheBusiestSecondIsTheEarliestOfTheBusiest(t *testing.T) {
	for name, c := range map[string]struct {
		times string
		want  Peak
	}{
		"one":             {"5.5", Peak{5, 1}},
		"ties":            {"1 1.9 2 2.999999999 3", Peak{1, 2}},
		"later is more":   {"1 1.9 2 2.5 2.999999999", Peak{2, 3}},
		"the last":        {"1 2 2.5", Peak{2, 2}},
		"before the year": {"-1 -0.1 -0.9 0 0.5", Peak{-1, 3}},
		"both sides of 0": {"-0.5 0.5", Peak{-1, 1}},
		"out of order":    {"3 1 3 1 2 3", Peak{3, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			log := fromText(t, "t\n"+strings.ReplaceAll(c.times, " ", "\n")+"\n")
			report, err := Run(log, Options{Limiters: every[:1], Seed: 1})
			require.NoError(t, err)
			assert.Equal(t, c.want, report.Busiest)
		})
	}
}

func TestTheCSVHasEveryMetricOfEveryLimiter(t *testing.T) {
	log := read(t, logs.Options{}, "../testdata/combined.log")
	report, err := Run(log, Options{Limiters: []string{"leaky-meter:rate=1/m", "gcra:rate=100/s,burst=100"}, Seed: 1})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, report.Write(&out, "csv"))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"limiter", "metric", "key", "unit", "value"}, rows[0])
	got := map[string][]string{}
	for _, row := range rows[1:] {
		got[row[0]] = append(got[row[0]], strings.Join(row[1:], " "))
	}
	const busiest = "busiest_second_at  s 1767225600"
	assert.Equal(t, map[string][]string{
		"leaky-meter:rate=1/m": {"requests  requests 8", "keys  keys 5", "refused  requests 3", "refused_share  1 0.375",
			"keys_refused  keys 1", "key_refused 10.0.0.1 requests 3", busiest, "busiest_second_requests  requests 3",
			"lines_bad  lines 3", "lines_reordered  lines 2"},
		"gcra:rate=100/s,burst=100": {"requests  requests 8", "keys  keys 5", "refused  requests 0", "refused_share  1 0",
			"keys_refused  keys 0", busiest, "busiest_second_requests  requests 3", "lines_bad  lines 3", "lines_reordered  lines 2"},
	}, got)
}

// decided counts what decide refuses of a log's requests, in all and by key.
func decided(t *testing.T, log *logs.Log, limiter string, seed uint64) (refused int64, byKey map[string]int64) {
	t.Helper()
	var in, out bytes.Buffer
	in.WriteString("t,key,cost\n")
	for _, r := range log.Records {
		line := append(logs.AppendSeconds(nil, r.At), ',')
		line = append(logs.AppendField(line, log.Keys.Text(r.Key)), ',')
		in.Write(append(strconv.AppendInt(line, r.Cost, 10), '\n'))
	}
	require.NoError(t, decide.Run("-", &out, decide.Options{Limiter: limiter, Seed: seed, Stream: true, Stdin: &in}))
	byKey = map[string]int64{}
	rows := csv.NewReader(&out)
	rows.ReuseRecord = true
	n := -1
	for {
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if n++; row[3] == "false" {
			refused++
			byKey[row[1]]++
		}
	}
	require.Equal(t, len(log.Records), n)
	return refused, byKey
}

// compare requires that replay and decide refuse the same, under every limiter; it returns how many they refuse.
func compare(t *testing.T, log *logs.Log, specs []string) (total int64) {
	t.Helper()
	report, err := Run(log, Options{Limiters: specs, Seed: 7})
	require.NoError(t, err)
	for i, spec := range specs {
		refused, byKey := decided(t, log, spec, 7)
		got := report.Limiters[i]
		require.Equal(t, refused, got.Refused, spec)
		require.Equal(t, len(byKey), got.KeysRefused, spec)
		for _, k := range got.Worst {
			require.Equal(t, byKey[k.Key], k.Refused, spec)
		}
		total += refused
	}
	return total
}

func TestRefusesWhatDecideRefuses(t *testing.T) {
	own := read(t, logs.Options{}, "../testdata/combined.log", "../testdata/common.log", "../testdata/arrivals.csv")
	assert.Positive(t, compare(t, own, every))
	costs := read(t, logs.Options{Time: "when", Key: "who", Cost: "tokens"}, "../testdata/named.csv")
	assert.Positive(t, compare(t, costs, every))

	var text strings.Builder // bursts of several keys with costs, some out of order
	text.WriteString("t,key,cost\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "%d.%d,k%d,%d\n", i/9*(1+i%2), i%10, i*i%11, 1+i%5/4)
	}
	assert.Positive(t, compare(t, fromText(t, text.String()), every))
}

func realLog(t *testing.T, name string, opts logs.Options) *logs.Log {
	path := filepath.Join("..", "..", "..", "shared", "traces", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the real log %s is not beside the repository", name)
	}
	return read(t, opts, path)
}

func TestRefusesWhatDecideRefusesOfARealWebLog(t *testing.T) {
	assert.Positive(t, compare(t, realLog(t, "apache_logs.elastic", logs.Options{}), every))
}

func TestRefusesWhatDecideRefusesOfARealConnectionLog(t *testing.T) {
	log := realLog(t, "zeek_ssl_wrccdc2018.csv", logs.Options{Time: "ts_unix_s", Key: "client_ip"})
	assert.Positive(t, compare(t, log, []string{every[0], every[3], every[7]}))
}

func TestBadRequestsSayWhatWouldBeRight(t *testing.T) {
	log := fromText(t, "t\n0\n")
	var fault *logs.InputError
	_, err := Run(log, Options{Limiters: []string{"gcra:rate=1/s,burst=1", "gcra:rate=1/s"}, Seed: 1})
	require.True(t, errors.As(err, &fault))
	assert.ErrorContains(t, err, "burst")
	_, err = Run(log, Options{})
	require.True(t, errors.As(err, &fault))
	assert.ErrorContains(t, err, "--limiter")
	_, err = Run(&logs.Log{}, Options{Limiters: every, Seed: 1})
	require.True(t, errors.As(err, &fault))

	report, err := Run(log, Options{Limiters: every, Seed: 1})
	require.NoError(t, err)
	err = report.Write(io.Discard, "tabel")
	require.True(t, errors.As(err, &fault))
	assert.EqualError(t, err, `--format: unknown format "tabel" (did you mean "table"?); known: table, csv, json`)
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriteErrorsAreReported(t *testing.T) {
	report, err := Run(fromText(t, "t\n0\n"), Options{Limiters: every, Seed: 1})
	require.NoError(t, err)
	for _, format := range Formats {
		assert.ErrorContains(t, report.Write(full{}, format), "no space left")
	}
}

func TestPercentDoesNotRoundToAllOrNothing(t *testing.T) {
	for want, c := range map[string][2]int64{
		"0.00 %": {0, 5}, "100.00 %": {5, 5}, "33.33 %": {1, 3}, "66.67 %": {2, 3}, "0.01 %": {1, 1_000_000},
		"99.99 %": {999_999, 1_000_000}, "12.50 %": {1, 8},
	} {
		assert.Equal(t, want, percent(c[0], c[1]))
	}
}

func TestKeysAreShownOnOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.1": "10.0.0.1", "Ada Lovelace": "Ada Lovelace", "é": "é", "": `""`, " a": `" a"`, "a\nb": `"a\nb"`,
		"\x1b[31m": `"\x1b[31m"`, "\xff": `"\xff"`, `say "hi"`: `"say \"hi\""`,
	} {
		assert.Equal(t, want, shownText(text))
	}
}

// What a replay forgets and refuses is what decide does on the same arrivals.
func TestAReplayForgetsAsDecide(t *testing.T) {
	log := read(t, logs.Options{}, "../testdata/combined.log")
	var arrivals strings.Builder
	arrivals.WriteString("t,key\n")
	for _, r := range log.Records {
		fmt.Fprintf(&arrivals, "%s,%s\n", logs.FormatSeconds(r.At), log.Keys.Text(r.Key))
	}
	for _, text := range []string{"lru:capacity=1", "idle:after=1s,sweep=1s", "nginx-zone:size=32k"} {
		eviction, err := limiters.ParseEviction(text)
		require.NoError(t, err)
		report, err := Run(log, Options{Limiters: []string{"gcra:rate=1/m,burst=1"}, Eviction: eviction, Seed: 1})
		require.NoError(t, err)
		var out bytes.Buffer
		var told limiters.Forgotten
		require.NoError(t, decide.Run("-", &out, decide.Options{
			Limiter: "gcra:rate=1/m,burst=1", Seed: 1, Evict: text, Stdin: strings.NewReader(arrivals.String()),
			Forgotten: func(f limiters.Forgotten) { told = f },
		}))
		assert.EqualValues(t, strings.Count(out.String(), ",false,"), report.Limiters[0].Refused, text)
		assert.Equal(t, told, *report.Limiters[0].Forgotten, text)
		assert.Equal(t, text != "nginx-zone:size=32k", told.Total() > 0, text)
	}
}
