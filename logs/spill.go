package logs

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/lanrat/extsort"
)

// inChunk is how many requests are sorted in memory at a time; more go to a temporary file, chunk by chunk.
const inChunk = 1 << 19

// spilled is a request on its way through the sorter.
type spilled struct {
	Record
	seq int64    // of two requests at the same time, the smaller goes first
	ids []uint32 // of the columns' texts
}

// scanSorted reads all files from the first line to the last, and hands out their requests in time order afterwards.
// Memory is bounded by a few chunks, whatever the order of the lines.
func scanSorted(log *Log, sources []*source, opts *Options, each func(log *Log, r *Record) error) (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	in := make(chan spilled, 1024)
	columns, chunk := len(log.Columns), inChunk
	if opts.window > 0 {
		chunk = opts.window
	}
	sorter, out, faults := extsort.Generic(in,
		func(data []byte) (spilled, error) { return decodeSpilled(data, columns) },
		func(r spilled) ([]byte, error) { return encodeSpilled(r), nil },
		func(a, b spilled) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.seq, b.seq)) },
		&extsort.Config{ChunkSize: chunk, NumWorkers: 1, SortedChanBuffSize: 1024, TempFilesDir: os.TempDir()})
	reading, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		defer close(in)
		done <- log.pour(reading, sources, in)
	}()
	sorter.Sort(ctx) // returns when all is read and sorted, or sorting failed
	stop()
	failed := <-done
	defer func() {
		cancel()
		for range out { // so that nothing is left behind
		}
		if fault := <-faults; err == nil && fault != nil {
			err = fmt.Errorf("sort the log in a temporary file in %s: %w", os.TempDir(), fault)
		}
	}()
	if failed != nil {
		return failed
	}
	if columns > 0 {
		log.ids = append(log.ids[:0], make([]uint32, columns)...)
	}
	for r := range out {
		copy(log.ids, r.ids)
		r.Row = 0
		if err := each(log, &r.Record); err != nil {
			return err
		}
	}
	return nil
}

// pour reads all requests into a channel.
func (log *Log) pour(ctx context.Context, sources []*source, into chan<- spilled) error {
	seq := int64(0)
	for _, s := range sources {
		for {
			r := spilled{seq: seq}
			if err := s.next(&r.Record); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
			if n := len(log.Columns); n > 0 {
				r.ids = append(r.ids, log.ids[int(r.Row)*n:int(r.Row)*n+n]...)
				log.release(&r.Record)
			}
			select {
			case into <- r:
			case <-ctx.Done():
				return nil
			}
			seq++
		}
	}
	return nil
}

// encodeSpilled writes a request as it lies in the temporary file.
func encodeSpilled(r spilled) []byte {
	data := make([]byte, 0, 32+5*len(r.ids))
	data = binary.AppendVarint(data, r.At)
	data = binary.AppendVarint(data, r.seq)
	data = binary.AppendVarint(data, r.Cost)
	data = binary.AppendVarint(data, r.Took)
	data = binary.AppendUvarint(data, uint64(r.Key))
	data = binary.AppendUvarint(data, uint64(r.Status))
	for _, id := range r.ids {
		data = binary.AppendUvarint(data, uint64(id))
	}
	return data
}

func decodeSpilled(data []byte, columns int) (spilled, error) {
	whole := true
	signed := func() int64 {
		x, n := binary.Varint(data)
		whole = whole && n > 0
		data = data[max(n, 0):]
		return x
	}
	unsigned := func() uint64 {
		x, n := binary.Uvarint(data)
		whole = whole && n > 0
		data = data[max(n, 0):]
		return x
	}
	var r spilled
	r.At, r.seq, r.Cost, r.Took = signed(), signed(), signed(), signed()
	r.Key, r.Status = uint32(unsigned()), uint16(unsigned())
	if columns > 0 {
		r.ids = make([]uint32, columns)
		for i := range r.ids {
			r.ids[i] = uint32(unsigned())
		}
	}
	if !whole || len(data) > 0 {
		return r, fmt.Errorf("the temporary file is damaged")
	}
	return r, nil
}
