package experiments

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/experiments/sweep"
	"ratelab/experiments/theory"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

// chooseSwapped sets a parameter of one kind of limiter.
func chooseSwapped(name, parameter, value string) breakage {
	return leakySwapped(func(s limiters.Spec) limiters.Spec {
		if s.Name() != name {
			return s
		}
		return leakyMust(s.With(parameter, value))
	})
}

func TestChooseClaims(t *testing.T) {
	testClaims(t, "choose", map[string]breakage{
		"a bucket as deep and as fast as the arrival curve refuses no well-behaved request, whatever else its sender sends":       leakyMore("burst", -1),
		"who never exceeds the curve is refused nothing by a log of b* + ⌈r*·w⌉ - 1, or by a bucket at least as deep and as fast": leakyMore("limit", -20),
		"no limiter lets more through in any 10 s than what its parameters were solved for": leakySwapped(func(s limiters.Spec) limiters.Spec {
			if s.Name() != "sliding-log" {
				return s
			}
			return leakyMust(limiters.Parse(strings.Replace(s.String(), "sliding-log", "fixed-window", 1)))
		}),
		"a burst on both sides of a page turn gets twice the limit from a fixed window, all that is proved of it": chooseSwapped("fixed-window", "origin", "first"),
		"nobody who delays nothing admits more well-behaved requests than the optimum with the same worst window": leakyMore("limit", 10),
		"of all requests alike, the log admits as many as anybody can without delay who knows all that will come": chooseSwapped("sliding-log", "count", "all"),
		fmt.Sprintf("limits of one long-run rate admit just that of a flood: %d/s", chooseRate):                   leakyParameter("rule", func(limiters.Spec) string { return "below" }),
	})
}

// chosen is a short run of everything but what only claims look at.
func chosen(t *testing.T) *Data {
	t.Helper()
	return quickly(t, "choose", trueLab(true), 2, func(get func(string) string) bool { return get("part") == "window" || get("part") == "rate" })
}

func TestChooseShowsItsFrontsAndGivesAdvice(t *testing.T) {
	d := chosen(t)
	titles := drawAll(t, d)
	assert.Regexp(t, `^At most 39 in any 10 s: a bucket refuses 0\.\d% of the well-behaved, a log \d+\.\d%, a fixed window \d+\.\d%$`, titles["fronts"])

	said, err := chooseFindings(d)
	require.NoError(t, err)
	assert.Regexp(t, `^Where at most 39 may pass in any 10 s and nobody may be delayed, token-bucket:rate=2/s,burst=20, the arrival curve of the well-behaved itself, refuses the fewest well-behaved requests in 1\d of 15 traffic shapes, at 32 bytes a key`, said[0])
	for _, shape := range chooseShapes() {
		assert.Equal(t, 1, len(slices.DeleteFunc(slices.Clone(said), func(s string) bool { return !strings.HasPrefix(s, shape+": ") })), "one sentence of %s", shape)
	}
	for _, other := range chooseOtherCurves() {
		assert.True(t, slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, "If the well-behaved keep to "+other.says()) }), other.metric)
	}
	for _, sentence := range said {
		assert.NotContains(t, sentence, "NaN")
		assert.NotContains(t, sentence, "%!")
		assert.True(t, strings.HasSuffix(sentence, "."))
	}
}

func TestChooseAdviceFollowsTheData(t *testing.T) {
	d := chosen(t)
	// A world in which the bucket is broken has another answer.
	lab := trueLab(true)
	leakyMore("burst", -4)(&lab)
	other := quickly(t, "choose", lab, 2, func(get func(string) string) bool { return get("part") == "window" || get("part") == "rate" })
	here, err := chooseFindings(d)
	require.NoError(t, err)
	there, err := chooseFindings(other)
	require.NoError(t, err)
	assert.NotEqual(t, here[0], there[0])
	assert.Contains(t, there[0], "sliding-log:limit=39,window=10s")

	nothing := *d
	nothing.Summary, err = d.Summary.Where("part", "laws")
	require.NoError(t, err)
	_, err = chooseFindings(&nothing)
	assert.ErrorContains(t, err, "nothing was measured of harm")
	for _, f := range d.Experiment.Figures {
		_, err := f.Draw(&nothing)
		assert.ErrorContains(t, err, "nothing was measured of harm", f.Name)
	}
}

