package fit

import (
	"io"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"ratelab/logs"
)

// webLog writes lines in combined format as they are read: a hundred requests a second from keys of which few send
// most. BenchmarkGenerate says what that takes.
type webLog struct {
	lines, written int
	draws          *rand.Rand
	keys           *rand.Zipf
	at             float64 // s
	line           []byte
}

func newWebLog(lines int) *webLog {
	draws := rand.New(rand.NewPCG(1, 2))
	return &webLog{lines: lines, draws: draws, keys: rand.NewZipf(draws, 1.1, 10, 200_000), at: 1767225600}
}

func (w *webLog) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(w.line) == 0 {
			if w.written == w.lines {
				break
			}
			w.written++
			w.next()
		}
		k := copy(p[n:], w.line)
		w.line = w.line[k:]
		n += k
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (w *webLog) next() {
	w.at += w.draws.ExpFloat64() / 100
	key := w.keys.Uint64()
	b := append(w.line[:0], "10."...)
	b = strconv.AppendUint(b, key>>16, 10)
	b = strconv.AppendUint(append(b, '.'), key>>8&255, 10)
	b = strconv.AppendUint(append(b, '.'), key&255, 10)
	b = time.Unix(int64(w.at), 0).UTC().AppendFormat(append(b, " - - ["...), "02/Jan/2006:15:04:05 -0700")
	b = strconv.AppendUint(append(b, `] "GET /items/`...), w.draws.Uint64N(1000), 10)
	b = append(b, ` HTTP/1.1" 200 1024 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:`...)
	b = strconv.AppendUint(b, key*7%311, 10)
	w.line = append(b, ".0) Gecko/20100101 Firefox\"\n"...)
}

// BenchmarkFit reads and fits a web log of a million lines, whole: all rates, windows, halves and resamples. The long
// one is
//
//	go test -run '^$' -bench 'Fit/lines=10000000' -benchtime 1x ./logs/fit
func BenchmarkFit(b *testing.B) {
	shares, err := ParseShares("0.99,0.999,1")
	if err != nil {
		b.Fatal(err)
	}
	for _, lines := range []int{1_000_000, 10_000_000} {
		b.Run("lines="+strconv.Itoa(lines), func(b *testing.B) {
			for b.Loop() {
				in, err := Read([]string{"-"}, logs.Options{Stdin: newWebLog(lines)}, time.Minute)
				if err != nil {
					b.Fatal(err)
				}
				if r := NewReport(in, Options{Shares: shares, Seed: 1, Grain: -1}); r.Raw.Requests != lines {
					b.Fatalf("%d requests", r.Raw.Requests)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*lines), "ns/line")
		})
	}
}

// BenchmarkGenerate writes the lines alone: what to take off.
func BenchmarkGenerate(b *testing.B) {
	for b.Loop() {
		if _, err := io.Copy(io.Discard, newWebLog(1_000_000)); err != nil {
			b.Fatal(err)
		}
	}
}
