package experiments

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/sweep"
	"ratelab/limiters"
	"ratelab/logs"
)

// replayLater moves all times that limiters of a lab see, as windows that
// start elsewhere would.
func replayLater(by time.Duration) breakage {
	return func(lab *Lab) {
		limiter := lab.Limiter
		lab.Limiter = func(s limiters.Spec, seed uint64) limiters.Limiter { return replayMoved{limiter(s, seed), by} }
	}
}

type replayMoved struct {
	limiters.Limiter
	by time.Duration
}

func (m replayMoved) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return m.Limiter.Admit(now+m.by, key, cost)
}

// replayStingy refuses every n-th request of those that would pass.
type replayStingy struct {
	limiters.Limiter
	n, passed int64
}

func (s *replayStingy) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	ok, delay := s.Limiter.Admit(now, key, cost)
	if ok {
		s.passed++
	}
	return ok && s.passed%s.n != 0, delay
}

func TestTraceReplayClaims(t *testing.T) {
	stingy := func(lab *Lab) { // even limits refuse more
		limiter := lab.Limiter
		lab.Limiter = func(s limiters.Spec, seed uint64) limiters.Limiter {
			if s.Capacity()%2 == 0 {
				return &replayStingy{Limiter: limiter(s, seed), n: 5}
			}
			return limiter(s, seed)
		}
	}
	triple := boundaryOther(func(l limiters.Spec) (limiters.Spec, error) { return l.Scale(3, 1, 0) })
	testClaims(t, "trace-replay", map[string]breakage{
		"what is counted here is what decide answers, row by row":                                replayLater(7 * time.Second),
		"at no time has a client been admitted less than under a limit smaller by 1":             stingy,
		"GCRA, and a leaky queue with one place less, decide every row as the token bucket does": boundaryOneMore,
		"no minute holds more of a client than the log's limit":                                  boundaryOneMore,
		"nor more than a bucket's burst and what a minute brings":                                triple,
		"nor more than twice a window's limit":                                                   triple,
		"the smallest limit that refuses nothing can be read off the log":                        replayLater(7 * time.Second),
	})
}

func TestTraceReplayFiguresAndFindingsSayWhatWasMeasured(t *testing.T) {
	d := quickly(t, "trace-replay", trueLab(true), 1, all)
	assert.Equal(t, map[string]string{
		"refused":  "At 20 a minute the same log loses 33.2% under a token bucket and 36.7% under a sliding counter",
		"limiters": "24 limiters give 13 different answers to the same logs: at 20 a minute token bucket refuses 29.6% of tour and leaky meter 76.2%",
	}, drawAll(t, d))
	drawsNothing(t, d)
	findings, err := d.Experiment.Findings(d)
	require.NoError(t, err)
	for _, f := range findings {
		t.Log(f)
		assert.NotContains(t, f, "NaN")
	}
	assert.Contains(t, strings.Join(findings, "\n"), " are what ratelab decide answers to the same row")
}

func TestTraceReplayRefusesSettingsThatMakeNoSense(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	refuses(t, "trace-replay", [][3]string{
		{"part", "reply", `did you mean "replay"?`},
		{"log", filepath.Join(dir, "none.log"), "none.log: no such file or directory; name a file, or a log that comes with the program: tour, shop"},
		{"log", dir, "is a folder; want a file"},
		{"log", write("empty.csv", ""), "empty.csv: "},
		{"log", write("fault.csv", "t,key\n1,a\nx,b\n2,c\n3,d\n"), "fault.csv: line 3: "},
		{"log", write("before.csv", "t,key\n-1,a\n"), "its first request comes at -1 s; want none before 0"},
		{"limiter", "tokenbucket", `did you mean "token-bucket"?`},
		{"limit", "0", "whole number in 1..1000000"},
		{"servers", "65", "whole number in 1..64"},
		{"cost", "two", "known: one, mixed"},
	})
}