func TestChooseWritesItsFronts(t *testing.T) {
	e, err := Lookup("choose")
	require.NoError(t, err)
	out := t.TempDir()
	o := Options{Out: out, Quick: true, Reps: 2, Seed: 1, Program: Program{Hash: "test"}, Set: []Setting{{"workload", []string{"on-off"}}, {"most", []string{"39"}}}}
	run, err := Run(t.Context(), e, o)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(run.Dir, "fronts.csv"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	assert.Equal(t, "most,workload,limiter,spec,harm,ci_low,ci_high,worst_window,proved_window,delay,bytes_per_key,front,dominated_by,front_of_all,dominated_in_all_by", lines[0])
	assert.Contains(t, string(text), "\n39,on-off,none,none,0,0,0,")
	assert.Regexp(t, `(?m)^39,on-off,sliding-counter-fits,.*,no,"token-bucket:rate=2/s,burst=20",no,`, string(text), "who is dominated, and by whom")
	assert.Regexp(t, `(?m)^39,on-off,token-bucket,"token-bucket:rate=2/s,burst=20",0,0,0,.*,yes,,yes,$`, string(text))
	manifest, err := sweep.ReadManifest(run.Dir)
	require.NoError(t, err)
	assert.True(t, manifest.Holds(run.Dir, "fronts.csv"), "its hash is in the manifest")
	dictionary, err := os.ReadFile(filepath.Join(run.Dir, sweep.DataPackageFile))
	require.NoError(t, err)
	assert.Contains(t, string(dictionary), `"path": "fronts.csv"`)
	assert.Contains(t, string(dictionary), `"dominated_in_all_by"`)

	again, err := Run(t.Context(), e, o)
	require.NoError(t, err)
	assert.True(t, again.Fresh)
	require.NoError(t, os.Remove(filepath.Join(run.Dir, "fronts.csv")))
	again, err = Run(t.Context(), e, o)
	require.NoError(t, err)
	assert.False(t, again.Fresh, "what is missing is made again")
	made, err := os.ReadFile(filepath.Join(run.Dir, "fronts.csv"))
	require.NoError(t, err)
	assert.Equal(t, string(text), string(made))
}

func TestChooseRefusesSettingsThatMakeNoSense(t *testing.T) {
	refuses(t, "choose", [][3]string{
		{"part", "windows", `value "windows": unknown (did you mean "window"?)`},
		{"workload", "trace", `value "trace": unknown`},
		{"limiter", "token-buket", `value "token-buket": unknown (did you mean "token-bucket"?)`},
		{"tuning", "0", `value "0": want a fraction such as 1/2`},
		{"tuning", "half", `value "half": want a fraction such as 1/2`},
		{"most", "0", `value "0": must be a whole number in 1..200`},
	})
}

func TestChooseRunsWithOtherSettings(t *testing.T) {
	takes(t, "choose", []Setting{{"workload", []string{"mmpp"}}, {"most", []string{"50"}}, {"limiter", []string{"gcra"}}})
}

// On a clock the envelopes are exact, so that one more would be too many.
func TestChooseLimitsAreTheLargestThatAreProved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(8, 200).Draw(t, "most")
		limiter := rapid.SampledFrom([]string{"fixed-window", "sliding-log", "sliding-counter-fits", "sliding-counter-below", "token-bucket", chooseGCRA, "leaky-meter", "leaky-queue"}).Draw(t, "limiter")
		tuning := rapid.SampledFrom([]string{"1/2", "1"}).Draw(t, "tuning")
		if limiter == "token-bucket" || limiter == chooseGCRA {
			tuning = rapid.SampledFrom([]string{"1/4", "1/2", "3/4"}).Draw(t, "burst")
		}
		s, proved, err := chooseLimit(limiter, tuning, fmt.Sprint(most))
		require.NoError(t, err)
		assert.LessOrEqual(t, proved, float64(most))
		if window, ok := s.Window(); ok {
			_, more, err := chooseWindowLimit(limiter, big.NewRat(int64(window), int64(chooseWindow)), int64(proved))
			require.NoError(t, err)
			assert.Equal(t, proved, more, "it is attained by the same limit")
			larger := map[string]float64{
				"fixed-window": theory.FixedWindowEnvelope(s.Capacity()+1, window, chooseWindow),
				"sliding-log":  theory.LogEnvelope(s.Capacity()+1, window, chooseWindow),
			}
			if next, ok := larger[limiter]; ok {
				assert.Greater(t, next, float64(most))
			}
			return
		}
		assert.Equal(t, float64(most), proved, "rates are not rounded")
		rate, ok := s.Rate()
		require.True(t, ok)
		room := int64(1)
		if limiter == "token-bucket" || limiter == chooseGCRA {
			room = s.Capacity()
		}
		assert.Equal(t, float64(int64(most)-room+1), rate.PerSecond()*chooseWindow.Seconds())
	})
}

