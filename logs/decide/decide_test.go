package decide

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/logs"
)

const bucket = "token-bucket:rate=1/s,burst=2"

func TestPrintsWhatItWasGiven(t *testing.T) {
	for name, c := range map[string]struct{ input, want string }{
		"t as given":      {"t\n-1.50\n00\n", "-1.50,,1,true,0,,2,1,1\n00,,1,true,0,,2,1,1\n"},
		"quoted keys":     {"cost,key,t\n1,\"a,\"\"b\"\"\n\",0\n", "0,\"a,\"\"b\"\"\n\",1,true,0,,2,1,1\n"},
		"costs as number": {"t,cost\n0,001\n0,\n0,\"1\"\n0,3\n", "0,,1,true,0,,2,1,1\n0,,1,true,0,,2,0,2\n0,,1,false,0,1,2,0,2\n0,,3,false,0,never,2,0,2\n"},
		"each key alone":  {"t,key\n0,a\n0,b\n0,a\n", "0,a,1,true,0,,2,1,1\n0,b,1,true,0,,2,1,1\n0,a,1,true,0,,2,0,2\n"},
		"no arrivals":     {"t,key\n", ""},
		"CRLF":            {"t,key\r\n0,a\r\n", "0,a,1,true,0,,2,1,1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := run(t, c.input, Options{Limiter: bucket})
			require.NoError(t, err)
			assert.Equal(t, Header+"\n"+c.want, got)
		})
	}
}

func TestHintsThatAreNotGivenAreEmpty(t *testing.T) {
	row := &logs.Arrival{T: []byte("0"), Key: []byte("k"), Cost: 1}
	full := contract.Decision{RetryAfter: 3 * time.Second, Limit: 5, Remaining: 4, Reset: time.Nanosecond}
	for want, has := range map[string]contract.Hints{
		"0,k,1,false,0,3,5,4,0.000000001": contract.AllHints,
		"0,k,1,false,0,,,,":               0,
		"0,k,1,false,0,3,,,":              contract.HintRetryAfter,
		"0,k,1,false,0,,5,,":              contract.HintLimit,
		"0,k,1,false,0,,,4,":              contract.HintRemaining,
		"0,k,1,false,0,,,,0.000000001":    contract.HintReset,
	} {
		d := full
		d.Has = has
		assert.Equal(t, want, string(appendRow(nil, row, d)))
	}
	never := contract.Decision{RetryAfter: contract.Never, Reset: contract.Never, Has: contract.AllHints}
	assert.Equal(t, "0,k,1,false,0,never,0,0,never", string(appendRow(nil, row, never)))
	admitted := contract.Decision{Admitted: true, Delay: 1500 * time.Millisecond, RetryAfter: -time.Second, Reset: -time.Second, Has: contract.AllHints}
	assert.Equal(t, "0,k,1,true,1.5,,0,0,-1", string(appendRow(nil, row, admitted)))
}

func TestAFaultAnywhereKeepsItSilent(t *testing.T) {
	long := "t,key\n" + strings.Repeat("0,a\n", 100_000)
	for input, want := range map[string]string{
		long + "noon,a\n":      `line 100002: column "t": want decimal seconds like 12.5, got "noon"`,
		long + "0\n":           "line 100002: has 1 field; want 2, as in the header",
		"time,key\n0,a\n":      `line 1: no column "t"; the header has "time", "key"`,
		"":                     "is empty; want a CSV header with a column t",
		"t,cost\n0,1\n0,0.5\n": `line 3: column "cost": want a whole number >= 1, got "0.5"`,
	} {
		got, err := run(t, input, Options{Limiter: bucket})
		var fault *logs.InputError
		require.ErrorAs(t, err, &fault)
		assert.ErrorContains(t, err, want)
		assert.Empty(t, got)
	}
	for _, path := range []string{"nowhere.csv", ".", "-"} {
		var out bytes.Buffer
		var fault *logs.InputError
		require.ErrorAs(t, Run(path, &out, Options{Limiter: bucket}), &fault)
		assert.Empty(t, out.String())
	}
}

func TestAStreamPrintsUpToTheFault(t *testing.T) {
	got, err := run(t, "t\n0\n0\nnoon\n0\n", Options{Limiter: bucket, Stream: true})
	var fault *logs.InputError
	require.ErrorAs(t, err, &fault)
	assert.ErrorContains(t, err, "line 4")
	assert.Equal(t, Header+"\n0,,1,true,0,,2,1,1\n0,,1,true,0,,2,0,2\n", got)
}

func TestAStreamAnswersBeforeItWaits(t *testing.T) {
	questions, asker := io.Pipe()
	answerer, answers := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Run("-", answers, Options{Limiter: bucket, Stream: true, Stdin: questions})
		_ = answers.Close()
	}()
	exchange := func(question, want string) {
		_, err := io.WriteString(asker, question)
		require.NoError(t, err)
		got := make([]byte, len(want))
		_, err = io.ReadFull(answerer, got)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
	exchange("t,key\n", Header+"\n")
	exchange("0,a\n", "0,a,1,true,0,,2,1,1\n")
	exchange("0,a\n1,", "0,a,1,true,0,,2,0,2\n")
	exchange("a\n", "1,a,1,true,0,,2,0,2\n")
	require.NoError(t, asker.Close())
	require.NoError(t, <-done)
}

