package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const replayed = "replay - --limiter gcra:rate=1/s,burst=1 "

func TestLogFlagsChooseWhatIsRead(t *testing.T) {
	const caddy = `{"ts":100.25,"request":{"remote_ip":"192.0.2.1","method":"GET","uri":"/a?b","headers":{"X-Forwarded-For":["198.51.100.7, 192.0.2.9"]}},"duration":0.5,"status":200,"price":3}` + "\n"
	const line = `192.0.2.1 - - [17/May/2026:10:05:43 +0000] "GET /a HTTP/1.1" 200 7 "-" "x" "198.51.100.7"` + "\n"
	for name, c := range map[string]struct {
		in    string
		flags []string
		want  []string
	}{
		"a JSON log as it is": {caddy, nil, []string{
			"standard input: json by Caddy, key request.remote_ip, 1 line\n",
			"times     ts, Unix seconds, in steps of 10 ms, when requests were complete: they arrived earlier by what they took (duration)\n",
			"1970-01-01T00:01:39.75Z"}},
		"its times as starts":   {caddy, []string{"--stamp", "start"}, []string{"when requests arrived\n", "1970-01-01T00:01:40.25Z"}},
		"its fields by name":    {caddy, []string{"--key", "request.method", "--cost", "price", "--took", "duration:ms"}, []string{"key request.method", "1970-01-01T00:01:40.2495Z"}},
		"a forwarded address":   {caddy, []string{"--forwarded-depth", "2"}, []string{"key X-Forwarded-For, 2 from the right"}},
		"combined with a proxy": {line, []string{"--forwarded-depth", "1"}, []string{"combined, key X-Forwarded-For, 1 from the right"}},
		"a log format":          {line, []string{"--log-format", `$remote_addr - - [$time_local] "$request" $status $took `, "--took", "took:ms"}, []string{"log-format by nginx, key remote_addr", "2026-05-17T10:05:42.993Z"}},
		"what a log hides":      {line, nil, []string{"doubts    the order and the gaps within 1 s are not known", "Apache writes when a request arrived, nginx when it was complete"}},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, errOut := ratelab(t, c.in, append(strings.Fields(replayed), c.flags...)...)
			require.Zero(t, status, errOut)
			for _, want := range c.want {
				assert.Contains(t, out, want)
			}
		})
	}
}

func TestLogFlagsAtFaultSayWhatWouldBeRight(t *testing.T) {
	for want, flags := range map[string][]string{
		"--forwarded-depth must be >= 1":                                        {"--forwarded-depth", "0"},
		`unknown stamp "end"; known: start, completion`:                         {"--stamp", "end"},
		`log format "combined": want nginx's variables`:                         {"--log-format", "combined"},
		`its log format is not known; give it with --log-format`:                {"--input", "log-format"},
		`--took: unknown unit "h"; known: s, ms, us, ns`:                        {"--took", "d:h"},
		`no column "d"; the header has "t"; choose the took column with --took`: {"--took", "d"},
	} {
		status, out, errOut := ratelab(t, "t\n0\n", append(strings.Fields(replayed), flags...)...)
		assert.Equal(t, 2, status, want)
		assert.Empty(t, out)
		assert.Contains(t, errOut, want)
		assert.Equal(t, 1, strings.Count(errOut, "\n"), errOut)
	}
}

func TestALogThatIsCutOffIsBadInput(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte("t\n" + strings.Repeat("1\n", 1000)))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	status, out, errOut := ratelab(t, packed.String()[:packed.Len()-3], strings.Fields(replayed)...)
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	assert.Equal(t, "ratelab: standard input: is cut off: its gzip data end too early; 1000 requests could be read before, the last of 1970-01-01T00:00:01Z\n", errOut)
}

func TestWordsAreQuotedForAShell(t *testing.T) {
	for word, want := range map[string]string{
		"a.log": "a.log", "../a-b_c/d.log.gz": "../a-b_c/d.log.gz", "-": "-", "request.ip": "request.ip", "": "''",
		"$remote_addr [$time_local]": "'$remote_addr [$time_local]'", "it's": `'it'\''s'`, "a;b": "'a;b'", "a\tb": "'a\tb'", "*": "'*'", "é": "'é'",
	} {
		assert.Equal(t, want, shellWord(word))
	}
	_, out, _ := ratelab(t, "when,my key\n0.5,a\n1,a\n1.75,b\n9,a\n", "fit", "-", "--time", "when", "--key", "my key", "--rates", "1/s")
	assert.Contains(t, out, "\n  ratelab replay - --time when --key 'my key' --limiter token-bucket:rate=1/s,burst=")
}
