package logs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAFileSaysWhatItsTimesHide(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		opts   Options
		found  string
		times  string
		doubts []string
	}{
		"nothing": {
			"t,took\n1.001,0.5\n2,0.25\n", Options{Stamp: StampStart},
			"csv", "t, Unix seconds, in steps of 1 ms, when requests arrived", nil,
		},
		"the order within a second": {
			"t\n1\n2\n", Options{Stamp: StampStart},
			"csv", "t, Unix seconds, in steps of 1 s, when requests arrived", []string{"the order and the gaps within 1 s are not known"},
		},
		"how long requests took": {
			"t\n2026-01-01 00:00:00.125\n", Options{Stamp: StampCompletion},
			"csv", "t, ISO 8601, in steps of 1 ms, without a zone: taken as UTC, when requests were complete: taken as arrivals", []string{"by at most the requests under way at its two ends"},
		},
		"how long some requests took": {
			"t,took\n1.000001,0.5\n2,-\n", Options{Stamp: StampCompletion},
			"csv", "t, Unix seconds, in steps of 1 µs, when requests were complete: they arrived earlier by what they took (took)", []string{"1 of 2 requests do not say how long they took"},
		},
		"which moment the times are": {
			"t,took\n1.000000001,0.0125\n2,0.0015\n", Options{},
			"csv", "t, Unix seconds, in steps of 1 ns", []string{"requests took up to 12.5 ms, and it is not known whether the times are their start or their completion"},
		},
		"all that a combined log hides": {
			benchmarkLine + ` "-"` + "\n", Options{ForwardedDepth: 1},
			"combined", "02/Jan/2006:15:04:05 -0700, in steps of 1 s", []string{"within 1 s", "Apache writes when a request arrived, nginx when it was complete", "1 of 1 requests came with fewer forwarded addresses"},
		},
		"who wrote it": {
			`{"ts":1.5,"request":{"client_ip":"a"}}`, Options{},
			"json by Caddy", "ts, Unix seconds, in steps of 100 ms, when requests were complete: taken as arrivals", []string{"within 100 ms", "the log does not say how long requests took"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.opts.Stdin = strings.NewReader(c.text)
			log, err := Read([]string{"-"}, c.opts)
			require.NoError(t, err)
			file := &log.Files[0]
			assert.Equal(t, c.found, file.Found())
			assert.Equal(t, c.times, file.Times())
			doubts := file.Doubts()
			require.Len(t, doubts, len(c.doubts), "%q", doubts)
			for i, want := range c.doubts {
				assert.Contains(t, doubts[i], want)
			}
		})
	}
	assert.Equal(t, "0 s", duration(0))
}

func TestWhatALogNamesIsShownOnOneLine(t *testing.T) {
	f := File{TimeForm: "Unix seconds", Resolution: second, TimeColumn: "t\x1b[31m", Stamp: StampCompletion, Took: 1, TookColumn: "d\n"}
	assert.Equal(t, `"t\x1b[31m", Unix seconds, in steps of 1 s, when requests were complete: they arrived earlier by what they took ("d\n")`, f.Times())
}
