package logs

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const (
	nginxCombined  = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`
	apacheCombined = `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-agent}i"`
)

func TestLogFormatsAreReadAsTheyAreConfigured(t *testing.T) {
	for name, c := range map[string]struct {
		format, line string
		opts         Options
		want         string
		key          string
		stamp        Stamp
	}{
		"nginx combined": {
			format: nginxCombined,
			line:   `192.0.2.1 - ann [17/May/2026:10:05:43 +0000] "GET /a?b HTTP/1.1" 200 615 "-" "say \"hi\""`,
			opts:   Options{Columns: []string{"user", "endpoint", "method", "agent", "body_bytes_sent"}},
			want:   `1779012343 "192.0.2.1" 1 -1 200 ann /a GET say \"hi\" 615`, key: "remote_addr", stamp: StampCompletion,
		},
		"nginx with times": {
			format: `$msec ${remote_addr}: $request_method $uri -> $status in $request_time ($upstream_response_time) "$http_x_forwarded_for"`,
			line:   `1779012343.123 192.0.2.1: GET /a b -> 502 in 0.123 (0.1, 0.023) "198.51.100.7, 192.0.2.9"`,
			opts:   Options{Columns: []string{"endpoint", "upstream_response_time"}, ForwardedDepth: 2},
			want:   `1779012343 "198.51.100.7" 1 123000000 502 /a b 0.1, 0.023`, key: "X-Forwarded-For, 2 from the right", stamp: StampCompletion,
		},
		"a list without quotes": {
			format: `$time_iso8601 $upstream_addr $remote_addr $upstream_response_time $status`,
			line:   `2026-05-17T10:05:43+00:00 10.0.0.1:80, 10.0.0.2:80 192.0.2.1 0.1, 0.2 200`,
			opts:   Options{Columns: []string{"$upstream_response_time"}, Took: "upstream_response_time"},
			want:   `1779012343 "192.0.2.1" 1 -1 200 0.1, 0.2`, key: "remote_addr", stamp: StampCompletion,
		},
		"any variable is a key": {
			format: `[$time_local] $http_x_api_key $status $cost`,
			line:   `[17/May/2026:10:05:43 +0000] secret 200 12`,
			opts:   Options{Key: "$http_x_api_key", Cost: "cost"},
			want:   `1779012343 "secret" 12 -1 200`, key: "http_x_api_key", stamp: StampCompletion,
		},
		"a format that is shorter than the lines": {
			format: `$remote_addr - $remote_user [$time_local] "$request" $status`,
			line:   `192.0.2.1 - ann [17/May/2026:10:05:43 +0000] "GET /a?b HTTP/1.1" 200 615 "-" "x"`,
			want:   `1779012343 "192.0.2.1" 1 -1 200`, key: "remote_addr", stamp: StampCompletion,
		},
		"a free text at the end": {
			format: `$msec $remote_addr $http_user_agent`,
			line:   `1779012343.5 192.0.2.1 Mozilla/5.0 (X11)`,
			opts:   Options{Columns: []string{"agent"}},
			want:   `1779012343.5 "192.0.2.1" 1 -1 0 Mozilla/5.0 (X11)`, key: "remote_addr", stamp: StampCompletion,
		},
		"Apache common": {
			format: `%h %l %u %t "%r" %>s %b`,
			line:   `192.0.2.1 - ann smith [17/May/2026:10:05:43 +0000] "GET /a?b HTTP/1.1" 200 615`,
			opts:   Options{Columns: []string{"user", "endpoint"}},
			want:   `1779012343 "192.0.2.1" 1 -1 200 ann smith /a`, key: "ip", stamp: StampStart,
		},
		"Apache combined with microseconds, as in its configuration": {
			format: `%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-agent}i\" %D`,
			line:   `192.0.2.1 - - [17/May/2026:10:05:43 +0000] "GET /a HTTP/1.1" 200 615 "-" "curl/8 \"x\"" 250000`,
			opts:   Options{Columns: []string{"agent", "referer"}},
			want:   `1779012343 "192.0.2.1" 1 250000000 200 curl/8 \"x\" -`, key: "ip", stamp: StampStart,
		},
		"Apache with fractions of the second": {
			format: `[%{%d/%b/%Y:%T}t.%{msec_frac}t %{%z}t] %a %{X-Forwarded-For}i %m "%U%q" %s %{ms}T`,
			line:   `[17/May/2026:10:05:43.123 +0000] 192.0.2.1 198.51.100.7 GET "/a?b" 200 250`,
			opts:   Options{Columns: []string{"endpoint", "method", "X-Forwarded-For"}},
			want:   `1779012343.123 "192.0.2.1" 1 250000000 200 /a GET 198.51.100.7`, key: "ip", stamp: StampStart,
		},
		"Apache with the end in microseconds": {
			format: `%{end:usec}t %h %!200,304>s %%`,
			line:   `1779012343123456 192.0.2.1 404 %`,
			want:   `1779012343.123456 "192.0.2.1" 1 -1 404`, key: "ip", stamp: StampCompletion,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.opts.LogFormat, c.opts.Stdin = c.format, strings.NewReader(c.line+"\n")
			log, err := Read([]string{"-"}, c.opts)
			require.NoError(t, err)
			assert.Equal(t, c.want, shownRecord(log, &log.Records[0]))
			file := log.Files[0]
			assert.Equal(t, []any{Custom, c.key, c.stamp}, []any{file.Format, file.KeyColumn, file.Stamp})
		})
	}
}

