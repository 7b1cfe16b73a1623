package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// described shows everything that is in a log.
func described(log *Log) string {
	var b strings.Builder
	for _, f := range log.Files {
		fmt.Fprintf(&b, "file %s: %s, key %q, %d lines, %d bad, %d reordered\n", f.Name, f.Format, f.KeyColumn, f.Lines, f.Bad, f.Reordered)
	}
	for _, l := range log.BadLines {
		fmt.Fprintf(&b, "bad %s:%d: %s\n", l.File, l.Line, l.Reason)
	}
	fmt.Fprintf(&b, "all: %d lines, %d bad, %d reordered\n", log.Lines, log.Bad, log.Reordered)
	for _, r := range log.Records {
		fmt.Fprintf(&b, "%s %q %d\n", FormatSeconds(r.At), log.Keys.Text(r.Key), r.Cost)
	}
	return b.String()
}

func TestReadsLogs(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		opts  Options
	}{
		"combined":          {[]string{"combined.log"}, Options{}},
		"combined-endpoint": {[]string{"combined.log"}, Options{Format: Combined, Key: "endpoint"}},
		"combined-user":     {[]string{"combined.log"}, Options{Key: "user"}},
		"common":            {[]string{"common.log"}, Options{}},
		"named":             {[]string{"named.csv"}, Options{Time: "when", Key: "who", Cost: "tokens"}},
		"named-no-key":      {[]string{"named.csv"}, Options{Time: "when"}},
		"merged":            {[]string{"combined.log", "common.log", "arrivals.csv"}, Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir("testdata")
			log, err := Read(c.files, c.opts)
			require.NoError(t, err)
			t.Chdir("..")
			golden(t, name+".golden", []byte(described(log)))
		})
	}
}

func TestRecognisesTheFormat(t *testing.T) {
	const common = `192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326`
	const combined = common + ` "-" "-"`
	for name, c := range map[string]struct {
		text       string
		timeColumn string
		want       Format
	}{
		"combined":                  {combined + "\n", "", Combined},
		"without a last line end":   {combined, "", Combined},
		"with a byte order mark":    {"\xef\xbb\xbf" + combined + "\n", "", Combined},
		"with CRLF":                 {combined + "\r\n", "", Combined},
		"common":                    {common + "\n", "", Common},
		"a damaged first line":      {"damaged\n" + combined + "\n", "", Combined},
		"mostly common":             {combined + "\n" + common + "\n" + common + "\n", "", Common},
		"mostly combined":           {common + "\n" + combined + "\n" + combined + "\n", "", Combined},
		"csv":                       {"t,key\n0,a\n", "", CSV},
		"csv with one column":       {"t\n0\n", "", CSV},
		"csv with a named column":   {"when\n0\n", "when", CSV},
		"csv without the column t":  {"when,who\n0,a\n", "", CSV},
		"csv with one usual column": {"Timestamp\n0\n", "", CSV},
		"prose":                     {"Dear reader\n", "", ""},
		"json":                      {"{\"ts\":1}\n{\"ts\":", "", JSON},
		"json without fields":       {"{}\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := detect([]byte(c.text), c.timeColumn)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.want == "", err != nil)
		})
	}
}

