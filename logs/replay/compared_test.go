package replay

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
	"ratelab/logs"
	"ratelab/logs/decide"
)

// behind is a log that was written behind a token bucket, and some statuses besides.
func behind(t *testing.T, bucket string) *logs.Log {
	t.Helper()
	s, err := limiters.Parse(bucket)
	require.NoError(t, err)
	l := s.New(1, nil)
	var text strings.Builder
	text.WriteString("t,key,status\n")
	for i := range 3000 {
		key := uint32(i * i % 7)
		status := "200"
		if ok, _ := l.Admit(time.Duration(i)*100*time.Millisecond, key, 1); !ok {
			status = "429"
		}
		switch {
		case i%500 == 3:
			status = "503" // an outage
		case i%500 == 4:
			status = "500"
		case i%500 == 5:
			status = ""
		}
		fmt.Fprintf(&text, "%d.%d,k%d,%s\n", i/10, i%10, key, status)
	}
	return fromText(t, text.String())
}

func TestTheLimiterThatWroteTheLogAgreesWithIt(t *testing.T) {
	log := behind(t, "token-bucket:rate=1/s,burst=3")
	report, err := Run(log, Options{Limiters: []string{"token-bucket:rate=1/s,burst=3", "gcra:rate=2/s,burst=3"}, Observed: true})
	require.NoError(t, err)
	own, other := report.Limiters[0].Observed, report.Limiters[1].Observed
	assert.EqualValues(t, 6, own.Unknown)
	assert.EqualValues(t, 3000-6, own.Known())
	assert.Positive(t, own.Both)
	assert.LessOrEqual(t, own.OnlyLog+own.OnlyLimiter, int64(12), "the outages, and errors at requests that it refuses")
	assert.Greater(t, other.OnlyLog, own.OnlyLog, "twice the rate refuses less")
	assert.EqualValues(t, own.Known(), other.Known())
}

func TestComparedCountsAreThoseOfTheRequests(t *testing.T) {
	log := behind(t, "token-bucket:rate=1/s,burst=3")
	for _, text := range every {
		report, err := Run(log, Options{Limiters: []string{text}, Observed: true, Seed: 7})
		require.NoError(t, err)
		s, err := limiters.Parse(text)
		require.NoError(t, err)
		l := s.New(7, log.Keys.Text)
		counts := map[string]map[[2]bool]int64{"": {}}
		for _, r := range log.Records {
			ok, _ := l.Admit(time.Duration(r.At), r.Key, r.Cost)
			if r.Status == 0 {
				continue
			}
			of := [2]bool{r.Status == 429 || r.Status == 503, !ok}
			key := log.Keys.Text(r.Key)
			if counts[key] == nil {
				counts[key] = map[[2]bool]int64{}
			}
			counts[key][of]++
			counts[""][of]++
		}
		o := report.Limiters[0].Observed
		assert.Equal(t, counts[""], map[[2]bool]int64{{true, true}: o.Both, {true, false}: o.OnlyLog, {false, true}: o.OnlyLimiter, {false, false}: o.Neither}, text)
		assert.Equal(t, o.Both+o.OnlyLimiter, report.Limiters[0].Refused-unknownRefused(log, s), text)
		for i, k := range o.Worst {
			want := counts[k.Key]
			assert.Equal(t, KeyObserved{k.Key, want[[2]bool{true, true}], want[[2]bool{true, false}], want[[2]bool{false, true}], want[[2]bool{false, false}]}, k, text)
			if i > 0 {
				assert.GreaterOrEqual(t, o.Worst[i-1].Differ(), k.Differ())
			}
		}
	}
}

func unknownRefused(log *logs.Log, s limiters.Spec) (n int64) {
	l := s.New(7, log.Keys.Text)
	for _, r := range log.Records {
		if ok, _ := l.Admit(time.Duration(r.At), r.Key, r.Cost); !ok && r.Status == 0 {
			n++
		}
	}
	return n
}

func TestLayersAreComparedToo(t *testing.T) {
	log := read(t, logs.Options{Columns: []string{"ip"}}, "../testdata/tour.log")
	report, err := Run(log, Options{Layers: []limiters.LayersSpec{layersOf(t, limiters.ChargeAdmitted, "ip=token-bucket:rate=1/s,burst=10")}, Observed: true})
	require.NoError(t, err)
	o := report.Limiters[0].Observed
	assert.Equal(t, [4]int64{0, 0, 157, 2128 - 157}, [4]int64{o.Both, o.OnlyLog, o.OnlyLimiter, o.Neither})
	assert.Equal(t, 6, o.KeysDiffer)
}

// A timeline is what decide answers the same key, request by request.
func TestATimelineIsWhatDecideAnswers(t *testing.T) {
	log := fromText(t, "t,key,cost\n0,a,1\n0,b,9\n0.5,a,2\n0.6,a,5\n0.7,a,1\n0.8,b,1\n9,a,1\n")
	key := "a"
	for _, text := range every {
		report, err := Run(log, Options{Limiters: []string{text}, Explain: &key, Seed: 7})
		require.NoError(t, err)
		var out, in, want bytes.Buffer
		require.NoError(t, report.Write(&out, "csv"))
		in.WriteString("t,key,cost\n0,a,1\n0,b,9\n0.5,a,2\n0.6,a,5\n0.7,a,1\n0.8,b,1\n9,a,1\n")
		require.NoError(t, decide.Run("-", &want, decide.Options{Limiter: text, Seed: 7, Stream: true, Stdin: &in}))
		rows, err := csv.NewReader(&out).ReadAll()
		require.NoError(t, err)
		answers, err := csv.NewReader(&want).ReadAll()
		require.NoError(t, err)
		var got, expected [][]string
		for _, row := range rows[1:] {
			got = append(got, []string{row[2], row[1], row[3], row[4], row[5], row[6], row[7]})
		}
		for _, row := range answers[1:] {
			if row[1] == "a" {
				expected = append(expected, []string{row[0], row[1], row[2], row[3], row[4], row[5], row[7]})
			}
		}
		assert.Equal(t, expected, got, text)
		out.Reset()
		require.NoError(t, report.Write(&out, "json"))
		assert.True(t, json.Valid(out.Bytes()))
	}
}

