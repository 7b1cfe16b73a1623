package sweep

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
)

// A segment is a file of cells that one process appended:
//
//	a line of JSON, which says what all its cells have in common, a space, and the line's checksum in hexadecimal
//	records, all of one size: key, wall time in ns, the bits of each metric, checksum
//
// Numbers are little endian, checksums CRC-32C. Since all records have one size, a damaged one hides no other, and what
// is left of a record at the end of the file is one that was being written when its process died.

const (
	segmentFormat = "ratelab cells 1"
	segmentSuffix = ".cells"
	maxHeader     = 1 << 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// cellKey identifies what a cell computes, across plans and programs.
type cellKey [32]byte

// segmentHeader is what the cells of a segment have in common.
type segmentHeader struct {
	Format     string   `json:"format"`
	Program    string   `json:"program"`
	Experiment string   `json:"experiment"`
	Variant    string   `json:"variant"`
	Metrics    []string `json:"metrics"` // in the order of the values
}

// same reports whether cells under both headers can stand for each other.
func (h segmentHeader) same(other segmentHeader) bool {
	return h.Program == other.Program && h.sameBut(other)
}

// sameBut is same but for the program.
func (h segmentHeader) sameBut(other segmentHeader) bool {
	return h.Experiment == other.Experiment && h.Variant == other.Variant && slices.Equal(h.Metrics, other.Metrics)
}

func (h segmentHeader) recordSize() int { return len(cellKey{}) + 8 + 8*len(h.Metrics) + 4 }

// encode returns the first line of a segment.
func (h segmentHeader) encode() ([]byte, error) {
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(line, " %08x\n", crc32.Checksum(line, castagnoli)), nil
}

// appendRecord appends a record to a buffer.
func appendRecord(b []byte, key cellKey, took time.Duration, values []float64) []byte {
	start := len(b)
	b = append(b, key[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(took))
	for _, v := range values {
		if math.IsNaN(v) {
			v = math.NaN() // a missing value is one value
		}
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// record is one cell of a segment that was read. Its bits share the memory of the segment.
type record struct {
	key  cellKey
	took time.Duration
	bits []byte // 8 bytes a metric
}

func (r record) values() []float64 {
	values := make([]float64, len(r.bits)/8)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.bits[8*i:]))
	}
	return values
}

var (
	// errUnfinished is the error of a segment whose process died before it had written the first line.
	errUnfinished = errors.New("its first line is not whole")
	errNoSegment  = errors.New("it is not a segment of cells that this program can read")
)

// parseHeader reads the first line of a segment and returns what follows it.
func parseHeader(content []byte) (h segmentHeader, rest []byte, err error) {
	line, _, whole := bytes.Cut(content[:min(len(content), maxHeader)], []byte("\n"))
	if !whole {
		if len(content) < maxHeader {
			return h, nil, errUnfinished
		}
		return h, nil, errNoSegment
	}
	rest = content[len(line)+1:]
	space := bytes.LastIndexByte(line, ' ')
	if space < 0 {
		return h, nil, errNoSegment
	}
	sum, err := strconv.ParseUint(string(line[space+1:]), 16, 32)
	if err != nil || uint32(sum) != crc32.Checksum(line[:space], castagnoli) {
		return h, nil, errNoSegment
	}
	if err := json.Unmarshal(line[:space], &h); err != nil || h.Format != segmentFormat {
		return segmentHeader{}, nil, errNoSegment
	}
	return h, rest, nil
}

// parseRecords reads the records that follow a header. It leaves out what is torn at the end, and counts the whole
// records that are damaged, which it leaves out too.
func parseRecords(h segmentHeader, content []byte) (records []record, damaged int) {
	size := h.recordSize()
	records = make([]record, 0, len(content)/size)
	for ; len(content) >= size; content = content[size:] {
		body := content[:size-4]
		if binary.LittleEndian.Uint32(content[size-4:]) != crc32.Checksum(body, castagnoli) {
			damaged++
			continue
		}
		records = append(records, record{
			key:  cellKey(body[:32]),
			took: time.Duration(binary.LittleEndian.Uint64(body[32:])),
			bits: body[40:],
		})
	}
	return records, damaged
}

// segmentFile is what a segment is written to: an *os.File but in tests.
type segmentFile interface {
	io.Writer
	Sync() error
	Close() error
}