func TestLogFormatsAtFaultSayWhatWouldBeRight(t *testing.T) {
	const line = `192.0.2.1 [17/May/2026:10:05:43 +0000] 200` + "\n"
	for format, want := range map[string]string{
		"":                                   "its log format is not known; give it with --log-format",
		"combined":                           "want nginx's variables, as in",
		"$remote_addr$status":                "nothing between remote_addr and status says where one ends",
		"%h%>s":                              "nothing between h and s says where one ends",
		"$":                                  "a $ without the name of a variable behind it",
		"${remote_addr [$time_local]":        "a $ without the name of a variable behind it",
		"%":                                  "a % without a directive behind it",
		"%{x":                                "a { without a }",
		"%%":                                 "has no field",
		"$remote_addr $status":               `no field "time"; it has remote_addr, status, ip; choose the time with --time`,
		"$remote_addr [$time_local] [$stat]": `1 of 1 lines do not parse as log-format; line 1: is not written as the log format says`,
	} {
		_, err := Read([]string{"-"}, Options{Format: Custom, LogFormat: format, Stdin: strings.NewReader(line)})
		var fault *InputError
		require.ErrorAs(t, err, &fault, format)
		assert.ErrorContains(t, err, want)
	}
	_, err := Read([]string{"-"}, Options{Format: Combined, LogFormat: "$status", Stdin: strings.NewReader(line)})
	assert.ErrorContains(t, err, "is to be read as combined and by a log format; want one of them")
	_, err = Read([]string{"-"}, Options{LogFormat: "$remote_addr [$time_local] $status", Key: "remote_adr", Stdin: strings.NewReader(line)})
	assert.ErrorContains(t, err, `no field "remote_adr" (did you mean "remote_addr"?); it has remote_addr, time_local, status, ip; choose the key with --key`)
}

// Values that hold nothing of what is written between them come back as they were.
func TestALogFormatGivesBackTheValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,5}`), 1, 6).Draw(t, "names")
		format, line := "", ""
		var want []string
		for i, name := range names {
			between := rapid.StringMatching(`[ |"\[\]]{1,3}`).Draw(t, "between")
			if i == 0 && rapid.Bool().Draw(t, "begins with a field") {
				between = ""
			}
			value := rapid.StringMatching(`[a-z0-9]{0,6}`).Draw(t, "value")
			format += between + "$" + name
			line += between + value
			want = append(want, value)
		}
		f, err := compileFormat(format)
		require.NoError(t, err)
		require.NoError(t, f.parse([]byte(line)))
		var got []string
		for _, v := range f.values {
			got = append(got, string(v))
		}
		require.Equal(t, want, got)
	})
}

func FuzzLogFormat(f *testing.F) {
	f.Add(nginxCombined, benchmarkLine)
	f.Add(apacheCombined, benchmarkLine)
	f.Add(`[%{%d/%b/%Y:%T}t.%{msec_frac}t %{%z}t] %a`, `[17/May/2026:10:05:43.123 +0000] 192.0.2.1`)
	f.Add(`$a, $b "$c"`, `1, 2 3 "\\\" x"`)
	f.Add(`%U%q %`, `/a?b `)
	f.Fuzz(func(t *testing.T, format, line string) {
		c, err := compileFormat(format)
		if err != nil || c.parse([]byte(line)) != nil {
			return
		}
		var whole bytes.Buffer
		for i, v := range c.values {
			whole.Write(c.before[i])
			whole.Write(v)
		}
		whole.Write(c.after)
		require.True(t, strings.HasPrefix(line, whole.String()), "%q is not what %q begins with", whole.String(), line)
		// Combined lines are read by a parser of their own; the two agree.
		var l logLine
		if (format == nginxCombined || format == apacheCombined) && parseCombined([]byte(line), &l) == nil && !strings.Contains(string(l.user), "[") && !strings.ContainsAny(line, ",") {
			n := len(c.values)
			require.Equal(t, string(l.agent), string(c.values[n-1]))
			require.Equal(t, string(l.status), string(c.values[n-4]))
		}
	})
}

func FuzzTook(f *testing.F) {
	for _, seed := range []string{"0.25", "12ms", "1e-5", "µs", "9223372036.854775807"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		require.GreaterOrEqual(t, parseTook([]byte(text), second), int64(-1))
	})
}
