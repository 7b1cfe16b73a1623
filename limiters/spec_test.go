package limiters_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/spec"
	"ratelab/limiters"
)

func TestCanonicalLimiters(t *testing.T) {
	assert.Equal(t, []string{
		"fixed-window", "gcra", "leaky-meter", "leaky-queue", "sliding-counter", "sliding-log", "token-bucket",
	}, limiters.Canonical())
}

func TestEveryLimiterIsDocumented(t *testing.T) {
	for _, e := range limiters.Entries() {
		assert.NotEmpty(t, e.Doc, e.Name)
		assert.NotEmpty(t, e.More, e.Name)
		for _, p := range e.Params {
			assert.NotEmpty(t, p.Unit, "%s %s", e.Name, p.Name)
			assert.NotEmpty(t, p.Doc, "%s %s", e.Name, p.Name)
		}
	}
}

func TestSpecSaysWhatItIs(t *testing.T) {
	second := time.Second
	for _, c := range []struct {
		text     string
		capacity int64
		rate     spec.Rate
		hasRate  bool
		window   time.Duration
		w        time.Duration
		promise  int64
	}{
		{"fixed-window:limit=100,window=1m", 100, spec.Rate{N: 1, P: 600 * time.Millisecond}, true, time.Minute, time.Hour, 100},
		{"fixed-window:limit=0,window=1m", 0, spec.Rate{}, false, time.Minute, time.Minute, 0},
		{"fixed-window:limit=1,window=1000d", 1, spec.Rate{N: 1, P: 24000 * time.Hour}, true, 24000 * time.Hour, second, 1},
		{"sliding-log:limit=5,window=1s,count=all", 5, spec.Rate{N: 1, P: 200 * time.Millisecond}, true, second, second, 5},
		{"sliding-counter:limit=7,window=7s,rule=below", 7, spec.Rate{N: 1, P: second}, true, 7 * second, second, 7},
		{"token-bucket:rate=2/s,burst=20", 20, spec.Rate{N: 1, P: second / 2}, true, 0, 1600 * time.Millisecond, 23},
		{"token-bucket:rate=2/s,burst=20", 20, spec.Rate{N: 1, P: second / 2}, true, 0, -second, 20},
		{"token-bucket:rate=100/m,burst=5,refill=interval", 5, spec.Rate{N: 1, P: 600 * time.Millisecond}, true, 0, time.Minute, 105},
		{"gcra:rate=10/13s,burst=0", 0, spec.Rate{N: 1, P: 1300 * time.Millisecond}, true, 0, 13 * second, 10},
		{"gcra:rate=9000000000000000/ns,burst=3", 3, spec.Rate{N: 9e15, P: 1}, true, 0, time.Hour, math.MaxInt64},
		{"leaky-meter:rate=1/h", 1, spec.Rate{N: 1, P: time.Hour}, true, 0, time.Hour, 2},
		{"leaky-queue:rate=1/s,queue=5", 6, spec.Rate{N: 1, P: second}, true, 0, 2 * second, 8},
	} {
		s := parse(t, c.text)
		assert.Equal(t, c.text, s.String())
		name, _, _ := strings.Cut(c.text, ":")
		assert.Equal(t, name, s.Name())
		assert.Equal(t, c.capacity, s.Capacity(), c.text)
		rate, ok := s.Rate()
		assert.Equal(t, c.hasRate, ok, c.text)
		assert.Equal(t, c.rate, rate, c.text)
		window, ok := s.Window()
		assert.Equal(t, c.window, window, c.text)
		assert.Equal(t, c.window != 0, ok, c.text)
		assert.Equal(t, c.promise, s.Promise(c.w), "%s in %s", c.text, c.w)
	}
}

