package peers

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/logs/decide"
)

// pretender is a peer that is the limiter itself, with one answer spoiled.
func pretender(spoil func(d *limiters.Decision)) Peer {
	answered := 0
	return Peer{
		Program:   "pretender",
		Version:   func() (string, error) { return "v2", nil },
		Modelled:  "v1",
		Specs:     []string{"gcra:rate=3/s,burst=2", "throttled:rate=10/13s,burst=4"},
		Decisions: 1000,
		Ways:      Ways{Back: time.Hour},
		Start: library(func(c *Case) ([]limiters.Decision, error) {
			s, err := limiters.Parse(c.Spec)
			if err != nil {
				return nil, err
			}
			l := s.New(1, nil)
			return eachArrival(c, func(a Arrival) (limiters.Decision, error) {
				d := l.Take(a.At, a.Key, a.Cost)
				if answered++; answered == 333 {
					spoil(&d)
				}
				return d, nil
			})
		}).start,
	}
}

func TestADifferenceIsToldWithAllThatIsNeededToSeeItAgain(t *testing.T) {
	for field, spoil := range map[string]func(d *limiters.Decision){
		"admitted":              func(d *limiters.Decision) { d.Admitted = !d.Admitted },
		"delay":                 func(d *limiters.Decision) { d.Delay++ },
		"retry_after":           func(d *limiters.Decision) { d.RetryAfter++ },
		"limit":                 func(d *limiters.Decision) { d.Limit++ },
		"remaining":             func(d *limiters.Decision) { d.Remaining-- },
		"reset":                 func(d *limiters.Decision) { d.Reset-- },
		"which hints are given": func(d *limiters.Decision) { d.Has &^= contract.HintLimit },
	} {
		t.Run(field, func(t *testing.T) {
			c, err := pretender(spoil).Compare(nil)
			require.NoError(t, err)
			assert.Equal(t, 1, c.Differences)
			assert.Equal(t, 1000, c.Decisions)
			assert.Contains(t, c.First, "case 1 (seed ")
			assert.Contains(t, c.First, ": "+field+" differs at arrival 132 (line 134 below)\n")
			assert.Contains(t, c.First, `--limiter "throttled:rate=10/13s,burst=4"`)
		})
	}
}

func TestTheDifferenceCanBeReplayed(t *testing.T) {
	c, err := pretender(func(d *limiters.Decision) { d.Remaining += 7 }).Compare(nil)
	require.NoError(t, err)
	_, lines, found := strings.Cut(c.First, "with these lines in it:\n")
	require.True(t, found)
	file := filepath.Join(t.TempDir(), "arrivals.csv")
	require.NoError(t, os.WriteFile(file, []byte(lines), 0o600))
	var out bytes.Buffer
	require.NoError(t, decide.Run(file, &out, decide.Options{Limiter: "throttled:rate=10/13s,burst=4", Seed: 1}))
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, answers, 134, "the header and 133 arrivals")
	_, ours, found := strings.Cut(c.First, "\nlimiter: ")
	require.True(t, found)
	ours, _, _ = strings.Cut(ours, "\n")
	names, last := strings.Split(decide.Header, ","), strings.Split(answers[133], ",")
	for i, name := range names[3:] {
		if value := last[3+i]; value != "" {
			assert.Contains(t, ours+" ", name+"="+value+" ")
		}
	}
}

func TestTheSameCasesAreMadeAgain(t *testing.T) {
	first := func() string {
		c, err := pretender(func(d *limiters.Decision) { d.Delay++ }).Compare(nil)
		require.NoError(t, err)
		return c.First
	}
	assert.Equal(t, first(), first())
}

func TestAProgramThatIsNotThereIsNotRun(t *testing.T) {
	p := pretender(nil)
	p.Version = func() (string, error) { return "", errors.New("no such program") }
	c, err := p.Compare(nil)
	require.NoError(t, err)
	assert.Equal(t, "no such program", c.NotRun)
	var table bytes.Buffer
	require.NoError(t, WriteTable(&table, []Comparison{c}))
	assert.Contains(t, table.String(), "| pretender | not run: no such program | v1 |")
	assert.Equal(t, "peers: 0 programs, 0 decisions, 0 differences", Summary([]Comparison{c}))
}

func TestTheModelledVersionIsSaidOnce(t *testing.T) {
	p := pretender(nil)
	p.Modelled = ""
	_, err := p.Compare(nil)
	assert.ErrorContains(t, err, `not "gcra" by both or none`)
	p.Modelled, p.Specs = "v9", []string{"uber:rate=1/s"}
	_, err = p.Compare(nil)
	assert.ErrorContains(t, err, `not "uber" by both or none`)
}

func TestAProgramThatAnswersTooLittleFails(t *testing.T) {
	p := pretender(nil)
	p.Start = library(func(*Case) ([]limiters.Decision, error) { return nil, nil }).start
	_, err := p.Compare(nil)
	assert.ErrorContains(t, err, "0 answers to 200 arrivals")
}

func TestTheTableSaysThatAVersionIsNotTheOneModelled(t *testing.T) {
	c, err := pretender(func(d *limiters.Decision) { d.Delay++ }).Compare(nil)
	require.NoError(t, err)
	c.Note = "a | b\n c"
	var table bytes.Buffer
	require.NoError(t, WriteTable(&table, []Comparison{c}))
	assert.Contains(t, table.String(), "| pretender | **other than modelled:** v2 | v1 | `gcra`, 2 specs | 1000 | 1 | a \\| b c |\n")
	assert.Equal(t, "peers: 1 programs, 2000 decisions, 2 differences", Summary([]Comparison{c, c}))
}

func TestArrivalsGoAsTheirProgramAllows(t *testing.T) {
	for _, w := range []Ways{{}, {Back: time.Minute}, {Rest: time.Hour, Keys: 1, UnitCost: true}, {Resolution: time.Millisecond, Onward: true}} {
		for _, text := range []string{"token-bucket:rate=10/13s,burst=5", "fixed-window:limit=3,window=7s", "uber:rate=3/s"} {
			s, err := limiters.Parse(text)
			require.NoError(t, err)
			arrivals := w.arrivals(s, firstStart, 5000, rand.New(rand.NewPCG(1, 2)))
			require.Len(t, arrivals, 5000)
			latest, back, keys, costs := time.Duration(0), 0, map[uint32]bool{}, map[int64]bool{}
			for i, a := range arrivals {
				assert.GreaterOrEqual(t, a.At, latest-w.Back)
				if a.At < latest {
					back++
				}
				if w.Rest > 0 && i > 0 {
					assert.LessOrEqual(t, a.At-latest, 20*w.Rest)
				}
				latest = max(latest, a.At)
				keys[a.Key], costs[a.Cost] = true, true
			}
			assert.Equal(t, w.Back > 0, back > 0)
			if w.Keys == 1 {
				assert.Len(t, keys, 1)
			}
			assert.Equal(t, w.UnitCost || s.UnitCost(), len(costs) == 1)
		}
	}
}
