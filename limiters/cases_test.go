package limiters_test

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
)

// seconds reads decimal seconds as whole nanoseconds.
func seconds(t *testing.T, text string) time.Duration {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	r.Mul(r, new(big.Rat).SetInt64(int64(time.Second)))
	require.True(t, r.IsInt() && r.Num().IsInt64(), text)
	return time.Duration(r.Num().Int64())
}

// show writes a duration as the cases do: decimal seconds without trailing
// zeros, never for Never.
func show(d time.Duration) string {
	if d == limiters.Never {
		return "never"
	}
	text := new(big.Rat).SetFrac64(int64(d), int64(time.Second)).FloatString(9)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// columns writes a decision as the cases do.
func columns(d limiters.Decision) map[string]string {
	retry := ""
	if !d.Admitted {
		retry = show(d.RetryAfter)
	}
	return map[string]string{
		"admitted":    strconv.FormatBool(d.Admitted),
		"delay":       show(d.Delay),
		"retry_after": retry,
		"limit":       strconv.FormatInt(d.Limit, 10),
		"remaining":   strconv.FormatInt(d.Remaining, 10),
		"reset":       show(d.Reset),
	}
}

// interner numbers keys in the order in which they come.
type interner map[string]uint32

func (n interner) key(text string) uint32 {
	k, ok := n[text]
	if !ok {
		k = uint32(len(n))
		n[text] = k
	}
	return k
}

func isCanonical(s string) bool {
	name, _, _ := strings.Cut(s, ":")
	for _, c := range limiters.Canonical() {
		if c == name {
			return true
		}
	}
	return false
}

func TestCorpusIsAnsweredRowByRowInEveryColumn(t *testing.T) {
	files, err := filepath.Glob("testdata/corpus/*.csv")
	require.NoError(t, err)
	require.Len(t, files, 39)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".csv"), func(t *testing.T) {
			f, err := os.Open(file)
			require.NoError(t, err)
			defer f.Close()
			in := bufio.NewReader(f)
			first, err := in.ReadString('\n')
			require.NoError(t, err)
			s, err := limiters.Parse(strings.TrimPrefix(strings.TrimSpace(first), "# limiter: "))
			require.NoError(t, err)
			l, keys := s.New(1, nil), interner{}
			r := csv.NewReader(in)
			header, err := r.Read()
			require.NoError(t, err)
			require.Equal(t, []string{"t", "key", "cost", "admitted", "delay", "retry_after", "limit", "remaining", "reset"}, header)
			for line := 3; ; line++ {
				row, err := r.Read()
				if err == io.EOF {
					require.Greater(t, line, 300)
					break
				}
				require.NoError(t, err)
				cost, err := strconv.ParseInt(row[2], 10, 64)
				require.NoError(t, err)
				got := columns(l.Take(seconds(t, row[0]), keys.key(row[1]), cost))
				for i, name := range header[3:] {
					require.Equal(t, row[3+i], got[name], "%s, line %d: %s at %v", s, line, name, row[:3])
				}
			}
		})
	}
}

type decideCase struct {
	ID       string            `json:"id"`
	About    string            `json:"about"`
	Why      string            `json:"why"`
	Limiter  string            `json:"limiter"`
	Arrivals []json.RawMessage `json:"arrivals"`
	Expect   map[string][]any  `json:"expect"`
	Error    string            `json:"expect_error"`
}

func decideCases(t *testing.T) []decideCase {
	f, err := os.Open("testdata/decide.jsonl")
	require.NoError(t, err)
	defer f.Close()
	var cases []decideCase
	for d := json.NewDecoder(f); ; {
		var c decideCase
		if err := d.Decode(&c); err == io.EOF {
			return cases
		} else {
			require.NoError(t, err)
		}
		cases = append(cases, c)
	}
}

func TestDecideCases(t *testing.T) {
	ran := 0
	for _, c := range decideCases(t) {
		if !isCanonical(c.Limiter) || c.Expect == nil {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			s, err := limiters.Parse(c.Limiter)
			require.NoError(t, err)
			l, keys := s.New(1, nil), interner{}
			for i, raw := range c.Arrivals {
				var at, key string
				var cost int64
				require.NoError(t, json.Unmarshal(raw, &[]any{&at, &key, &cost}))
				got := columns(l.Take(seconds(t, at), keys.key(key), cost))
				for name, want := range c.Expect {
					if want[i] != nil {
						require.Equal(t, fmt.Sprint(want[i]), got[name], "%s, arrival %d: %s\n%s", s, i, name, c.Why)
					}
				}
			}
		})
	}
	assert.Equal(t, 59, ran, "cases with one canonical limiter")
}

// Cases whose spec is at fault, and not the input that follows it.
func TestFaultySpecsAreRefusedWithTheRightWord(t *testing.T) {
	ran := 0
	for _, c := range decideCases(t) {
		name, _, _ := strings.Cut(c.Limiter, ":")
		if !strings.HasPrefix(c.ID, "err-") && c.ID != "zero-05-bucket" || !isCanonical(name) && c.ID != "err-01" {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			_, err := limiters.Parse(c.Limiter)
			require.Error(t, err)
			assert.Contains(t, strings.ToLower(err.Error()), strings.ToLower(c.Error))
		})
	}
	assert.Equal(t, 9, ran)
}
