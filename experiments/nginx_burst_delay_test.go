package experiments

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments/scenario"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

// nginxClock cuts the times that a lab's limiters see.
func nginxClock(unit time.Duration) breakage {
	return func(lab *Lab) {
		limiter := lab.Limiter
		lab.Limiter = func(s limiters.Spec, seed uint64) limiters.Limiter { return nginxCoarse{limiter(s, seed), unit} }
	}
}

type nginxCoarse struct {
	limiters.Limiter
	unit time.Duration
}

func (l nginxCoarse) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.Limiter.Admit(now.Truncate(l.unit), key, cost)
}

// nginxLate holds what it admits for 2 ms more.
func nginxLate(lab *Lab) {
	limiter, simulate := lab.Limiter, lab.Simulate
	lab.Limiter = func(s limiters.Spec, seed uint64) limiters.Limiter { return nginxSlow{limiter(s, seed)} }
	lab.Simulate = func(ctx context.Context, c scenario.Config) (scenario.Result, error) {
		r, err := simulate(ctx, c)
		rate, _ := c.Limiter.Rate()
		for i := range r {
			if r[i].Name == "delay_mean" {
				r[i].Value += 0.5 / rate.PerSecond()
			}
		}
		return r, err
	}
}

type nginxSlow struct{ limiters.Limiter }

func (l nginxSlow) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	ok, held := l.Limiter.Admit(now, key, cost)
	if ok {
		held += 2 * time.Millisecond
	}
	return ok, held
}

// nginxIsQueue puts the leaky queue in the place of nginx.
var nginxIsQueue = boundaryOther(func(s limiters.Spec) (limiters.Spec, error) {
	if s.Name() != "nginx" {
		return s, nil
	}
	rate, _, err := nginxRate(s.Param("rate"))
	if err != nil {
		return s, err
	}
	return nginxQueue(rate, s.Param("burst"))
})

// nginxOneMore makes the burst one larger.
var nginxOneMore = boundaryOther(func(s limiters.Spec) (limiters.Spec, error) {
	parameter := "burst"
	if s.Name() != "nginx" {
		parameter = "queue"
	}
	return s.With(parameter, strconv.FormatInt(s.Capacity(), 10))
})

func TestNginxBurstDelayClaims(t *testing.T) {
	testClaims(t, "nginx-burst-delay", map[string]breakage{
		"nginx as it is simulated answers what nginx 1.22.1 answered":                                                 nginxIsQueue,
		"of requests at one instant burst + 1 pass, however they are held":                                            nginxOneMore,
		"of these, delay and the first pass at once, the others wait; with nodelay nobody does":                       nginxLate,
		"the last of these waits as long as the rate takes for burst - delay requests, cut to ms":                     nginxLate,
		"without a burst requests pass in whole ms, one in 62.5 s at 1r/m":                                            nginxIsQueue,
		"with a burst the long-run rate is the rate that nginx keeps, less a thousandth at most":                      nginxIsQueue,
		"at whole requests a second nginx decides as the leaky queue does on arrivals cut to whole ms":                nginxClock(2 * time.Millisecond),
		"and then holds requests as long, less a ms at most":                                                          nginxLate,
		"a leaky queue of as many places as the burst refuses of Poisson traffic what M/D/1/K does, K = burst + 1":    nginxOneMore,
		"and what it admits waits as in M/D/1/K":                                                                      nginxLate,
		"nginx refuses of Poisson traffic what the queue does that takes what comes in a ms at once":                  nginxIsQueue,
		"and holds it as long as that queue":                                                                          nginxLate,
		"nginx refuses what M/D/1/K does, but for what a burst larger or smaller by the rate times 1 ms would change": nginxOneMore,
	})
}

// TestNginxAnswersAreThoseOfTheCases holds the requests of part answers against
// the cases that the limiters are tested by.
func TestNginxAnswersAreThoseOfTheCases(t *testing.T) {
	file, err := os.Open("../limiters/testdata/decide.jsonl")
	require.NoError(t, err)
	defer file.Close()
	type known struct {
		Limiter  string
		Arrivals [][]any
		Evidence string
		Expect   struct {
			Admitted []bool
			Delay    []*string
		}
	}
	cases := make(map[string]known)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var k known
		if json.Unmarshal(lines.Bytes(), &k) == nil && k.Evidence == "run: nginx 1.22.1" {
			key := k.Limiter
			for _, a := range k.Arrivals {
				key += " " + a[0].(string)
			}
			cases[key] = k
		}
	}
	require.NoError(t, lines.Err())
	for _, c := range nginxCases {
		s, err := nginxSpec(c.rate, c.burst, c.hold)
		require.NoError(t, err)
		key := s.String()
		for _, ms := range c.at {
			key += " " + strconv.FormatFloat(float64(ms)/1000, 'g', -1, 64)
		}
		k, ok := cases[key]
		require.True(t, ok, "nginx 1.22.1 was asked %q", key)
		for i, admitted := range k.Expect.Admitted {
			assert.Equal(t, admitted, c.passed[i] == '1', "%s: request %d", c.name, i+1)
		}
		if k.Expect.Delay != nil {
			for i, held := range c.held {
				assert.Equal(t, *k.Expect.Delay[i], strconv.FormatFloat(float64(held)/1000, 'g', -1, 64), "%s: request %d", c.name, i+1)
			}
		}
	}
}

func TestNginxBurstDelayFiguresSayWhatWasMeasured(t *testing.T) {
	d := quickly(t, "nginx-burst-delay", trueLab(true), 2, func(get func(string) string) bool {
		return get("part") == "story" || get("part") == "poisson" && get("load") == "1" && get("workload") == "poisson" && get("limiter") == "nginx"
	})
	assert.Equal(t, map[string]string{
		"story": "burst=5 lets 10 of 20 pass instead of 2; delay and nodelay decide only when, not how many",
		"clock": "A clock of 1 ms is nothing to 10 requests a second; at 1000 a second nginx without a burst refuses 37%, not 50%",
	}, drawAll(t, d))
	drawsNothing(t, d)
}

func TestNginxBurstDelayRefusesSettingsThatMakeNoSense(t *testing.T) {
	refuses(t, "nginx-burst-delay", [][3]string{
		{"part", "storry", `did you mean "story"?`},
		{"limiter", "gcra", "unknown"},
		{"case", "at-one", `did you mean "at-once"?`},
		{"workload", "steady", "unknown"},
		{"rate", "10/s", "<number>r/s or <number>r/m"},
		{"rate", "0r/s", "from 1 to 1000000"},
		{"burst", "-1", "from 0 to 1000"},
		{"hold", "delay", "nodelay or a whole number"},
		{"load", "0", "0.01..1000"},
		{"moment", "101", "from 0 to 100"},
	})
}

func TestNginxRateIsCutToThousandths(t *testing.T) {
	for _, test := range []struct {
		text  string
		rate  string
		milli int64
	}{{"10r/s", "10/s", 10_000}, {"1r/m", "1/m", 16}, {"7r/m", "7/m", 116}, {"30r/m", "30/m", 500}} {
		rate, milli, err := nginxRate(test.text)
		require.NoError(t, err)
		want, err := spec.ParseRate(test.rate)
		require.NoError(t, err)
		assert.Equal(t, want, rate)
		assert.Equal(t, test.milli, milli)
	}
}