func TestChooseLimitsOfOneRateAndErrors(t *testing.T) {
	for _, test := range []struct{ limiter, tuning, want string }{
		{"fixed-window", "1", "fixed-window:limit=20,window=10s"},
		{"sliding-log", "1/2", "sliding-log:limit=10,window=5s"},
		{"sliding-counter-fits", "1", "sliding-counter:limit=21,window=10s,rule=fits"},
		{"sliding-counter-below", "1", "sliding-counter:limit=20,window=10s,rule=below"},
		{"token-bucket", "2", "token-bucket:rate=2/s,burst=40"},
		{"leaky-meter", "", "leaky-meter:rate=2/s"},
		{"leaky-queue", "1/2", "leaky-queue:rate=2/s,queue=10"},
	} {
		s, _, err := chooseLimit(test.limiter, test.tuning, "")
		require.NoError(t, err)
		assert.Equal(t, test.want, s.String())
	}
	_, _, err := chooseLimit("sliding-counter-fits", "1/4", "39")
	assert.ErrorContains(t, err, "no limit of a sliding-counter-fits with window 2.5s is proved to let at most 39 through in 10s")
	_, _, err = chooseLimit("token-bucket", "2", "39")
	assert.ErrorContains(t, err, "a token-bucket with room for 78 lets more than 39 through in 10s")
	_, _, err = chooseLimit("gcra", "x", "39")
	assert.ErrorContains(t, err, `tuning "x" is no fraction`)
}

func TestChooseShapesHaveOneMeanRate(t *testing.T) {
	for _, scene := range chooseScenes[:len(chooseScenes)-1] {
		sum := 0.0
		for _, text := range scene.specs {
			s, err := workloads.Parse(text)
			require.NoError(t, err)
			mean, ok := s.MeanRate()
			require.True(t, ok, text)
			sum += mean
		}
		assert.InDelta(t, chooseRate, sum/float64(scene.keys), 1e-9, scene.name)
	}
}

// chooseDrawnRequests draws the requests of two senders.
func chooseDrawnRequests(t *rapid.T) (requests []chooseRequest) {
	at := rapid.SliceOfN(rapid.IntRange(0, 20_000), 0, 30).Draw(t, "milliseconds")
	slices.Sort(at)
	for _, ms := range at {
		requests = append(requests, chooseRequest{at: time.Duration(ms) * time.Millisecond, sender: uint32(rapid.IntRange(0, 1).Draw(t, "sender"))})
	}
	return requests
}

func TestConformingRequestsKeepToTheCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := chooseDrawnRequests(t)
		curve := arrivalCurve{rapid.Int64Range(1, 5).Draw(t, "burst"), rapid.Int64Range(1, 3).Draw(t, "rate")}
		rate := spec.Rate{N: curve.rate, P: time.Second}
		well := curve.conform(requests, 2)
		standing := goodStanding{curve}.conform(requests, 2)
		for sender := range uint32(2) {
			var all, conforming []time.Duration
			for i, r := range requests {
				if r.sender != sender {
					continue
				}
				all = append(all, r.at)
				if well[i] {
					conforming = append(conforming, r.at)
				} else {
					assert.Greater(t, smallestBurst(append(slices.Clone(conforming), r.at), rate), curve.burst, "one more would exceed it")
				}
				assert.True(t, well[i] || !standing[i], "good standing asks for more")
			}
			assert.LessOrEqual(t, smallestBurst(conforming, rate), curve.burst)
			if smallestBurst(all, rate) <= curve.burst {
				assert.Equal(t, all, conforming, "who keeps to the curve is well-behaved")
			}
		}
	})
}

func TestGoodStandingIsLostForAWhile(t *testing.T) {
	var requests []chooseRequest
	for _, second := range []int{0, 0, 0, 3, 5, 6} {
		requests = append(requests, chooseRequest{at: time.Duration(second) * time.Second})
	}
	curve := arrivalCurve{2, 1}
	assert.Equal(t, []bool{true, true, false, true, true, true}, curve.conform(requests, 1))
	assert.Equal(t, []bool{true, true, false, true, true, true}, goodStanding{curve}.conform(requests, 1))
	assert.Equal(t, []bool{true, true, false, false, true, true}, goodStanding{curve}.conform(append(requests[:3:3], chooseRequest{at: 1500 * time.Millisecond}, requests[4], requests[5]), 1), "two seconds are not over")
}

func TestTheOptimumIsTheMostThatIsPossible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := chooseDrawnRequests(t)
		for i := range requests {
			requests[i].key = requests[i].sender
		}
		most := rapid.IntRange(1, 6).Draw(t, "most")
		well := arrivalCurve{3, 1}.conform(requests, 2)
		outcomes := chooseOptimum(requests, well, 2, most)
		admitted, possible := 0, 0
		for i, o := range outcomes {
			assert.True(t, well[i] || !o.admitted, "nobody else is admitted")
			if o.admitted {
				admitted++
			}
		}
		for key := range uint32(2) {
			possible += theory.MostAdmitted(chooseTimesOf(requests, key, well), most, chooseWindow)
		}
		assert.Equal(t, possible, admitted)
		assert.LessOrEqual(t, chooseWorstWindow(requests, outcomes, 2), int64(most))
	})
}
