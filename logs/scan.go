package logs

import (
	"cmp"
	"fmt"
	"io"
	"math"
)

// inWindow is how many requests wait, over all files, for one that is earlier to come.
const inWindow = 1 << 18

// Scan reads logs and hands out their requests in time order, those at the same time in the order of the files and of
// their lines. Memory is bounded by the keys and the texts of the columns, not by the lines.
//
// each gets the log as far as it is known, with the keys and texts of this request, and the request; both are valid
// until it returns. Its error ends the reading and is returned. What Scan returns is known of the whole.
//
// Servers write lines when requests end, so that logs are nearly sorted: about 2¹⁸ requests (over all files) wait for
// earlier ones. A request that comes later than that is an [InputError], unless Options.Sort asked for a whole sort. As
// with [Read], lines that do not parse are counted, and a file with more bad lines than good ones is an InputError.
func Scan(paths []string, opts Options, each func(log *Log, r *Record) error) (*Log, error) {
	log, sources, err := openAll(paths, opts)
	if err != nil {
		return nil, err
	}
	defer closeAll(sources)
	if opts.Sort {
		err = scanSorted(log, sources, &opts, each)
	} else {
		err = scanMerged(log, sources, &opts, each)
	}
	if err != nil {
		return nil, err
	}
	log.sum()
	return log, nil
}

// scanMerged merges files that are nearly sorted.
func scanMerged(log *Log, sources []*source, opts *Options, each func(log *Log, r *Record) error) error {
	streams := make([]*stream, 0, len(sources))
	for i, s := range sources {
		t := &stream{source: s, order: i, most: opts.waiting(len(sources)), latest: math.MinInt64}
		if err := t.advance(); err == io.EOF {
			continue
		} else if err != nil {
			return err
		}
		streams = append(streams, t)
	}
	for i := len(streams)/2 - 1; i >= 0; i-- {
		sink(streams, i)
	}
	for len(streams) > 0 {
		t := streams[0]
		if err := each(log, &t.head); err != nil {
			return err
		}
		log.release(&t.head)
		if err := t.advance(); err == io.EOF {
			last := len(streams) - 1
			streams[0] = streams[last]
			streams = streams[:last]
		} else if err != nil {
			return err
		}
		sink(streams, 0)
	}
	return nil
}

// stream is one file in time order.
type stream struct {
	source *source
	order  int // of the file among the files
	window window
	most   int // requests in the window
	ended  bool
	head   Record // the earliest that has not been handed out
	latest int64  // of those handed out
}

// advance finds the next head. The error is io.EOF after the last.
func (t *stream) advance() error {
	for !t.ended && t.window.len() < t.most {
		var r Record
		if err := t.source.next(&r); err == io.EOF {
			t.ended = true
			break
		} else if err != nil {
			return err
		}
		if r.At < t.latest {
			return t.source.fault(fmt.Errorf("goes back in time too far: a request of %s comes more than %d lines after one of %s; with --sort, the log is sorted in a temporary file",
				UTC(r.At), t.most, UTC(t.latest)))
		}
		t.window.add(&r)
	}
	if t.window.len() == 0 {
		return io.EOF
	}
	t.head = t.window.take()
	t.latest = t.head.At
	return nil
}

// sink restores the order of a heap of streams below i: the earliest head first, of equal ones the earlier file's.
func sink(streams []*stream, i int) {
	for {
		child := 2*i + 1
		if child >= len(streams) {
			return
		}
		if child+1 < len(streams) && compareHeads(streams[child+1], streams[child]) < 0 {
			child++
		}
		if compareHeads(streams[child], streams[i]) >= 0 {
			return
		}
		streams[i], streams[child] = streams[child], streams[i]
		i = child
	}
}

func compareHeads(a, b *stream) int {
	return cmp.Or(cmp.Compare(a.head.At, b.head.At), cmp.Compare(a.order, b.order))
}