func TestFaultySpecsSayWhatWouldBeRight(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                         `unknown limiter ""`,
		"token-buket:rate=1/s":                                     `did you mean "token-bucket"`,
		"token-bucket:rate=1/s":                                    "burst",
		"token-bucket:burst=1":                                     "rate",
		"gcra:rate=0/s,burst=1":                                    "must be > 0",
		"gcra:rate=1/s,burst=-1":                                   "burst",
		"gcra:rate=1/s,burst=9007199254740992":                     "2^53",
		"gcra:rate=1/s,burst=1,burst=2":                            "twice",
		"gcra:rate=1/s,burst=1,initial=1":                          `no parameter "initial"`,
		"token-bucket:rate=1/s,burst=2,initial=3":                  "initial must be at most the burst, 2, got 3",
		"token-bucket:rate=1/s,burst=2,refill=often":               "continuous or interval",
		"token-bucket:rate=1/0s,burst=2,refill=interval":           "rate",
		"token-bucket:rate=1/2/3/s,burst=2,refill=interval":        "rate",
		"token-bucket:rate=1/3/s,burst=2":                          "rate",
		"fixed-window:limit=1,window=0s":                           "window must be > 0",
		"fixed-window:limit=1,window=-1s":                          "window must be > 0",
		"fixed-window:limit=1,window=1s,origin=last":               "epoch or first",
		"fixed-window:limit=1,window=1s,jitter=-1s":                "jitter must be >= 0",
		"fixed-window:limit=1,window=1s,jitter=1001ms":             "jitter must be at most the window, 1s, got 1001ms",
		"fixed-window:limit=1,window=1s,origin=first,jitter=500ms": "jitter needs origin=epoch",
		"sliding-counter:limit=1,window=1s,rule=above":             "fits or below",
		"sliding-log:limit=1,window=1s,count=none":                 "admitted or all",
		"leaky-meter:rate=1/s,burst=1":                             `no parameter "burst"`,
		"leaky-queue:rate=1/s":                                     "queue",
	} {
		_, err := limiters.Parse(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		text            string
		num, den, extra int64
		want            string
	}{
		{"fixed-window:limit=10,window=1s,origin=first", 1, 3, 1, "fixed-window:limit=4,window=1s,origin=first"},
		{"fixed-window:limit=2,window=1s", 1, 3, 0, "fixed-window:limit=0,window=1s"},
		{"sliding-log:limit=10,window=1s,count=all", 4, 7, 0, "sliding-log:limit=5,window=1s,count=all"},
		{"sliding-counter:limit=10,window=1s,rule=below", 1, 4, 0, "sliding-counter:limit=2,window=1s,rule=below"},
		{"token-bucket:rate=10/s,burst=20", 1, 4, 0, "token-bucket:rate=150/m,burst=5"},
		{"token-bucket:rate=100/s,burst=20", 1, 3, 0, "token-bucket:rate=2000/m,burst=6"},
		{"token-bucket:rate=100/s,burst=20", 1, 7, 0, "token-bucket:rate=1/70ms,burst=2"},
		{"token-bucket:rate=100/m,burst=20,initial=10", 1, 3, 1, "token-bucket:rate=2000/h,burst=7,initial=3"},
		{"token-bucket:rate=100/m,burst=20,initial=0", 1, 3, 1, "token-bucket:rate=2000/h,burst=7,initial=0"},
		{"token-bucket:rate=100/m,burst=20,initial=20", 1, 3, -2, "token-bucket:rate=2000/h,burst=4,initial=4"},
		{"token-bucket:rate=100/m,burst=20,refill=interval", 1, 2, 0, "token-bucket:rate=50/m,burst=10,refill=interval"},
		{"token-bucket:rate=100/m,burst=20,refill=interval", 1, 8, 0, "token-bucket:rate=12.5/m,burst=2,refill=interval"},
		{"token-bucket:rate=100/m,burst=20,refill=interval", 1, 3, 0, "token-bucket:rate=100/3/m,burst=6,refill=interval"},
		{"token-bucket:rate=100/3/m,burst=6,refill=interval", 3, 1, 2, "token-bucket:rate=100/m,burst=20,refill=interval"},
		{"gcra:rate=10/s,burst=3", 1, 4, 0, "gcra:rate=150/m,burst=0"},
		{"gcra:rate=10/s,burst=3", 2, 1, 0, "gcra:rate=20/s,burst=6"},
		{"leaky-meter:rate=10/s", 1, 5, 1, "leaky-meter:rate=2/s"},
		{"leaky-meter:rate=10/s", 1, 5, 0, "gcra:rate=2/s,burst=0"},
		{"leaky-meter:rate=10/s", 2, 1, 0, "gcra:rate=20/s,burst=2"},
		{"leaky-queue:rate=10/s,queue=5", 1, 2, 0, "leaky-queue:rate=5/s,queue=2"},
		{"leaky-queue:rate=10/s,queue=5", 1, 5, 0, "leaky-queue:rate=2/s,queue=0"},
		{"leaky-queue:rate=10/s,queue=5", 1, 10, 0, "gcra:rate=1/s,burst=0"},
	} {
		s, err := parse(t, c.text).Scale(c.num, c.den, c.extra)
		if assert.NoError(t, err, c.text) {
			assert.Equal(t, c.want, s.String(), "%s × %d/%d + %d", c.text, c.num, c.den, c.extra)
		}
	}
}