// The cells of a file are those of its text: a file that has changed is another.
func TestAFileThatHasChangedIsReplayedAnew(t *testing.T) {
	e, err := Lookup("trace-replay")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "some.csv")
	o := Options{
		Out: t.TempDir(), Seed: 1, Quick: true, Program: Program{Hash: "one"},
		Set:   []Setting{{"log", []string{file}}, {"limiter", []string{"fixed-window"}}, {"limit", []string{"5"}}, {"cost", []string{"one"}}, {"servers", []string{"1"}}},
		Where: []string{"part = 'replay'"},
	}
	run := func(text string) (Outcome, float64) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		out, err := Run(t.Context(), e, o)
		require.NoError(t, err)
		d, err := Load(e, o.Out, "one")
		require.NoError(t, err)
		refused, _, _ := d.Mean("refused")
		return out, refused
	}
	seven, six := "t,key\n"+strings.Repeat("1,a\n", 7), "t,key\n"+strings.Repeat("1,a\n", 6)

	out, refused := run(seven)
	assert.Equal(t, 2.0, refused)
	assert.Equal(t, 0, out.Cached)
	out, _ = run(seven)
	assert.True(t, out.Fresh, "nothing has changed")

	out, refused = run(six)
	assert.Equal(t, 1.0, refused, "not what another text gave")
	assert.False(t, out.Fresh)
	assert.Equal(t, 0, out.Cached)

	out, refused = run(seven)
	assert.Equal(t, 2.0, refused)
	assert.Equal(t, out.Done, out.Cached, "the first text again: its cells are there")

	survey, err := e.Survey(o)
	require.NoError(t, err)
	assert.True(t, survey.Fresh)
	require.NoError(t, os.WriteFile(file, []byte(six+"2,b\n"), 0o600))
	survey, err = e.Survey(o)
	require.NoError(t, err)
	assert.ErrorContains(t, survey.Why, "what they were made of has changed")
	for _, state := range survey.States {
		assert.False(t, state.Cached, "%s", state.Cell.Key())
	}
}

// All cells of a run see one text, whatever becomes of the file meanwhile.
func TestARunSeesOneTextOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "some.csv")
	require.NoError(t, os.WriteFile(file, []byte("t\n1\n"), 0o600))
	digest, err := replayContent("log", file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte("t\n1\n2\n"), 0o600))
	l, err := holdReplayLog(file, false)
	require.NoError(t, err)
	assert.Equal(t, digest, "sha256:"+l.digest)
	assert.Len(t, l.log.Records, 1)
	again, err := replayContent("log", file)
	require.NoError(t, err)
	assert.NotEqual(t, digest, again)
	require.NoError(t, os.Remove(file))
	_, err = replayContent("log", file)
	var input *logs.InputError
	require.True(t, errors.As(err, &input))
	assert.Equal(t, file, input.File)
}

func TestALogWithCostsIsReplayedUnderThoseThatKnowThem(t *testing.T) {
	file := filepath.Join(t.TempDir(), "costs.csv")
	require.NoError(t, os.WriteFile(file, []byte("t,key,cost\n1,\"a, b\",3\n1.000000001,\"a, b\",3\n2,c,9\n"), 0o600))
	e, err := Lookup("trace-replay")
	require.NoError(t, err)
	plan := e.plan(trueLab(true))
	require.NoError(t, plan.Override("log", []string{file}))
	plan.Where = func(get func(string) string) bool {
		return e.Where(get) && get("part") == "replay" && get("limit") == "5" && get("cost") == "one" || get("limiter") == "nginx" && get("limit") == "10"
	}
	runs := execute(t, plan)
	for _, c := range []struct {
		limiter, metric string
		want            float64
	}{{"token-bucket", "refused", 2}, {"token-bucket", "rows_differ", 0}, {"token-bucket", "keys_refused", 2}, {"nginx", "offered", 3}} {
		rows, err := runs.Where("limiter", c.limiter)
		require.NoError(t, err)
		values, err := rows.Floats(c.metric)
		require.NoError(t, err)
		assert.Equal(t, c.want, sweep.NewEstimate(values).Mean, "%v", c)
	}
	rows, err := runs.Where("limiter", "nginx")
	require.NoError(t, err)
	values, err := rows.Floats("refused")
	require.NoError(t, err)
	assert.Equal(t, 0, sweep.NewEstimate(values).N, "it knows no such requests")
}
