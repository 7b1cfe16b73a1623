package logs

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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

// manyLines repeats a line with addresses and times that differ, in order.
func manyLines(line string, n int) []byte {
	var text []byte
	for i := range n {
		l := strings.ReplaceAll(line, "10.1.2.3", fmt.Sprintf("10.1.%d.%d", i*i%40, i*7%256))
		l = strings.ReplaceAll(l, "10:05:43", fmt.Sprintf("%02d:%02d:%02d", i/3600/10%24, i/600%60, i/10%60))
		text = append(append(text, l...), '\n')
	}
	return text
}

// BenchmarkScan reads logs of each format, beside a loop that does no more than find the ends of the lines. MB/s are of
// the plain text; cpu-MB/s are by processor time, which other work on the machine does not change.
func BenchmarkScan(b *testing.B) {
	const n = 20_000
	combined := manyLines(benchmarkLine, n)
	common := manyLines(benchmarkLine[:strings.Index(benchmarkLine, ` "https`)], n)
	caddy := manyLines(`{"level":"info","ts":"2026-05-17T10:05:43.25Z","logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.1.2.3","remote_port":"41342","client_ip":"10.1.2.3","proto":"HTTP/2.0","method":"GET","host":"example.org","uri":"/presentations/images/dashboard3.png?size=large","headers":{"User-Agent":["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_1) AppleWebKit/537.36"],"Accept":["*/*"]}},"bytes_read":0,"user_id":"","duration":0.000929675,"size":171717,"status":200,"resp_headers":{"Server":["Caddy"]}}`, n)
	table := append([]byte("t,key,cost,status\n"), manyLines("2026-05-17T10:05:43.25Z,10.1.2.3,3,200", n)...)
	packed := compressed(b, combined)
	for _, c := range []struct {
		name   string
		text   []byte
		plain  int // bytes
		opts   Options
		reader func(io.Reader) error
	}{
		{"lines", combined, 0, Options{}, countLines},
		{"combined", combined, 0, Options{}, nil},
		{"combined,agent", combined, 0, Options{Columns: []string{"agent", "endpoint"}, Agents: true}, nil},
		{"common", common, 0, Options{}, nil},
		{"log-format", combined, 0, Options{LogFormat: nginxCombined}, nil},
		{"json", caddy, 0, Options{}, nil},
		{"csv", table, 0, Options{}, nil},
		{"gzip", packed["gzip"], len(combined), Options{}, nil},
		{"zstd", packed["zstd"], len(combined), Options{}, nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			if c.plain == 0 {
				c.plain = len(c.text)
			}
			b.SetBytes(int64(c.plain))
			b.ReportAllocs()
			started := processorTime()
			for b.Loop() {
				if c.reader != nil {
					require.NoError(b, c.reader(bytes.NewReader(c.text)))
					continue
				}
				c.opts.Stdin = bytes.NewReader(c.text)
				log, err := Scan([]string{"-"}, c.opts, func(*Log, *Record) error { return nil })
				require.NoError(b, err)
				require.Zero(b, log.Bad)
			}
			b.ReportMetric(float64(c.plain)*float64(b.N)/1e6/(processorTime()-started).Seconds(), "cpu-MB/s")
		})
	}
}

// countLines is the baseline.
func countLines(r io.Reader) error {
	lines := newLineReader(r)
	for {
		if _, err := lines.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
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
