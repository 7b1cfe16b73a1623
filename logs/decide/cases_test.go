package decide

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
	"ratelab/logs"
)

// testdata holds cases with right answers; the limiters are tested with the same.
var testdata = filepath.Join("..", "..", "limiters", "testdata")

type testCase struct {
	ID       string
	Limiter  string
	Arrivals []json.RawMessage
	Expect   map[string][]any
	CSV      *string
	Error    string `json:"expect_error"`
}

// applies reports whether a case is about one limiter, or one whose name is misspelt.
func (c *testCase) applies() bool {
	name, _, _ := strings.Cut(c.Limiter, ":")
	known := slices.Concat(limiters.Canonical(), limiters.Dialects())
	return slices.Contains(known, name) || slices.Contains(known, c.Error)
}

// input is the case's arrivals as a CSV.
func (c *testCase) input(t *testing.T) string {
	if c.CSV != nil {
		return *c.CSV
	}
	var b strings.Builder
	out := csv.NewWriter(&b)
	require.NoError(t, out.Write([]string{"t", "key", "cost"}))
	for _, raw := range c.Arrivals {
		var row []any
		require.NoError(t, json.Unmarshal(raw, &row))
		require.NoError(t, out.Write([]string{row[0].(string), row[1].(string), fmt.Sprint(row[2])}))
	}
	out.Flush()
	return b.String()
}

// run decides a CSV given as a file and as standard input, which must come to the same.
func run(t *testing.T, input string, opts Options) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.csv")
	require.NoError(t, os.WriteFile(path, []byte(input), 0o600))
	var fromFile, fromInput bytes.Buffer
	err := Run(path, &fromFile, opts)
	opts.Stdin = strings.NewReader(input)
	again := Run("-", &fromInput, opts)
	require.Equal(t, fromFile.String(), fromInput.String())
	require.Equal(t, err == nil, again == nil)
	if err != nil {
		require.Equal(t, strings.Replace(err.Error(), path, logs.StandardInput, 1), again.Error())
	}
	return fromFile.String(), err
}

// expectColumns checks the answers to arrivals in the columns that a case
// knows; what is nil there is not known.
func expectColumns(t *testing.T, got string, expect map[string][]any, arrivals int) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(got)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+arrivals)
	for column, values := range expect {
		at := slices.Index(rows[0], column)
		require.GreaterOrEqual(t, at, 0, column)
		require.Len(t, values, arrivals)
		for i, want := range values {
			if want != nil {
				assert.Equal(t, fmt.Sprint(want), rows[1+i][at], "%s of arrival %d", column, i)
			}
		}
	}
}

func TestCases(t *testing.T) {
	file, err := os.Open(filepath.Join(testdata, "decide.jsonl"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	answered, refused := 0, 0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var c testCase
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&c))
		if !c.applies() {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			got, err := run(t, c.input(t), Options{Limiter: c.Limiter, Seed: 1})
			if c.CSV != nil {
				refused++
				var fault *logs.InputError
				require.ErrorAs(t, err, &fault)
				assert.Contains(t, strings.ToLower(err.Error()), strings.ToLower(c.Error))
				assert.NotContains(t, err.Error(), "\n")
				assert.Empty(t, got)
				return
			}
			answered++
			require.NoError(t, err)
			expectColumns(t, got, c.Expect, len(c.Arrivals))
		})
	}
	require.NoError(t, lines.Err())
	assert.GreaterOrEqual(t, answered, 100, "there are that many cases with answers")
	assert.GreaterOrEqual(t, refused, 14, "and that many with faults")
}

func TestCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testdata, "*", "*.csv"))
	require.NoError(t, err)
	tried := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		first, rest, _ := strings.Cut(string(text), "\n")
		limiter, isOne := strings.CutPrefix(strings.TrimSpace(first), "# limiter: ")
		if c := (testCase{Limiter: limiter}); !isOne || !c.applies() {
			continue
		}
		tried++
		t.Run(filepath.Base(path), func(t *testing.T) {
			got, err := run(t, rest, Options{Limiter: limiter, Seed: 1}) // the answers are columns that nobody asks for
			require.NoError(t, err)
			assert.Equal(t, rest, got)
			var streamed bytes.Buffer
			require.NoError(t, Run("-", &streamed, Options{Limiter: limiter, Seed: 1, Stream: true, Stdin: strings.NewReader(rest)}))
			assert.Equal(t, rest, streamed.String())
		})
	}
	assert.GreaterOrEqual(t, tried, 80, "there are that many files with one limiter")
}

func TestASpecAtFaultIsAnInputError(t *testing.T) {
	var fault *logs.InputError
	err := Run("-", nil, Options{Limiter: "token-bukket:rate=1/s,burst=5"})
	require.True(t, errors.As(err, &fault))
	assert.ErrorContains(t, err, `--limiter: unknown limiter "token-bukket" (did you mean "token-bucket"?)`)
}
