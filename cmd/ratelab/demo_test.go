package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/limiters/contract"
)

// demoServer is "ratelab demo" in this process.
type demoServer struct {
	url, address string
	interrupt    context.CancelFunc
	ended        chan struct{}
	status       int          // once it has ended
	errOut       bytes.Buffer // likewise
}

// startDemo runs one command line, and returns once it listens.
func startDemo(t testing.TB, line string) *demoServer {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	d := &demoServer{interrupt: interrupt, ended: make(chan struct{})}
	out, in := io.Pipe()
	go func() {
		defer close(d.ended)
		d.status = execute(ctx, append([]string{"demo", "--listen", "127.0.0.1:0"}, strings.Fields(line)...), strings.NewReader(""), in, &d.errOut)
		_ = in.Close()
	}()
	t.Cleanup(d.stop)
	said, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	_, rest, found := strings.Cut(said, "http://")
	require.True(t, found, said)
	d.address = strings.TrimSuffix(rest, "/\n")
	d.url = "http://" + d.address + "/"
	return d
}

// stop interrupts the server and waits for its end.
func (d *demoServer) stop() {
	d.interrupt()
	<-d.ended
}

func TestDemo(t *testing.T) {
	d := startDemo(t, "--limiter token-bucket:rate=2/s,burst=1 --key X-User --retry-after date --reset epoch")
	m, _ := get(t, d.url, "ann")
	require.Equal(t, 200, m.Status)
	for m.Status == 200 { // until it asks too fast
		m, _ = get(t, d.url, "ann")
	}
	require.Equal(t, 429, m.Status)
	assert.Regexp(t, ` GMT$`, m.RetryAfter)
	assert.Regexp(t, `^"default";r=0;t=[01]$`, m.RateLimit)
	wait := contract.Parse(m, time.Duration(time.Now().UnixNano())).Decision.RetryAfter
	assert.LessOrEqual(t, wait, 1500*time.Millisecond)
	time.Sleep(wait) // with a real clock, once
	m, _ = get(t, d.url, "ann")
	assert.Equal(t, 200, m.Status)

	d.stop()
	assert.Equal(t, 0, d.status)
	assert.Empty(t, d.errOut.String())
	_, err := net.Dial("tcp", d.address)
	assert.Error(t, err, "it has gone")
}

func TestDemoForgetsKeys(t *testing.T) {
	d := startDemo(t, "--limiter gcra:rate=1/h,burst=1 --key X-User --max-keys 3")
	for i := range 10 {
		m, _ := get(t, d.url, fmt.Sprint(i))
		assert.Equal(t, 200, m.Status)
	}
	m, _ := get(t, d.url, "0")
	assert.Equal(t, 200, m.Status, "it is new again")
	m, _ = get(t, d.url, "9")
	assert.Equal(t, 429, m.Status, "it is not")
	d.stop()
	assert.Equal(t, "8 keys forgotten for want of room, 8 of them early\n", d.errOut.String())
}

func TestDemoLetsGoWhomItHolds(t *testing.T) {
	d := startDemo(t, "--limiter leaky-queue:rate=1/h,queue=5")
	m, _ := get(t, d.url, "")
	require.Equal(t, 200, m.Status)
	connection, err := net.Dial("tcp", d.address)
	require.NoError(t, err)
	defer func() { _ = connection.Close() }()
	_, err = io.WriteString(connection, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	time.AfterFunc(50*time.Millisecond, d.interrupt)
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err == nil { // else it ended before it had let the request in
		assert.Equal(t, 503, response.StatusCode)
		require.NoError(t, response.Body.Close())
	}
	d.stop()
	assert.Equal(t, 0, d.status)
}

func TestDemoEndsInTime(t *testing.T) {
	d := startDemo(t, "--limiter gcra:rate=1/s,burst=1 --for 10ms")
	<-d.ended
	assert.Equal(t, 0, d.status)
}

func TestDemoOnAPortThatIsTaken(t *testing.T) {
	d := startDemo(t, "--limiter gcra:rate=1/s,burst=1")
	status, out, errOut := ratelab(t, "", "demo", "--limiter", "gcra:rate=1/s,burst=1", "--listen", d.address)
	assert.Equal(t, 1, status)
	assert.Empty(t, out)
	assert.Contains(t, errOut, "address already in use")
	assert.Equal(t, 1, strings.Count(errOut, "\n"))
}

func TestDemoListensOnALoopbackName(t *testing.T) {
	found, err := net.LookupHost("localhost")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "localhost has no address")
		t.Skip("localhost has no address here: the name is not tried")
	}
	address, err := loopback(t.Context(), "localhost:80")
	require.NoError(t, err)
	assert.Equal(t, net.JoinHostPort(found[0], "80"), address)
	for _, listen := range []string{"127.0.0.1:0", "127.8.9.10:65535", "[::1]:80"} {
		address, err := loopback(t.Context(), listen)
		require.NoError(t, err)
		assert.Equal(t, listen, address)
	}
}

