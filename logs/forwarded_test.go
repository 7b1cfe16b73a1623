package logs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestForwardedAddressesAreCountedFromTheRight(t *testing.T) {
	for list, want := range map[string][]string{ // at the depths 1, 2, 3
		"a, b, c":                       {"c", "b", "a"},
		"a,b":                           {"b", "a", "a!"},
		"192.0.2.1:80, [2001:db8::1]:9": {"2001:db8::1", "192.0.2.1", "192.0.2.1!"},
		"a":                             {"a", "a!", "a!"},
		"-":                             {"peer!", "peer!", "peer!"},
		"":                              {"peer!", "peer!", "peer!"},
		"a, ":                           {"peer!", "a", "a!"},
	} {
		for i, want := range want {
			var file File
			f := forwarded{file: &file, depth: i + 1}
			got := string(f.address([]byte(list), []byte("peer")))
			if file.Unforwarded > 0 {
				got += "!"
			}
			assert.Equal(t, want, got, "%q at %d", list, i+1)
		}
	}
}

func TestCombinedWithForwardedAddressesBehindIt(t *testing.T) {
	const head = `192.0.2.1 - - [17/May/2026:10:05:43 +0000] "GET / HTTP/1.1" 200 1 "-" "x"`
	text := head + ` "198.51.100.7, 192.0.2.9"` + "\n" + head + ` "-"` + "\n" + head + "\n"
	log, err := Read([]string{"-"}, Options{ForwardedDepth: 2, Stdin: strings.NewReader(text)})
	require.NoError(t, err)
	assert.Equal(t, []string{"198.51.100.7", "192.0.2.1"}, log.Keys.Texts())
	assert.EqualValues(t, 1, log.Files[0].Unforwarded)
	assert.Equal(t, "X-Forwarded-For, 2 from the right", log.Files[0].KeyColumn)
	assert.Contains(t, log.BadLines[0].Reason, "want X-Forwarded-For in quotes behind the user agent")

	log, err = Read([]string{"-"}, Options{Key: "xff", ForwardedDepth: 1, Stdin: strings.NewReader("t,xff\n0,\"a, b\"\n")})
	require.NoError(t, err)
	assert.Equal(t, []string{"b"}, log.Keys.Texts())
	for text, opts := range map[string]Options{
		"is in common format, which has no X-Forwarded-For":                {Stdin: strings.NewReader(strings.TrimSuffix(head, ` "-" "x"`))},
		"--forwarded-depth chooses the address of the key ip, not of user": {Stdin: strings.NewReader(head), Key: "user"},
		"is a CSV; name the column with X-Forwarded-For with --key":        {Stdin: strings.NewReader("t,key\n0,a\n")},
	} {
		opts.ForwardedDepth = 1
		_, err := Read([]string{"-"}, opts)
		assert.ErrorContains(t, err, text)
	}
}

func TestUserAgentsAreCountedByKey(t *testing.T) {
	text := "t,key,agent\n0,a,x\n1,a,y\n2,a,x\n3,b,\n"
	for i := range 40 {
		text += "4,c," + strings.Repeat("z", i) + "\n"
	}
	log, err := Read([]string{"-"}, Options{Agents: true, Stdin: strings.NewReader(text)})
	require.NoError(t, err)
	assert.Equal(t, []int{2, 1, MostAgents, 0}, []int{log.Agents(0), log.Agents(1), log.Agents(2), log.Agents(3)})
	_, err = Read([]string{"-"}, Options{Agents: true, Stdin: strings.NewReader("t\n0\n")})
	assert.ErrorContains(t, err, `no column "agent"`)
	_, err = Read([]string{"-"}, Options{Agents: true, Stdin: strings.NewReader(`192.0.2.1 - - [17/May/2026:10:05:43 +0000] "GET / HTTP/1.1" 200 1`)})
	assert.ErrorContains(t, err, "is in common format, which has no user agents")
	log, err = Read([]string{"-"}, Options{Agents: true, Stdin: strings.NewReader(benchmarkLine)})
	require.NoError(t, err)
	assert.Equal(t, 1, log.Agents(0))
}
