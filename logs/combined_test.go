package logs

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCombinedLines(t *testing.T) {
	const at = 1767225600_000000000
	for name, c := range map[string]struct {
		line string
		want []string // client, user, request, endpoint, status, size, referer, agent
	}{
		"plain": {`10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 512 "-" "curl/8.5"`,
			[]string{"10.0.0.1", "-", "GET /a?b=c HTTP/1.1", "/a", "200", "512", "-", "curl/8.5"}},
		"IPv6 and a zone": {`2001:db8::1 - - [31/Dec/2025:16:30:00 -0730] "GET / HTTP/2.0" 200 0 "" ""`,
			[]string{"2001:db8::1", "-", "GET / HTTP/2.0", "/", "200", "0", "", ""}},
		"a user with blanks and brackets": {`h.example id [a] [b c] [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "-"`,
			[]string{"h.example", "[a] [b c]", "GET / HTTP/1.1", "/", "200", "1", "-", "-"}},
		"escaped quotes": {`10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /\"x\" HTTP/1.1" 200 - "a\\" "say \"hi\" \\\""`,
			[]string{"10.0.0.1", "-", `GET /\"x\" HTTP/1.1`, `/\"x\"`, "200", "-", `a\\`, `say \"hi\" \\\"`}},
		"a request that is none": {`10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "\x16\x03\x01" 400 166 "-" "-"`,
			[]string{"10.0.0.1", "-", `\x16\x03\x01`, `\x16\x03\x01`, "400", "166", "-", "-"}},
		"an empty request": {`10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "" 400 0 "-" "-"`,
			[]string{"10.0.0.1", "-", "", "", "400", "0", "-", "-"}},
		"HTTP/0.9 and more fields": {`10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /old" 200 1 "-" "-" 0.004 "-"`,
			[]string{"10.0.0.1", "-", "GET /old", "/old", "200", "1", "-", "-"}},
	} {
		t.Run(name, func(t *testing.T) {
			var l logLine
			require.NoError(t, parseCombined([]byte(c.line), &l))
			assert.EqualValues(t, at, l.at)
			var got []string
			for _, part := range [][]byte{l.client, l.user, l.request, l.endpoint, l.status, l.size, l.referer, l.agent} {
				got = append(got, string(part))
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestDamagedLinesAreRefused(t *testing.T) {
	const head = `10.0.0.1 - - [01/Jan/2026:00:00:00 +0000]`
	for line, want := range map[string]error{
		"":                              errNoTime,
		"x":                             errNoTime,
		" - - [01/Jan/2026":             errNoTime,
		`10.0.0.1 - - "GET / HTTP/1.1"`: errNoTime,
		`10.0.0.1 [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "-"`: errNoTime,
		strings.Replace(head, "+0000]", "0000]", 1) + ` "G" 200 1 "-" "-"`:     errNoTime,
		strings.Replace(head, "+0000]", "+0000)", 1) + ` "G" 200 1 "-" "-"`:    errNoTime,
		strings.Replace(head, "01/Jan", "30/Feb", 1) + ` "G" 200 1 "-" "-"`:    errNoSuchTime,
		strings.Replace(head, "2026", "9999", 1) + ` "G" 200 1 "-" "-"`:        errYears,
		head:                               errNoQuote,
		head + ` GET / HTTP/1.1 200 1`:     errNoQuote,
		head + ` "GET / 200 1`:             errNoQuote,
		head + ` "GET /\" 200 1`:           errNoQuote,
		head + ` "GET /"`:                  errStatus,
		head + ` "GET /" 20 1 "-" "-"`:     errStatus,
		head + ` "GET /" OK 1 "-" "-"`:     errStatus,
		head + ` "GET /" 200`:              errSize,
		head + ` "GET /" 2000 1 "-" "-"`:   errSize,
		head + ` "GET /" 200 x "-" "-"`:    errSize,
		head + ` "GET /" 200 1x "-" "-"`:   errSize,
		head + ` "GET /" 200 -1 "-" "-"`:   errSize,
		head + ` "GET /" 200 1`:            errMixed,
		head + ` "GET /" 200 1 "-"`:        errCombined,
		head + ` "GET /" 200 1 "-" "cut`:   errCombined,
		head + ` "GET /" 200 1 "-" "-"x`:   errCombined,
		head + ` "GET /" 200 1 "-" "a" b"`: nil,
	} {
		var l logLine
		assert.Equal(t, want, parseCombined([]byte(line), &l), line)
	}
}

func TestALineDoesNotAllocate(t *testing.T) {
	line := []byte(benchmarkLine)
	var l logLine
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = parseCombined(line, &l) }))
}

// combinedShape is the oracle of the shape of a line: slow, but short enough to be seen to be right.
var combinedShape = regexp.MustCompile(`(?s)^([^ ]+) ([^ ]+) (.*?) ?\[([^ ]{20,30} [^ ]{5})\] "((?:[^"\\]|\\.)*)" ([0-9]{3}) ([0-9]+|-) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"(?: .*)?$`)

func FuzzCombined(f *testing.F) {
	f.Add(benchmarkLine)
	f.Add(`h id [a] [b c] [01/Jan/2026:00:00:00 +0000] "GET /\"x\" HTTP/1.1" 200 - "a\\" "\""`)
	f.Add(`10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "" 400 0 "-" "-" 1`)
	f.Add(`10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET / 200 1`)
	f.Add("")
	f.Fuzz(func(t *testing.T, line string) {
		var l logLine
		if parseCombined([]byte(line), &l) != nil {
			return
		}
		m := combinedShape.FindStringSubmatch(line)
		require.NotNil(t, m, line)
		require.Equal(t, m[1], string(l.client))
		require.NotEmpty(t, l.status)
		require.True(t, strings.HasPrefix(line, string(l.client)+" "))
		require.Contains(t, line, `"`+string(l.request)+`" `+string(l.status)+" "+string(l.size)+` "`+string(l.referer)+`" "`+string(l.agent)+`"`)
	})
}