func TestExplainingChangesNoDecision(t *testing.T) {
	log, key := read(t, logs.Options{}, "../testdata/tour.log"), "10.0.0.3"
	for _, eviction := range []string{"none", "lru:capacity=2"} {
		e, err := limiters.ParseEviction(eviction)
		require.NoError(t, err)
		with, err := Run(log, Options{Limiters: every, Explain: &key, Eviction: e, Seed: 1})
		require.NoError(t, err)
		without, err := Run(log, Options{Limiters: every, Eviction: e, Seed: 1})
		require.NoError(t, err)
		for i := range with.Limiters {
			steps := with.Limiters[i].Timeline.Steps
			refused := int64(0)
			for _, s := range steps {
				if !s.Decision.Admitted {
					refused++
				}
			}
			assert.Len(t, steps, 363)
			for _, k := range without.Limiters[i].Worst {
				if k.Key == key {
					assert.Equal(t, k.Refused, refused)
				}
			}
			with.Limiters[i].Timeline = nil
		}
		assert.Equal(t, without.Limiters, with.Limiters)
	}
}

func TestFoldsHaveEveryStepOnce(t *testing.T) {
	for name, pattern := range map[string]string{
		"short": "aaarr", "long": strings.Repeat("a", 40) + "r" + strings.Repeat("r", 40) + "a", "five": "aaaaa", "six": "aaaaaa",
		"to and fro": strings.Repeat("ar", 4000), "one": "r", "none": "",
	} {
		timeline := &Timeline{}
		for _, c := range pattern {
			timeline.Steps = append(timeline.Steps, Step{Decision: limiters.Decision{Admitted: c == 'a'}})
		}
		next, shown := 0, 0
		for _, f := range timeline.folds() {
			assert.Equal(t, next, f.first, name)
			assert.GreaterOrEqual(t, f.last, f.first, name)
			next = f.last + 1
			shown += f.rows()
			if f.left {
				assert.Greater(t, f.last, f.first, "%s: a line for one step saves nothing", name)
			}
		}
		assert.Equal(t, len(pattern), next, name)
		assert.LessOrEqual(t, shown, mostShown+10, name)
	}
}

func TestWhatCanNotBeComparedOrExplainedIsSaid(t *testing.T) {
	log, key := fromText(t, "t,key\n0,anna\n1,ben\n"), "ana"
	_, err := Run(log, Options{Limiters: every[:1], Observed: true})
	assert.ErrorContains(t, err, "the log says no status; name its field with --status")
	_, err = Run(log, Options{Limiters: every[:1], Explain: &key})
	assert.EqualError(t, err, `--explain: the log has no key "ana" (did you mean "anna"?); its keys are those of key, as in "anna"`)
	_, err = Run(fromText(t, "t\n0\n"), Options{Limiters: every[:1], Explain: &key})
	assert.ErrorContains(t, err, `its keys are all "", as it has no key column`)
	_, err = Run(log, Options{Layers: []limiters.LayersSpec{layersOf(t, limiters.ChargeAdmitted, "global=gcra:rate=1/s,burst=1")}, Explain: &key})
	assert.ErrorContains(t, err, "excludes --layer")
}

func TestWholeSecondsAreComparedByKeyAndSecond(t *testing.T) {
	// The log refused the first of two in a second, the limiter refuses the second; then each refuses one more than the other.
	log := fromText(t, "t,key,status\n0,a,429\n0,a,200\n0,b,200\n10,a,200\n10,a,200\n20,b,429\n30,b,\n")
	report, err := Run(log, Options{Limiters: []string{"token-bucket:rate=1/s,burst=1", "token-bucket:rate=1/s,burst=9"}, Observed: true})
	require.NoError(t, err)
	o := report.Limiters[0].Observed
	assert.EqualValues(t, 2, o.Agree(), "b in second 0 and the first of a in second 10")
	assert.EqualValues(t, 4, o.InSeconds, "a in second 0, too")
	assert.True(t, o.WholeSeconds)
	assert.EqualValues(t, 4, report.Limiters[1].Observed.InSeconds, "nothing is left of the limiter before")
	var b bytes.Buffer
	require.NoError(t, report.Write(&b, "table"))
	assert.Contains(t, b.String(), "  times are whole seconds: counted by key and second, 4 of 6 alike (66.67 %)\n")

	fine := behind(t, "token-bucket:rate=1/s,burst=3")
	report, err = Run(fine, Options{Limiters: []string{"token-bucket:rate=2/s,burst=3"}, Observed: true})
	require.NoError(t, err)
	o = report.Limiters[0].Observed
	assert.False(t, o.WholeSeconds)
	assert.GreaterOrEqual(t, o.InSeconds, o.Agree())
	assert.LessOrEqual(t, o.InSeconds, o.Known())
}

func TestALogWithoutRefusalsHasNothingToCompare(t *testing.T) {
	log := fromText(t, "t,status\n0,200\n0,404\n")
	report, err := Run(log, Options{Limiters: []string{"token-bucket:rate=1/s,burst=1"}, Observed: true})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, report.Write(&b, "table"))
	assert.Contains(t, b.String(), "  the log has no 429 or 503: there is no refusal to compare with\n")
	assert.NotContains(t, b.String(), "decided alike")
}