func TestScaleRefusesWhatCanNotBeWritten(t *testing.T) {
	s := parse(t, "token-bucket:rate=10/s,burst=20")
	for _, c := range [][3]int64{{0, 1, 0}, {1, 0, 0}, {-1, 2, 0}, {1, 20, -2}, {1, 1, math.MaxInt64}, {1, 1, math.MinInt64}, {math.MaxInt64, 1, 0}, {1, math.MaxInt64, 0}} {
		_, err := s.Scale(c[0], c[1], c[2])
		assert.ErrorContains(t, err, `"token-bucket:rate=10/s,burst=20"`, "%v", c)
	}
}

func TestSharesAddUpToTheWhole(t *testing.T) {
	for _, name := range limiters.Canonical() {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			s := drawSpec(t, name, rapid.SampledFrom([]regime{tiny, usual}).Draw(t, "regime"))
			n := rapid.Int64Range(1, 40).Draw(t, "servers")
			var capacity int64
			rate := rat(0)
			for i := range n {
				extra := int64(0)
				if i < s.Capacity()%n {
					extra = 1
				}
				share, err := s.Scale(1, n, extra)
				require.NoError(t, err)
				capacity += share.Capacity()
				if _, windowed := s.Window(); !windowed {
					r, ok := share.Rate()
					require.True(t, ok)
					rate = sum(rate, over(rat(r.N), rat(int64(r.P))))
				}
				again := parse(t, share.String())
				require.Equal(t, share.String(), again.String())
				require.Equal(t, share.Capacity(), again.Capacity())
			}
			require.Equal(t, s.Capacity(), capacity)
			if _, windowed := s.Window(); !windowed {
				r, _ := s.Rate()
				require.Zero(t, rate.Cmp(over(rat(r.N), rat(int64(r.P)))), "the rates add up to %s", rate)
			}
		}))
	}
}

func TestWithSetsOneParameter(t *testing.T) {
	s := parse(t, "token-bucket:rate=1/s,burst=5")
	for _, c := range [][3]string{
		{"rate", "3/m", "token-bucket:rate=3/m,burst=5"},
		{"burst", "7", "token-bucket:rate=1/s,burst=7"},
		{"initial", "2", "token-bucket:rate=1/s,burst=5,initial=2"},
	} {
		with, err := s.With(c[0], c[1])
		require.NoError(t, err)
		assert.Equal(t, c[2], with.String())
	}
	assert.Equal(t, "token-bucket:rate=1/s,burst=5", s.String(), "the spec itself is as it was")
	_, err := s.With("brust", "7")
	assert.ErrorContains(t, err, `did you mean "burst"`)
	_, err = s.With("burst", "many")
	assert.ErrorContains(t, err, "burst")
	_, err = s.With("initial", "6")
	assert.ErrorContains(t, err, "at most the burst")
}

func TestTextsRoundTrip(t *testing.T) {
	for _, name := range limiters.Canonical() {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			r := rapid.SampledFrom([]regime{tiny, usual, extreme}).Draw(t, "regime")
			s := drawSpec(t, name, r)
			again := parse(t, s.String())
			require.Equal(t, s.String(), again.String())
			a, b := s.New(1, nil), again.New(1, nil)
			for _, o := range drawOps(t, s, r, 8, true) {
				require.Equal(t, run(a, o), run(b, o))
			}
		}))
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"token-bucket:rate=2/s,burst=20", "token-bucket:rate=100/3/m,burst=20,initial=3,refill=interval",
		"gcra:rate=10/13s,burst=3", "leaky-meter:rate=0.5/s", "leaky-queue:rate=1/1m30s,queue=3",
		"fixed-window:limit=4,window=1d,jitter=1h", "fixed-window:limit=4,window=1s,origin=first",
		"sliding-log:limit=2,window=10s,count=all", "sliding-counter:limit=7,window=7s,rule=below,count=all",
		"gcra:rate=9007199254740991/9007199254740991ns,burst=9007199254740991", "gcra", "gcra:", ":", "gcra:=,", "gcra:rate=/,burst=",
	} {
		f.Add(text, int64(0), int64(1))
	}
	f.Fuzz(func(t *testing.T, text string, now, cost int64) {
		s, err := limiters.Parse(text)
		if err != nil {
			assert.NotEmpty(t, err.Error())
			return
		}
		again, err := limiters.Parse(s.String())
		require.NoError(t, err, "%q reads back", s)
		require.Equal(t, s.String(), again.String())
		if !isCanonical(s.Name()) {
			return
		}
		l := s.New(1, nil)
		for _, at := range []int64{now, now + 1, -now, math.MaxInt64, math.MinInt64} {
			d := l.Take(time.Duration(at), 0, max(1, cost))
			require.LessOrEqual(t, d.Remaining, d.Limit)
			require.GreaterOrEqual(t, d.Remaining, int64(0))
			require.Equal(t, s.Capacity(), d.Limit)
		}
	})
}