// survives sends bytes as they are and reads whatever comes back; then it asks
// as it should be, and must be answered.
func survives(t testing.TB, d *demoServer, request []byte) {
	connection, err := net.Dial("tcp", d.address)
	require.NoError(t, err)
	require.NoError(t, connection.SetDeadline(time.Now().Add(20*time.Second)))
	_, _ = connection.Write(request) // the server may have heard enough
	_ = connection.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, connection)
	require.NoError(t, connection.Close())

	connection, err = net.Dial("tcp", d.address)
	require.NoError(t, err)
	defer func() { _ = connection.Close() }()
	require.NoError(t, connection.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(connection, "GET / HTTP/1.1\r\nHost: x\r\nX-User: the good one\r\nConnection: close\r\n\r\n")
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	require.NoError(t, err, "after %q", request)
	require.NoError(t, response.Body.Close())
	require.Contains(t, []int{200, 429}, response.StatusCode)
}

var strangeRequests = []string{
	"", "\r\n\r\n", "GET", "GET /\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02\x00", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: x\r\nX-User: \xff\xfe\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nX-User : a\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\nab",
	"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
	"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nHost: x\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc", "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + strings.Repeat("b", 1_000_000),
	"GET / HTTP/1.1\r\nHost: x\r\nX-User: " + strings.Repeat("k", 300) + "\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + strings.Repeat("h", 100_000) + "\r\n\r\n",
	"GET /" + strings.Repeat("p", 100_000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
}

const strangeDemo = "--limiter token-bucket:rate=1/s,burst=20 --key X-User --max-keys 5"

func TestDemoSurvivesStrangeRequests(t *testing.T) {
	d := startDemo(t, strangeDemo)
	for _, request := range strangeRequests {
		survives(t, d, []byte(request))
	}
	rapid.Check(t, func(rt *rapid.T) {
		var b bytes.Buffer
		fmt.Fprintf(&b, "%s /%s HTTP/1.%d\r\nHost: x\r\n", rapid.SampledFrom([]string{"GET", "HEAD", "POST", "DELETE", "OPTIONS", "BREW"}).Draw(rt, "method"),
			rapid.StringMatching(`[ -~]{0,20}`).Draw(rt, "path"), rapid.IntRange(0, 1).Draw(rt, "version"))
		for range rapid.IntRange(0, 4).Draw(rt, "fields") {
			fmt.Fprintf(&b, "%s: %s\r\n", rapid.SampledFrom([]string{"X-User", "Content-Length", "Transfer-Encoding", "Connection", "Expect", "Retry-After"}).Draw(rt, "name"),
				rapid.SampledFrom([]string{"", "0", "5", "chunked", "close", "100-continue", "\x00", "ü", "a, b"}).Draw(rt, "value"))
		}
		b.WriteString("\r\n" + rapid.StringN(0, 20, 40).Draw(rt, "body"))
		survives(t, d, b.Bytes())
	})
	d.stop()
	assert.Equal(t, 0, d.status)
	assert.NotContains(t, d.errOut.String(), "panic")
}

// FuzzDemo sends raw bytes to the demo's socket.
func FuzzDemo(f *testing.F) {
	for _, request := range strangeRequests {
		f.Add([]byte(request))
	}
	d := startDemo(f, strangeDemo)
	f.Fuzz(func(t *testing.T, request []byte) { survives(t, d, request) })
}
