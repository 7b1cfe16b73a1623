package logs

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"time"
)

// Iterator hands out arrivals one after another; ok is false after the last.
type Iterator func() (at time.Duration, key, endpoint uint32, cost int64, ok bool)

// WriteArrivals writes arrivals as a CSV with the columns t, key, cost, where the key is its number.
func WriteArrivals(w io.Writer, next Iterator) error {
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.WriteString("t,key,cost\n")
	var row []byte
	for {
		at, key, _, cost, ok := next()
		if !ok {
			return out.Flush()
		}
		row = AppendSeconds(row[:0], int64(at))
		row = append(row, ',')
		row = strconv.AppendUint(row, uint64(key), 10)
		row = append(row, ',')
		row = strconv.AppendInt(row, cost, 10)
		row = append(row, '\n')
		if _, err := out.Write(row); err != nil {
			return err
		}
	}
}

// combinedEpoch is the time 0 of a log that [WriteCombined] writes: 1 January 2026, 00:00:00 UTC, in Unix seconds.
const combinedEpoch = 1767225600

// WriteCombined writes arrivals as a log in combined format, as a web server would have. Time 0 is 1 January 2026,
// 00:00:00 UTC. A log has whole seconds: the rest is cut off. A key k becomes the private address 10.x.y.z whose last
// three bytes are k+1, or, if k+1 does not fit, the documentation address 2001:db8:: whose last four are k; the endpoint
// is in the request, a cost of n shows as n KiB sent.
func WriteCombined(w io.Writer, next Iterator) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for {
		at, key, endpoint, cost, ok := next()
		if !ok {
			return out.Flush()
		}
		line = appendAddress(line[:0], key)
		line = append(line, " - - ["...)
		line = time.Unix(combinedEpoch+FloorSeconds(int64(at)), 0).UTC().AppendFormat(line, "02/Jan/2006:15:04:05 -0700")
		line = append(line, `] "GET /items/`...)
		line = strconv.AppendUint(line, uint64(endpoint), 10)
		line = append(line, ` HTTP/1.1" 200 `...)
		line = strconv.AppendInt(line, 1024*min(cost, math.MaxInt64/1024), 10)
		line = append(line, " \"-\" \"ratelab\"\n"...)
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
}

func appendAddress(dst []byte, key uint32) []byte {
	n := uint64(key) + 1
	if n < 1<<24 {
		dst = append(dst, "10"...)
		for shift := 16; shift >= 0; shift -= 8 {
			dst = append(dst, '.')
			dst = strconv.AppendUint(dst, n>>shift&255, 10)
		}
		return dst
	}
	dst = append(dst, "2001:db8::"...)
	dst = strconv.AppendUint(dst, uint64(key>>16), 16)
	dst = append(dst, ':')
	return strconv.AppendUint(dst, uint64(key&0xffff), 16)
}

// FloorSeconds returns the whole second in which a time lies.
func FloorSeconds(ns int64) int64 {
	s := ns / second
	if ns%second < 0 {
		s--
	}
	return s
}