// temporary makes an empty folder that temporary files go to, and returns its content.
func temporary(t *testing.T) func() []string {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	t.Setenv("TMP", folder)
	return func() []string {
		names, err := filepath.Glob(filepath.Join(folder, "*"))
		require.NoError(t, err)
		return names
	}
}

func TestNoTemporaryFileIsLeft(t *testing.T) {
	left := temporary(t)
	for _, input := range []string{"t\n0\n", "t\nnoon\n"} {
		_ = Run("-", io.Discard, Options{Limiter: bucket, Stdin: strings.NewReader(input)})
		assert.Empty(t, left())
	}
	require.Error(t, Run("-", full{}, Options{Limiter: bucket, Stdin: strings.NewReader("t\n0\n")}))
	assert.Empty(t, left())
}

func TestAPipeIsNotReadTwice(t *testing.T) {
	left := temporary(t)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip("this system has no /dev/fd")
	}
	go func() {
		_, _ = io.WriteString(w, "t\n"+strings.Repeat("0\n", 50_000))
		_ = w.Close()
	}()
	var out bytes.Buffer
	require.NoError(t, Run(path, &out, Options{Limiter: bucket}))
	require.NoError(t, r.Close())
	assert.Equal(t, 50_001, strings.Count(out.String(), "\n"))
	assert.Empty(t, left())
}

func TestAFailedReadIsNotTheInputsFault(t *testing.T) {
	broken := errors.New("the disk broke")
	for _, stream := range []bool{false, true} {
		var out bytes.Buffer
		stdin := io.MultiReader(strings.NewReader("t\n0\n"), iotest.ErrReader(broken))
		err := Run("-", &out, Options{Limiter: bucket, Stdin: stdin, Stream: stream})
		require.ErrorIs(t, err, broken)
		var fault *logs.InputError
		assert.False(t, errors.As(err, &fault))
		assert.Equal(t, stream, out.Len() > 0)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

type gone struct{}

func (gone) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestWriteErrorsAreReportedAndClosedPipesAreNot(t *testing.T) {
	input := "t\n" + strings.Repeat("0\n", 50_000)
	for _, stream := range []bool{false, true} {
		opts := Options{Limiter: bucket, Stream: stream}
		opts.Stdin = strings.NewReader(input)
		require.ErrorIs(t, Run("-", full{}, opts), syscall.ENOSPC)
		opts.Stdin = strings.NewReader(input)
		require.NoError(t, Run("-", gone{}, opts))
	}
}

func TestMemoryDoesNotGrowWithRows(t *testing.T) {
	allocations := func(rows int) float64 {
		input := "t,key\n" + strings.Repeat("0,a\n1,b\n", rows/2)
		return testing.AllocsPerRun(3, func() {
			require.NoError(t, Run("-", io.Discard, Options{Limiter: bucket, Stdin: strings.NewReader(input), Stream: true}))
		})
	}
	assert.InDelta(t, allocations(1000), allocations(20_000), 20, "19000 more rows allocate nothing more")
}

func TestTheSeedReachesTheLimiter(t *testing.T) {
	var input strings.Builder
	input.WriteString("t,key\n")
	for i := range 400 {
		fmt.Fprintf(&input, "%s,%d\n", logs.FormatSeconds(int64(i)*100_000_000), i%5)
	}
	outputs := map[string]bool{}
	for _, seed := range []uint64{1, 2, 1} {
		got, err := run(t, input.String(), Options{Limiter: "fixed-window:limit=3,window=10s,jitter=10s", Seed: seed})
		require.NoError(t, err)
		outputs[got] = true
	}
	assert.Len(t, outputs, 2)
}

func TestALimiterThatForgetsAdmitsAgain(t *testing.T) {
	const input = "t,key\n0,a\n1,b\n2,c\n3,a\n"
	for evict, want := range map[string]string{"": "tttf", "none": "tttf", "lru:capacity=2": "tttt", "idle:after=3s": "tttt", "idle:after=3.1s": "tttf"} {
		var told []limiters.Forgotten
		got, err := run(t, input, Options{
			Limiter: "gcra:rate=1/m,burst=1", Evict: evict, Forgotten: func(f limiters.Forgotten) { told = append(told, f) },
		})
		require.NoError(t, err)
		verdicts := ""
		for _, row := range strings.Split(strings.TrimSpace(got), "\n")[1:] {
			verdicts += strings.Split(row, ",")[3][:1]
		}
		assert.Equal(t, want, verdicts, evict)
		require.Len(t, told, 2, "once from the file, once from standard input")
		assert.Equal(t, told[0], told[1])
		assert.Equal(t, want == "tttt", told[0].Total() > 0, evict)
		assert.Equal(t, told[0].Total(), told[0].Early, evict)
	}
	var fault *logs.InputError
	require.ErrorAs(t, Run("-", io.Discard, Options{Limiter: bucket, Evict: "lru"}), &fault)
	assert.ErrorContains(t, fault, `--evict: eviction "lru" needs capacity; write lru:capacity=…`)
}
