package limiters_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
)

// scenario reads what testdata/scenarios.jsonl expects of a scenario.
func scenario(t *testing.T, id string, expect any) {
	t.Helper()
	f, err := os.Open("testdata/scenarios.jsonl")
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var c struct {
			ID     string
			Expect json.RawMessage
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		if c.ID == id {
			require.NoError(t, json.Unmarshal(c.Expect, expect))
			return
		}
	}
	require.NoError(t, lines.Err())
	t.Fatalf("no scenario %s", id)
}

func held(t require.TestingT, eviction, limiter string) *limiters.Held {
	e, err := limiters.ParseEviction(eviction)
	require.NoError(t, err)
	return e.New(parse(t, limiter), 1, nil)
}

// mem-01
func TestMemoryIsBoundedByTheKeysOfTwoWindows(t *testing.T) {
	var want struct {
		NoEviction int            `json:"no_eviction_live_keys"`
		Sweep      map[string]int `json:"with_sweep_live_just_after"`
	}
	scenario(t, "mem-01", &want)
	const limiter = "fixed-window:limit=5,window=60s"
	for _, eviction := range []string{"none", "idle:after=60s,sweep=60s", "idle:after=60s,sweep=60s,rest"} {
		l := held(t, eviction, limiter)
		for i := range 100_000 {
			l.Take(time.Duration(i)*time.Millisecond, uint32(i), 1)
		}
		live := map[string]int{}
		for _, at := range []time.Duration{120 * time.Second, 180 * time.Second} {
			l.Elapse(at - 1)
			l.Elapse(at)
			live[fmt.Sprintf("%d s", int(at.Seconds()))] = l.Keys()
		}
		if eviction == "none" {
			assert.Equal(t, want.NoEviction, l.Keys())
			continue
		}
		assert.Equal(t, want.Sweep, live, eviction)
		assert.EqualValues(t, limiters.Forgotten{ByIdleness: 100_000}, l.Forgotten(), "and none of them mattered: %s", eviction)
	}
}

// mem-02
func TestAForgottenKeyIsAdmittedAgain(t *testing.T) {
	var want struct{ Admitted, Unbounded []bool }
	scenario(t, "mem-02", &want)
	for eviction, admitted := range map[string][]bool{"lru:capacity=2": want.Admitted, "none": want.Unbounded} {
		l := held(t, eviction, "fixed-window:limit=1,window=60s")
		var got []bool
		for i, key := range []uint32{0, 1, 2, 0} {
			got = append(got, l.Take(time.Duration(i)*time.Second, key, 1).Admitted)
		}
		assert.Equal(t, admitted, got, eviction)
		if eviction != "none" {
			assert.Equal(t, limiters.Forgotten{ByCapacity: 2, Early: 2}, l.Forgotten())
		}
	}
}

// nginx-15
func TestAZoneOf32kHolds191States(t *testing.T) {
	var want struct {
		Live int `json:"live_states"`
	}
	scenario(t, "nginx-15", &want)
	l := held(t, "nginx-zone:size=32k,key=6", "nginx:rate=1r/m")
	for key := range uint32(2000) {
		assert.True(t, l.Take(today, key, 1).Admitted)
	}
	assert.Equal(t, want.Live, l.Keys())
	assert.Equal(t, want.Live, l.MostKeys())
	assert.Equal(t, limiters.Forgotten{ByCapacity: 2000 - int64(want.Live), Early: 2000 - int64(want.Live)}, l.Forgotten())
	assert.False(t, l.Take(today, 1999, 1).Admitted)
	assert.True(t, l.Take(today, 0, 1).Admitted, "a limited client has become free")
}

// ovf-04
func TestTheRefillOfALargeLimit(t *testing.T) {
	want := map[string][]int{}
	scenario(t, "ovf-04", &want)
	for name, limiter := range map[string]string{
		"right": "fixed-window:limit=100000,window=300ms", "go-limiter v0.7.1": "go-limiter:limit=100000,window=300ms",
	} {
		l := parse(t, limiter).New(1, nil)
		var got []int
		for _, at := range []time.Duration{0, 310 * ms, 920 * ms} {
			n := 0
			for admitted(l, today+at, 1) {
				n++
			}
			got = append(got, n)
		}
		assert.Equal(t, want[name], got, name)
	}
}

// hint-01
func TestAWaitOfAFractionIsAWholeSecondInAHeader(t *testing.T) {
	var want struct {
		Wait   float64 `json:"wait_s"`
		Header int     `json:"retry_after_header"`
	}
	scenario(t, "hint-01", &want)
	l := parse(t, "gcra:rate=5/s,burst=1").New(1, nil)
	require.True(t, l.Take(0, 0, 1).Admitted)
	d := l.Take(0, 0, 1)
	require.False(t, d.Admitted)
	assert.Equal(t, want.Wait, d.RetryAfter.Seconds())
	assert.EqualValues(t, want.Header, (d.RetryAfter+time.Second-1)/time.Second)
}

// hint-09
func TestAResetIsAnInstantOrATimeUntilThen(t *testing.T) {
	var want struct {
		Delta int `json:"reset_delta_s"`
		Epoch int `json:"reset_epoch_s"`
	}
	scenario(t, "hint-09", &want)
	const now = 1000000030 * time.Second
	for _, limiter := range []string{
		"fixed-window:limit=5,window=60s",
		"envoy-ratelimit:limit=5,unit=minute",                               // tells the delta
		"httprate:limit=5,window=60s", "upstash-sliding:limit=5,window=60s", // tell the instant
	} {
		d := parse(t, limiter).New(1, nil).Take(now, 0, 1)
		require.True(t, d.Admitted, limiter)
		assert.Equal(t, time.Duration(want.Delta)*time.Second, d.Reset, limiter)
		assert.Equal(t, time.Duration(want.Epoch)*time.Second, now+d.Reset, limiter)
	}
}
