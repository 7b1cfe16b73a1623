package logs

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

// scanned is what Scan hands out, a text a request.
func scanned(t require.TestingT, paths []string, opts Options) ([]string, *Log) {
	var all []string
	log, err := Scan(paths, opts, func(log *Log, r *Record) error {
		all = append(all, shownRecord(log, r))
		return nil
	})
	require.NoError(t, err)
	return all, log
}

func shownRecord(log *Log, r *Record) string {
	text := fmt.Sprintf("%s %q %d %d %d", FormatSeconds(r.At), log.Keys.Text(r.Key), r.Cost, r.Took, r.Status)
	for c := range log.Columns {
		text += " " + log.Columns[c].Keys.Text(log.ID(r, c))
	}
	return text
}

// Read keeps the whole log and sorts it: it is the oracle of Scan, which does neither.
func TestScanHandsOutWhatReadReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var paths []string
		var stdin string
		back := rapid.IntRange(0, 9).Draw(t, "back")
		for f := range rapid.IntRange(1, 4).Draw(t, "files") {
			text := "t,key,cost,status,n\n"
			for i, late := range rapid.SliceOfN(rapid.IntRange(0, 2*back), 1, 100).Draw(t, "late") {
				text += fmt.Sprintf("%d,k%d,%d,2%02d,%d.%d\n", i/2-late/2, i%7, 1+i%3, i%100, f, i)
			}
			if f == 0 {
				paths, stdin = append(paths, "-"), text
				continue
			}
			paths = append(paths, inFolder(t, fmt.Sprintf("%d.csv", f), text))
		}
		opts := Options{Columns: []string{"n"}, window: 2*back + 2}
		opts.Stdin = strings.NewReader(stdin)
		got, log := scanned(t, paths, opts)
		sorted := opts
		sorted.Stdin, sorted.Sort = strings.NewReader(stdin), true
		whole, _ := scanned(t, paths, sorted)
		require.Equal(t, got, whole, "sorted in chunks of %d", opts.window)
		opts.Stdin = strings.NewReader(stdin)
		want, err := Read(paths, opts)
		require.NoError(t, err)
		require.Len(t, got, len(want.Records))
		for i := range got {
			require.Equal(t, shownRecord(want, &want.Records[i]), got[i], "request %d", i)
		}
		require.Equal(t, want.Files, log.Files)
		require.Equal(t, want.Lines, log.Lines)
		require.Empty(t, log.Records)
		require.LessOrEqual(t, len(log.ids), len(paths)*(opts.window+1), "rows are used again")
	})
}

func TestScanReadsRealLogsInOrder(t *testing.T) {
	for name, opts := range map[string]Options{
		"apache_logs.elastic":     {Columns: []string{"agent", "endpoint"}},
		"zeek_ssl_wrccdc2018.csv": {Time: "ts_unix_s", Key: "client_ip", Columns: []string{"server_ip"}},
		"azure_llm_conv_2023.csv": {Time: "TIMESTAMP", Cost: "ContextTokens"},
	} {
		t.Run(name, func(t *testing.T) {
			path := realLog(t, name)
			got, log := scanned(t, []string{path}, opts)
			want, err := Read([]string{path}, opts)
			require.NoError(t, err)
			require.Len(t, got, len(want.Records))
			for i := range got {
				require.Equal(t, shownRecord(want, &want.Records[i]), got[i])
			}
			assert.Equal(t, want.Files, log.Files)
			assert.Equal(t, want.BadLines, log.BadLines)
		})
	}
}

func TestScanSaysThatALogIsNotSorted(t *testing.T) {
	text := "t\n" + strings.Repeat("7\n", 10) + "3.5\n"
	_, err := Scan([]string{"-"}, Options{Stdin: strings.NewReader(text), window: 4}, func(*Log, *Record) error { return nil })
	var fault *InputError
	require.ErrorAs(t, err, &fault)
	assert.ErrorContains(t, err, "standard input: goes back in time too far: a request of 1970-01-01T00:00:03.5Z comes more than 4 lines after one of 1970-01-01T00:00:07Z; with --sort, the log is sorted in a temporary file")
	got, _ := scanned(t, []string{"-"}, Options{Stdin: strings.NewReader(text), window: 11})
	assert.Len(t, got, 11)
	assert.Equal(t, `3.5 "" 1 -1 0`, got[0])
}

func TestScanEndsWithTheErrorOfItsReader(t *testing.T) {
	own, calls := errors.New("enough"), 0
	log, err := Scan([]string{"-"}, Options{Stdin: strings.NewReader("t\n0\n1\n2\n")}, func(*Log, *Record) error {
		if calls++; calls == 2 {
			return own
		}
		return nil
	})
	assert.Nil(t, log)
	assert.Equal(t, own, err)
	assert.Equal(t, 2, calls)
}

func TestStandardInputIsReadOnce(t *testing.T) {
	_, err := Read([]string{"-", "-"}, Options{Stdin: strings.NewReader("t\n0\n")})
	assert.ErrorContains(t, err, "standard input: is named twice")
}

func TestScanKeepsNothingOfALine(t *testing.T) {
	allocations := func(lines int) float64 {
		text := strings.Repeat(benchmarkLine+"\n", lines)
		return testing.AllocsPerRun(3, func() {
			_, err := Scan([]string{"-"}, Options{Columns: []string{"agent"}, Stdin: strings.NewReader(text), window: 64}, func(*Log, *Record) error { return nil })
			require.NoError(t, err)
		})
	}
	assert.InDelta(t, allocations(1000), allocations(10_000), 5, "9000 more lines allocate nothing more")
}

func TestASortOfManyChunksLeavesNothingBehind(t *testing.T) {
	defer goleak.VerifyNone(t)
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	text := "t,key\n"
	for i := range 5000 {
		text += fmt.Sprintf("%d,k%d\n", i*7919%5000, i%11)
	}
	own := errors.New("enough")
	for _, stop := range []int{-1, 0, 2500} {
		n, latest := 0, int64(-1)
		_, err := Scan([]string{"-"}, Options{Sort: true, window: 300, Stdin: strings.NewReader(text)}, func(_ *Log, r *Record) error {
			if n++; n > stop && stop >= 0 {
				return own
			}
			require.Equal(t, latest+1, r.At/second)
			latest = r.At / second
			return nil
		})
		if stop < 0 {
			require.NoError(t, err)
			require.Equal(t, 5000, n)
		} else {
			require.Equal(t, own, err)
		}
	}
	_, err := Scan([]string{"-"}, Options{Sort: true, window: 300, Stdin: strings.NewReader(text + strings.Repeat("x,y\n", 6000))}, func(*Log, *Record) error {
		t.Error("nothing is handed out of a file that is no log")
		return nil
	})
	require.ErrorContains(t, err, "6000 of 11000 lines do not parse as csv")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)

	t.Setenv("TMPDIR", write(t, "file", "no folder"))
	_, err = Scan([]string{"-"}, Options{Sort: true, window: 300, Stdin: strings.NewReader(text)}, func(*Log, *Record) error { return nil })
	require.ErrorContains(t, err, "sort the log in a temporary file in "+os.TempDir())
	var fault *InputError
	require.NotErrorAs(t, err, &fault)
}
