package logs

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestARequestArrivedSoMuchBeforeItsCompletionAsItTook(t *testing.T) {
	const text = "t,took\n10,0.5\n10.25,3\n10.5,-\n11,0\n"
	for stamp, want := range map[Stamp]string{
		StampUnknown:    "10 10.25 10.5 11",
		StampStart:      "10 10.25 10.5 11",
		StampCompletion: "7.25 9.5 10.5 11",
	} {
		opts := Options{Stamp: stamp, Stdin: strings.NewReader(text)}
		log, err := Read([]string{"-"}, opts)
		require.NoError(t, err)
		var at []string
		for _, r := range log.Records {
			at = append(at, FormatSeconds(r.At))
		}
		assert.Equal(t, want, strings.Join(at, " "))
		file := log.Files[0]
		assert.EqualValues(t, 3, file.Took)
		assert.EqualValues(t, 3*second, file.TookMost)
		assert.EqualValues(t, 10*millisecond, file.Resolution, "of the times as they are written")
		assert.Equal(t, stamp, file.Stamp)
		if stamp == StampCompletion {
			assert.EqualValues(t, 1, file.Reordered)
			assert.EqualValues(t, 2250*millisecond, file.Back)
		}
	}
	_, err := ParseStamp("begin")
	assert.EqualError(t, err, `unknown stamp "begin"; known: start, completion`)
}

func TestTheResolutionIsTheCoarsestThatAllTimesHave(t *testing.T) {
	for times, want := range map[string]int64{
		"1 2 3600": second, "1 2.5": second / 10, "1 2.123": millisecond, "1.000001": 1000, "1.0000001": 100, "1.000000001 2": 1, "0": second, "-0.5": second / 10,
	} {
		log, err := Read([]string{"-"}, Options{Stdin: strings.NewReader("t\n" + strings.ReplaceAll(times, " ", "\n"))})
		require.NoError(t, err)
		assert.Equal(t, want, log.Files[0].Resolution, times)
	}
}

func TestTimesAtTheEndsOfInt64DoNotWrap(t *testing.T) {
	log, err := Read([]string{"-"}, Options{Stamp: StampCompletion, Stdin: strings.NewReader("t,took\n9223372036.8,0\n-9223372036.8,9000000000\n")})
	require.NoError(t, err)
	assert.EqualValues(t, math.MinInt64, log.Records[0].At)
	assert.EqualValues(t, math.MaxInt64, log.Files[0].Back)
}
