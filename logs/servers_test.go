package logs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// all are the columns that every server's log has under these names.
var all = []string{"ip", "endpoint", "method", "status", "agent", "host", "forwarded"}

// The lines are as the servers write them; only names, addresses and numbers are made up.
func TestServersAreKnownByTheirFields(t *testing.T) {
	for name, c := range map[string]struct {
		line      string
		opts      Options
		server    string
		want      string
		key, time string
		form      string
		stamp     Stamp
	}{
		"Caddy": {
			line:   `{"level":"info","ts":1646861401.5241024,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"192.0.2.1","remote_port":"41342","client_ip":"198.51.100.7","proto":"HTTP/2.0","method":"GET","host":"example.org","uri":"/a?b=c","headers":{"User-Agent":["curl/7.82.0"],"X-Forwarded-For":["198.51.100.7, 192.0.2.9"],"Accept":["*/*"]},"tls":{"resumed":false}},"bytes_read":0,"user_id":"","duration":0.000929675,"size":10900,"status":200,"resp_headers":{"Server":["Caddy"]}}`,
			server: "Caddy", want: `1646861401.523172725 "198.51.100.7" 1 929675 200 198.51.100.7 /a GET 200 curl/7.82.0 example.org 198.51.100.7, 192.0.2.9`,
			key: "request.client_ip", time: "ts", form: "Unix seconds", stamp: StampCompletion,
		},
		"Traefik": {
			line:   `{"ClientAddr":"192.0.2.1:37812","ClientHost":"192.0.2.1","ClientUsername":"-","DownstreamStatus":404,"Duration":1529340,"RequestHost":"example.org","RequestMethod":"POST","RequestPath":"/login?x=1","StartLocal":"2026-05-17T12:05:43.123456789+02:00","StartUTC":"2026-05-17T10:05:43.123456789Z","level":"info","msg":"","request_User-Agent":"Mozilla/5.0","request_X-Forwarded-For":"203.0.113.5","time":"2026-05-17T10:05:43Z"}`,
			server: "Traefik", want: `1779012343.123456789 "192.0.2.1" 1 1529340 404 192.0.2.1 /login POST 404 Mozilla/5.0 example.org 203.0.113.5`,
			key: "ClientHost", time: "StartUTC", form: "RFC 3339", stamp: StampStart,
		},
		"Envoy": {
			line:   `{"start_time":"2026-05-17T10:05:43.123Z","method":"GET","path":"/status/418?x","protocol":"HTTP/1.1","response_code":418,"response_flags":"-","bytes_received":0,"bytes_sent":135,"duration":4,"upstream_service_time":"3","x_forwarded_for":"10.1.2.3","user_agent":"curl/7.60.0","authority":"httpbin:8000","upstream_cluster":"outbound|8000||httpbin","downstream_remote_address":"[2001:db8::1]:46520"}`,
			server: "Envoy", want: `1779012343.123 "2001:db8::1" 1 4000000 418 2001:db8::1 /status/418 GET 418 curl/7.60.0 httpbin:8000 10.1.2.3`,
			key: "ip", time: "start_time", form: "RFC 3339", stamp: StampStart,
		},
		"nginx": {
			line:   `{"time_local":"17/May/2026:10:05:43 +0000","time_iso8601":"2026-05-17T10:05:43+00:00","remote_addr":"192.0.2.1","remote_user":"","request":"GET /a\u003fb HTTP/1.1","status": "200","body_bytes_sent":"615","request_time":"0.250","http_referrer":"","http_user_agent":"curl/8","host":"example.org","http_x_forwarded_for":""}`,
			server: "nginx", want: `1779012342.75 "192.0.2.1" 1 250000000 200 192.0.2.1 /a GET 200 curl/8 example.org `,
			key: "remote_addr", time: "time_iso8601", form: "RFC 3339", stamp: StampCompletion,
		},
		"nobody's": {
			line: `{"timestamp":1779012343123,"client_ip":"192.0.2.1","method":"GET","path":"/a?b","status_code":200,"duration_ms":12.5,"user_agent":"x","host":"h","xff":"y"}`,
			want: `1779012343.123 "192.0.2.1" 1 12500000 200 192.0.2.1 /a GET 200 x h y`,
			key:  "client_ip", time: "timestamp", form: "Unix milliseconds",
		},
		"Traefik without its start": {
			line:   `{"ClientHost":"192.0.2.1","DownstreamStatus":200,"Duration":1000000,"RequestHost":"h","RequestMethod":"GET","RequestPath":"/a","request_User-Agent":"x","request_X-Forwarded-For":"y","time":"2026-05-17T10:05:43Z"}`,
			server: "Traefik", want: `1779012343 "192.0.2.1" 1 1000000 200 192.0.2.1 /a GET 200 x h y`,
			key: "ClientHost", time: "time", form: "RFC 3339",
		},
		"named by the user": {
			line: `{"when":"2023-11-16 18:15:46.6805900","who":{"name":"ann"},"price":7,"client_ip":"192.0.2.1","method":"GET","path":"/a?b","code":"503","ms":12,"agent":"x","host":"h","xff":"y","status":"ok"}`,
			opts: Options{Time: "when", Key: "who.name", Cost: "price", Status: "code", Took: "ms:ms", Stamp: StampCompletion},
			want: `1700158546.66859 "ann" 7 12000000 503 192.0.2.1 /a GET ok x h y`,
			key:  "who.name", time: "when", form: "ISO 8601", stamp: StampCompletion,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.opts.Columns, c.opts.Stdin = all, strings.NewReader(c.line+"\n")
			log, err := Read([]string{"-"}, c.opts)
			require.NoError(t, err)
			assert.Equal(t, c.want, shownRecord(log, &log.Records[0]))
			file := log.Files[0]
			assert.Equal(t, JSON, file.Format)
			assert.Equal(t, []any{c.server, c.key, c.time, c.form, c.stamp}, []any{file.Server, file.KeyColumn, file.TimeColumn, file.TimeForm, file.Stamp})
		})
	}
}

