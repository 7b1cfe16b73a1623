package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
)

// TestDecideGivesTheRightAnswers takes every case with one canonical limiter
// through the command.
func TestDecideGivesTheRightAnswers(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "limiters", "testdata", "decide.jsonl"))
	require.NoError(t, err)
	answered, refused := 0, 0
	for line := range bytes.Lines(text) {
		var c struct {
			ID       string
			Limiter  string
			Arrivals []any
			Expect   map[string][]any
			CSV      *string
			Error    string `json:"expect_error"`
		}
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&c))
		name, _, _ := strings.Cut(c.Limiter, ":")
		if !slices.Contains(limiters.Canonical(), name) && !slices.Contains(limiters.Canonical(), c.Error) {
			continue // not about one canonical limiter
		}
		t.Run(c.ID, func(t *testing.T) {
			if c.CSV != nil {
				refused++
				status, out, errOut := ratelab(t, *c.CSV, "decide", "--limiter", c.Limiter)
				assert.Equal(t, 2, status)
				assert.Empty(t, out)
				assert.Contains(t, strings.ToLower(errOut), strings.ToLower(c.Error))
				assert.Equal(t, 1, strings.Count(errOut, "\n"))
				return
			}
			answered++
			in := "t,key,cost\n"
			for _, a := range c.Arrivals {
				in += fmt.Sprintf("%v,%v,%v\n", a.([]any)...)
			}
			status, out, errOut := ratelab(t, in, "decide", "--limiter", c.Limiter)
			require.Equal(t, 0, status, errOut)
			assert.Empty(t, errOut)
			rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
			require.NoError(t, err)
			require.Len(t, rows, 1+len(c.Arrivals))
			for column, values := range c.Expect {
				at := slices.Index(rows[0], column)
				require.GreaterOrEqual(t, at, 0, column)
				for i, want := range values {
					if want != nil {
						assert.Equal(t, fmt.Sprint(want), rows[1+i][at], "%s of arrival %d", column, i)
					}
				}
			}
		})
	}
	assert.GreaterOrEqual(t, answered, 40)
	assert.GreaterOrEqual(t, refused, 14)
}

// TestDecideGivesTheCorpusBack decides files of edge cases, whose columns of
// answers must come out as they went in.
func TestDecideGivesTheCorpusBack(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root, "limiters", "testdata", "corpus", "*.csv"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(paths), 36)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			first, rest, _ := strings.Cut(string(text), "\n")
			limiter, ok := strings.CutPrefix(first, "# limiter: ")
			require.True(t, ok)
			status, out, errOut := ratelab(t, rest, "decide", "--limiter", limiter)
			require.Equal(t, 0, status, errOut)
			assert.Equal(t, rest, out)
		})
	}
}

// TestReplayRefusesWhatDecideRefuses holds the two ways in against each other.
func TestReplayRefusesWhatDecideRefuses(t *testing.T) {
	_, arrivals, _ := ratelab(t, "", "arrivals", "on-off:rate=8/s,on=10s,off=50s", "--keys", "6", "--horizon", "20m")
	for _, limiter := range []string{"token-bucket:rate=1/s,burst=10", "sliding-counter:limit=20,window=1m", "leaky-queue:rate=1/s,queue=3"} {
		t.Run(limiter, func(t *testing.T) {
			status, decided, errOut := ratelab(t, arrivals, "decide", "--limiter", limiter)
			require.Equal(t, 0, status, errOut)
			refused := strings.Count(decided, ",false,")
			require.Positive(t, refused)
			status, replayed, errOut := ratelab(t, arrivals, "replay", "-", "--limiter", limiter, "--format", "csv")
			require.Equal(t, 0, status, errOut)
			assert.Contains(t, replayed, fmt.Sprintf(",refused,,requests,%d\n", refused))
		})
	}
}

// TestTourLog makes the log of the tour again, by the line beside it.
func TestTourLog(t *testing.T) {
	dir := filepath.Join(root, "logs", "testdata")
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "\n    ratelab ")
	require.True(t, found)
	line, _, _ := strings.Cut(rest, "\n")
	status, out, errOut := ratelab(t, "", strings.Fields(line)...)
	require.Equal(t, 0, status, errOut)
	want, err := os.ReadFile(filepath.Join(dir, "tour.log"))
	require.NoError(t, err)
	assert.True(t, string(want) == out, "%s gives other bytes than tour.log has", line)
}
