package logs

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

const benchmarkLine = `10.1.2.3 - - [17/May/2026:10:05:43 +0000] "GET /presentations/images/dashboard3.png?size=large HTTP/1.1" 200 171717 "https://example.org/presentations/2026/" "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0.1700.77 Safari/537.36"`

func BenchmarkCombinedLine(b *testing.B) {
	line := []byte(benchmarkLine)
	b.SetBytes(int64(len(line) + 1))
	var l logLine
	for b.Loop() {
		if err := parseCombined(line, &l); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead reads a whole log: lines, times, keys.
func BenchmarkRead(b *testing.B) {
	text := strings.Repeat(benchmarkLine+"\n", 10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Read([]string{"-"}, Options{Stdin: strings.NewReader(text)}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkArrivals(b *testing.B) {
	text := manyArrivals(10_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		rows, err := NewArrivalReader(bytes.NewReader(text), "in.csv")
		if err != nil {
			b.Fatal(err)
		}
		var row Arrival
		for err == nil {
			err = rows.Next(&row)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}