func TestLogFaultsSayWhatWouldBeRight(t *testing.T) {
	const line = `192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326` + "\n"
	const csv = "ts,client\n0,a\n"
	for name, c := range map[string]struct {
		text string
		opts Options
		want string
	}{
		"empty":               {"", Options{}, "standard input: is empty; want a log"},
		"blanks":              {"\n \n\r\n", Options{}, "standard input: begins with nothing but blanks; want a log"},
		"empty lines":         {"\n\n", Options{Format: Common}, "standard input: holds no request"},
		"only a header":       {"t,key\n", Options{}, "standard input: holds no request"},
		"prose":               {"Dear reader\n", Options{}, "neither common nor combined"},
		"gzip":                {"\x1f\x8b\x08", Options{}, "is cut off: its gzip data end too early"},
		"mostly bad":          {line + "a\nb\n", Options{}, "2 of 3 lines do not parse as common; line 2: want CLIENT"},
		"not combined":        {line, Options{Format: Combined}, "1 of 1 lines do not parse as combined; line 1: is in common format; want combined, with the referer"},
		"unknown format":      {line, Options{Format: "apache"}, `unknown format "apache"`},
		"no such key":         {line, Options{Key: "client"}, `is in common format, which has no key column "client"; it has ip, user, endpoint, method, status`},
		"no agent in common":  {line, Options{Key: "agent"}, `which has no key column "agent"; it has ip, user, endpoint, method, status`},
		"a time column":       {line, Options{Time: "ts"}, "is in common format; only a CSV, JSON and a log format have a time field to choose"},
		"a cost column":       {line, Options{Cost: "bytes"}, "is in common format; only a CSV, JSON and a log format have a cost field to choose"},
		"no t":                {"when,client\n0,a\n", Options{}, `line 1: no column "t"; the header has "when", "client"; choose the time column with --time`},
		"several times":       {"date,time,t0\n0,0,0\n", Options{}, `line 1: several columns may hold the times: "date", "time"; choose one with --time`},
		"one time twice":      {"Time,Time\n0,0\n", Options{}, `line 1: the header names the column "Time" twice`},
		"no such time column": {csv, Options{Time: "tss"}, `line 1: no column "tss" (did you mean "ts"?); the header has "ts", "client"; choose the time`},
		"no such key column":  {csv, Options{Time: "ts", Key: "ip"}, `line 1: no column "ip"; the header has "ts", "client"; choose the key column`},
		"no such cost column": {csv, Options{Time: "ts", Cost: "ip"}, `line 1: no column "ip"; the header has "ts", "client"; choose the cost column`},
	} {
		t.Run(name, func(t *testing.T) {
			c.opts.Stdin = strings.NewReader(c.text)
			log, err := Read([]string{"-"}, c.opts)
			assert.Nil(t, log)
			var fault *InputError
			require.ErrorAs(t, err, &fault)
			assert.Contains(t, err.Error(), c.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
	for path, want := range map[string]string{"nowhere.log": "nowhere.log: no such file", "testdata": "testdata: is a folder", "-": "can not be read here"} {
		_, err := Read([]string{path}, Options{})
		var fault *InputError
		require.ErrorAs(t, err, &fault)
		assert.ErrorContains(t, err, want)
	}
	_, err := Read(nil, Options{})
	assert.ErrorContains(t, err, "name a file")
}

func TestHalfBadIsStillALog(t *testing.T) {
	text := "t\n0\nx\n"
	log, err := Read([]string{"-"}, Options{Stdin: strings.NewReader(text)})
	require.NoError(t, err)
	assert.EqualValues(t, 1, log.Bad)
	assert.EqualValues(t, 2, log.Lines)
}

func TestABadRecordCountsAllItsLines(t *testing.T) {
	text := "t,key\n0,a\n1,a\n2,a\n3,a\n4,\"open\n5,a\n6,a\n"
	log, err := Read([]string{"-"}, Options{Stdin: strings.NewReader(text)})
	require.NoError(t, err)
	assert.EqualValues(t, 3, log.Bad)
	assert.EqualValues(t, 7, log.Lines)
	assert.Equal(t, []BadLine{{StandardInput, 6, faultOpen.Error()}}, log.BadLines)
}

func TestKeepsOnlyTheFirstBadLines(t *testing.T) {
	text := "t\n" + strings.Repeat("x\n0\n", 100)
	log, err := Read([]string{"-"}, Options{Stdin: strings.NewReader(text)})
	require.NoError(t, err)
	assert.EqualValues(t, 100, log.Bad)
	require.Len(t, log.BadLines, keptBad)
	assert.EqualValues(t, 2, log.BadLines[0].Line)
}

func TestSortsStably(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(0, 20), 0, 300).Draw(t, "times")
		records := make([]Record, len(times))
		for i, at := range times {
			records[i] = Record{At: at, Key: uint32(i)}
		}
		want := slices.Clone(records)
		slices.SortStableFunc(want, func(a, b Record) int { return int(a.At - b.At) })
		sortByTime(records)
		assert.Equal(t, want, records)
	})
}

func TestUnknownFormatNamesTheKnown(t *testing.T) {
	for name, want := range map[string]Format{"": Auto, "auto": Auto, "csv": CSV, "common": Common, "combined": Combined, "json": JSON, "log-format": Custom} {
		got, err := ParseFormat(name)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := ParseFormat("combinde")
	assert.EqualError(t, err, `unknown format "combinde" (did you mean "combined"?); known: auto, common, combined, json, csv, log-format`)
}

func TestOpensArrivalsForASimulation(t *testing.T) {
	next, keys, err := Open(filepath.Join("testdata", "combined.log"))
	require.NoError(t, err)
	n, last := 0, int64(0)
	for {
		at, key, cost, ok := next()
		if !ok {
			break
		}
		assert.GreaterOrEqual(t, int64(at), last)
		assert.Less(t, int(key), len(keys))
		assert.EqualValues(t, 1, cost)
		n, last = n+1, int64(at)
	}
	assert.Equal(t, 8, n)
	assert.Equal(t, "10.0.0.1", keys[0])

	_, _, err = Open(write(t, "a.csv", "t,key\n0,a\n1,a\n2,a\nx,a\n"))
	var fault *InputError
	require.True(t, errors.As(err, &fault))
	assert.EqualValues(t, 5, fault.Line)
	assert.ErrorContains(t, err, `line 5: column "t": want Unix seconds`)
	_, _, err = Open("nowhere.csv")
	assert.ErrorContains(t, err, "nowhere.csv: no such file")
	for text, want := range map[string]string{
		"ts,client\n0,a\n": `b.csv: line 1: no column "t" (did you mean "ts"?); the header has "ts", "client"`,
		"Dear reader\n":    "b.csv: is in no format that is known: its first lines are neither common nor combined log lines, nor JSON objects, nor a CSV header with a column t",
		"\x1f\x8b\x08":     "b.csv: is cut off: its gzip data end too early; no request could be read before",
	} {
		path := write(t, "b.csv", text)
		_, _, err = Open(path)
		require.ErrorAs(t, err, &fault)
		assert.Equal(t, want, strings.TrimPrefix(err.Error(), filepath.Dir(path)+string(filepath.Separator)), "no advice of flags that are not there")
	}
}

// realLog returns the path of a real log that lies beside the repository, or skips.
func realLog(t *testing.T, name string) string {
	path := filepath.Join("..", "..", "shared", "traces", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the real log %s is not beside the repository", name)
	}
	return path
}

func TestReadsARealWebLog(t *testing.T) {
	log, err := Read([]string{realLog(t, "apache_logs.elastic")}, Options{})
	require.NoError(t, err)
	assert.EqualValues(t, Combined, log.Files[0].Format)
	assert.EqualValues(t, 10000, log.Lines)
	assert.EqualValues(t, 1, log.Bad, "one line is cut off inside the user agent")
	assert.EqualValues(t, 8899, log.BadLines[0].Line)
	assert.Equal(t, 1753, log.Keys.Len())
	assert.True(t, slices.IsSortedFunc(log.Records, func(a, b Record) int { return int(a.At/second - b.At/second) }))
}

func TestReadsARealConnectionLog(t *testing.T) {
	log, err := Read([]string{realLog(t, "zeek_ssl_wrccdc2018.csv")}, Options{Time: "ts_unix_s", Key: "client_ip"})
	require.NoError(t, err)
	assert.EqualValues(t, 49474, log.Lines)
	assert.Zero(t, log.Bad+log.Reordered)
	assert.Equal(t, Record{At: 1521911720_615923000, Cost: 1, Took: -1}, log.Records[0])
}

func TestAFileThatIsNoLogIsNotReadToItsEnd(t *testing.T) {
	const line = `192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326` + "\n"
	rest := strings.NewReader(strings.Repeat("junk\n", 10*judgedAt))
	_, err := Read([]string{"-"}, Options{Stdin: io.MultiReader(strings.NewReader(line), rest)})
	assert.ErrorContains(t, err, "standard input: 100000 of 100001 lines do not parse as common; line 2: want CLIENT")
	assert.Positive(t, rest.Len())
}

func TestOneLineIsALog(t *testing.T) {
	for _, text := range []string{benchmarkLine, "t\n7", `{"ts":7}`, benchmarkLine + "\r\n\r\n"} {
		got, log := scanned(t, []string{"-"}, Options{Stdin: strings.NewReader(text)})
		assert.Len(t, got, 1)
		assert.EqualValues(t, 1, log.Lines)
	}
}

func TestMixedFormatsSayWhichLinesAreOfAnother(t *testing.T) {
	common := benchmarkLine[:strings.Index(benchmarkLine, ` "https`)]
	log, err := Read([]string{"-"}, Options{Stdin: strings.NewReader(benchmarkLine + "\n" + common + "\n" + benchmarkLine + "\n{\"ts\":1}\n" + benchmarkLine)})
	require.NoError(t, err)
	assert.EqualValues(t, 2, log.Bad)
	assert.Contains(t, log.BadLines[0].Reason, "is in common format; want combined")
	assert.Contains(t, log.BadLines[1].Reason, `got "{\"ts\":1}"`)
}

// Whatever a file holds, reading it ends with a log or with an InputError, the same from Read and from Scan.
func FuzzLog(f *testing.F) {
	for _, format := range []Format{Auto, Common, Combined, JSON, CSV, Custom} {
		f.Add([]byte(benchmarkLine+"\n"), string(format), uint8(0))
		f.Add([]byte("t,key,agent\n1,a,b\n0.5,\"x\n\",y\n"), string(format), uint8(7))
		f.Add([]byte(`{"ts":1700000000.5,"request":{"remote_ip":"192.0.2.1","headers":{"X-Forwarded-For":["a, b"]}},"duration":0.5}`), string(format), uint8(1))
	}
	for _, packed := range compressed(f, []byte("t\n1\n2\n")) {
		f.Add(packed, "auto", uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, format string, how uint8) {
		opts := Options{Format: Format(format), ForwardedDepth: int(how & 1), Agents: how&2 > 0, Stamp: []Stamp{StampUnknown, StampCompletion}[how>>2&1]}
		if opts.Format == Custom {
			opts.LogFormat = nginxCombined
		}
		opts.Stdin = bytes.NewReader(data)
		log, err := Read([]string{"-"}, opts)
		opts.Stdin = bytes.NewReader(data)
		var got []string
		scannedLog, scanErr := Scan([]string{"-"}, opts, func(log *Log, r *Record) error {
			got = append(got, shownRecord(log, r))
			return nil
		})
		if err != nil {
			var fault *InputError
			require.ErrorAs(t, err, &fault)
			require.NotContains(t, err.Error(), "\n")
			require.EqualError(t, scanErr, err.Error())
			return
		}
		require.NoError(t, scanErr)
		require.Equal(t, log.Files, scannedLog.Files)
		require.Len(t, got, len(log.Records))
		for i := range got {
			require.Equal(t, shownRecord(log, &log.Records[i]), got[i])
		}
		file := &log.Files[0]
		require.NotContains(t, file.Found()+file.Times()+strings.Join(file.Doubts(), ""), "\n")
	})
}