func TestJSONFaultsSayWhatWouldBeRight(t *testing.T) {
	const line = `{"when":1,"client_ip":"192.0.2.1"}` + "\n"
	for name, c := range map[string]struct {
		text string
		opts Options
		want string
	}{
		"no time":        {line, Options{}, `standard input: no field "time"; it has client_ip, when, ip; choose the time with --time`},
		"no such time":   {line, Options{Time: "whn"}, `no field "whn" (did you mean "when"?)`},
		"no such key":    {line, Options{Time: "when", Key: "client.ip"}, `no field "client.ip" (did you mean "client_ip"?); it has client_ip, when, ip; choose the key with --key`},
		"no forwarded":   {line, Options{Time: "when", ForwardedDepth: 1}, `has no field that is known to hold X-Forwarded-For; name it with --key`},
		"no agent":       {line, Options{Time: "when", Agents: true}, `no field "agent"`},
		"a wrong unit":   {line, Options{Time: "when", Took: "when:min"}, `--took: unknown unit "min"; known: s, ms, us, ns`},
		"mostly no time": {line + `{"client_ip":"x"}` + "\n{}\n", Options{Time: "when"}, `2 of 3 lines do not parse as json; line 2: has no field "when", the time`},
		"mostly no key":  {line + `{"when":2}` + "\n" + `{"when":3}` + "\n", Options{Time: "when"}, `line 2: has no field "client_ip", the key`},
		"mostly no JSON": {line + "x\ny\n", Options{Time: "when"}, `line 2: want one JSON object a line, got "x"`},
		"not a time":     {`{"when":"noon"}` + "\n", Options{Time: "when"}, `line 1: when: want Unix seconds`},
	} {
		t.Run(name, func(t *testing.T) {
			c.opts.Stdin = strings.NewReader(c.text)
			_, err := Read([]string{"-"}, c.opts)
			var fault *InputError
			require.ErrorAs(t, err, &fault)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestAddressesWithoutTheirPorts(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1", "192.0.2.1": "192.0.2.1", "[2001:db8::1]:80": "2001:db8::1", "2001:db8::1": "2001:db8::1", "": "", "-": "-", "[]:1": "[]",
	} {
		assert.Equal(t, want, string(withoutPort([]byte(address))), address)
	}
}

func TestHowLongRequestsTook(t *testing.T) {
	for text, want := range map[string]int64{
		"0.250": 250_000_000, "12": 12_000_000_000, "12ms": 12_000_000, "3.5us": 3500, "40µs": 40_000, "7ns": 7, "1.5s": 1_500_000_000,
		"0.0000000019": 1, "1e-05": 10_000, "2.5E+1": 25_000_000_000, "9223372036.5": 9223372036_500000000, "9223372037": -1, "1e300": -1,
		"-": -1, "": -1, "-1": -1, "x": -1, "1x": -1, "ms": -1, ".5": -1, "1e": -1, "0": 0,
	} {
		assert.Equal(t, want, parseTook([]byte(text), second), text)
	}
	assert.EqualValues(t, 1529340, parseTook([]byte("1529340"), 1))
	assert.EqualValues(t, 1, parseTook([]byte("1.9"), 1))
	assert.EqualValues(t, millisecond, unitOf("durationMillis"))
	assert.EqualValues(t, 1000, unitOf("took_us"))
	assert.EqualValues(t, second, unitOf("status"))
}
