package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// testGate is a gate on a socket, with a clock that stands still.
type testGate struct {
	*gate
	clock atomic.Int64
	url   string
}

func newTestGate(t *testing.T, spec string, most int64) *testGate {
	t.Helper()
	parsed, err := limiters.Parse(spec)
	require.NoError(t, err)
	g := &testGate{gate: newGate(parsed, 1, most)}
	g.clock.Store(2_014_879_777_250_000_000)
	g.now = func() time.Duration { return time.Duration(g.clock.Load()) }
	server := httptest.NewServer(g.gate)
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

// get asks once, with the key given in X-User.
func get(t *testing.T, url, user string) (contract.Message, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	request.Header.Set("X-User", user)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	m := contract.Read(response.StatusCode, response.Header.Values)
	if problem, err := contract.ParseProblem(body); err == nil && len(problem.Violated) > 0 {
		assert.Equal(t, contract.ProblemType, response.Header.Get("Content-Type"))
		assert.Equal(t, response.StatusCode, problem.Status)
		m.Violated = problem.Violated[0]
	}
	return m, string(body)
}

// TestWhoObeysRetryAfterIsAdmitted asks until it is refused, waits as long as
// the response says, and asks again.
func TestWhoObeysRetryAfterIsAdmitted(t *testing.T) {
	for _, spec := range []string{
		"token-bucket:rate=3/s,burst=2", "gcra:rate=2/7s,burst=3", "fixed-window:limit=3,window=1500ms", "sliding-log:limit=2,window=100ms",
		"sliding-counter:limit=4,window=3s", "leaky-meter:rate=1/h", "token-bucket:rate=4/s,burst=1,refill=interval",
	} {
		for _, style := range []contract.Style{{}, {DateRetryAfter: true}, {EpochReset: true}, {DateRetryAfter: true, EpochReset: true}} {
			t.Run(fmt.Sprintf("%s %+v", spec, style), func(t *testing.T) {
				g := newTestGate(t, spec, 10)
				g.style, g.header = style, "X-User"
				obeyed := 0
				for range 30 {
					message, _ := get(t, g.url, "ann")
					now := time.Duration(g.clock.Load())
					reply := contract.Parse(message, now)
					require.Equal(t, contract.AllHints, reply.Decision.Has|contract.HintRetryAfter)
					if reply.Outcome == contract.OK {
						require.Equal(t, 200, message.Status)
						g.clock.Add(int64(time.Millisecond))
						continue
					}
					require.Equal(t, 429, message.Status)
					require.Equal(t, contract.DefaultPolicy, message.Violated)
					require.NotZero(t, reply.Decision.Has&contract.HintRetryAfter)
					g.clock.Add(int64(reply.Decision.RetryAfter))
					message, body := get(t, g.url, "ann")
					require.Equal(t, 200, message.Status)
					require.Equal(t, "admitted\n", body)
					obeyed++
				}
				assert.Positive(t, obeyed)
			})
		}
	}
}

// TestTheGateSaysTheRoundedReply asks a limiter the same beside the gate.
func TestTheGateSaysTheRoundedReply(t *testing.T) {
	const spec = "token-bucket:rate=3/2s,burst=3"
	for _, style := range []contract.Style{{}, {DateRetryAfter: true, EpochReset: true}} {
		g := newTestGate(t, spec, 10)
		g.style, g.header = style, "X-User"
		parsed, err := limiters.Parse(spec)
		require.NoError(t, err)
		beside := parsed.New(1, nil)
		for i := range 40 {
			now := time.Duration(g.clock.Add(int64(i) * 17_000_000))
			reply := contract.Reply{Outcome: contract.OK, Decision: beside.Take(now, 0, 1)}
			if !reply.Decision.Admitted {
				reply.Outcome = contract.Throttled
			}
			message, _ := get(t, g.url, "ann")
			require.Equal(t, style.Rounded(reply, now), contract.Parse(message, now))
		}
	}
}

func TestWhoseLimitARequestCountsAgainst(t *testing.T) {
	status := func(g *testGate, user string) int {
		m, _ := get(t, g.url, user)
		return m.Status
	}
	g := newTestGate(t, "gcra:rate=1/h,burst=1", 10)
	assert.Equal(t, 200, status(g, "ann"), "the address is the key")
	assert.Equal(t, 429, status(g, "ben"))

	g = newTestGate(t, "gcra:rate=1/h,burst=1", 10)
	g.header = "x-user"
	assert.Equal(t, 200, status(g, "ann"))
	assert.Equal(t, 429, status(g, "ann"))
	assert.Equal(t, 200, status(g, "ben"))
	assert.Equal(t, 200, status(g, ""), "who has none is one client")
	assert.Equal(t, 429, status(g, ""))
	assert.Equal(t, 200, status(g, strings.Repeat("k", longestKey)))
	assert.Equal(t, 431, status(g, strings.Repeat("k", longestKey+1)))
	assert.Equal(t, 4, g.limiter.Keys(), "a key that is too long is not held")

	g.header = "host"
	assert.Equal(t, 200, status(g, "ann"))
	assert.Equal(t, 429, status(g, "ben"), "they ask the same host")
}

func TestWhatDoesNotComeWholeIsNoRequest(t *testing.T) {
	g := newTestGate(t, "gcra:rate=1/h,burst=1", 10)
	connection, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	require.NoError(t, err)
	_, err = io.WriteString(connection, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab")
	require.NoError(t, err)
	require.NoError(t, connection.(*net.TCPConn).CloseWrite())
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.NoError(t, connection.Close())
	assert.Equal(t, 408, response.StatusCode)
	m, _ := get(t, g.url, "")
	assert.Equal(t, 200, m.Status, "the limiter was not asked")
}

func TestABodyMayBeLong(t *testing.T) {
	g := newTestGate(t, "gcra:rate=1/h,burst=1", 10)
	for _, size := range []int{longestBody, longestBody + 1} {
		connection, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
		require.NoError(t, err)
		_, err = fmt.Fprintf(connection, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat("b", size))
		require.NoError(t, err)
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.NoError(t, connection.Close())
		assert.Equal(t, map[bool]int{false: 200, true: 429}[size > longestBody], response.StatusCode, "it counts all the same")
		assert.Equal(t, size > longestBody, response.Close, "a longer one ends the connection")
	}
}

func TestALimiterWithoutHintsGivesNone(t *testing.T) {
	g := newTestGate(t, "nginx:rate=1r/m", 10)
	m, _ := get(t, g.url, "")
	assert.Equal(t, contract.Message{Status: 200}, m)
	m, _ = get(t, g.url, "")
	assert.Equal(t, contract.Message{Status: 429, Violated: contract.DefaultPolicy}, m)
}

// TestTheGateForgetsAsTheEvictionDoes compares it with a limiter that holds
// its keys by lru.
func TestTheGateForgetsAsTheEvictionDoes(t *testing.T) {
	spec, err := limiters.Parse("token-bucket:rate=1/s,burst=3")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.Int64Range(1, 6).Draw(t, "most")
		eviction, err := limiters.ParseEviction(fmt.Sprintf("lru:capacity=%d", most))
		require.NoError(t, err)
		held, g, now := eviction.New(spec, 1, nil), newGate(spec, 1, most), time.Duration(0)
		g.now = func() time.Duration { return now }
		for range rapid.IntRange(1, 100).Draw(t, "requests") {
			now += time.Duration(rapid.IntRange(0, 1500).Draw(t, "ms")) * time.Millisecond
			key := rapid.Uint32Range(0, 9).Draw(t, "key")
			got, _ := g.decide(fmt.Sprint(key))
			require.Equal(t, held.Take(now, key, 1), got)
			require.Equal(t, held.Keys(), g.limiter.Keys())
			require.LessOrEqual(t, len(g.guests.ids), int(most))
			require.LessOrEqual(t, len(g.guests.names), int(most))
		}
		require.Equal(t, held.Forgotten(), g.forgot())
	})
}

func TestAHeldRequestIsAdmittedInTheEnd(t *testing.T) {
	g := newTestGate(t, "leaky-queue:rate=100/s,queue=5", 10)
	for range 4 { // the clock stands: each waits 10 ms longer
		m, body := get(t, g.url, "")
		assert.Equal(t, 200, m.Status)
		assert.Equal(t, "admitted\n", body)
	}
}
