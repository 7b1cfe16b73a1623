// Package decide answers arrivals one by one: an arrivals CSV goes in, a decision for every row comes out, in the
// same order.
//
// [Run] first reads the whole input and checks it, so that nothing is printed for an input with a fault anywhere; then
// it reads the input again and decides. A file is read twice, what can be read only once is kept in a temporary file
// meanwhile. With [Options.Stream] it decides as it reads. Either way, memory is bounded by the keys and the limiter's
// state, not by the rows.
package decide

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"syscall"
	"time"

	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/logs"
)

// Options say who decides, and how the input is read.
type Options struct {
	Limiter string    // its spec
	Evict   string    // how it holds its keys, see [limiters.Eviction]; "" is none: it forgets none
	Seed    uint64    // of its random streams
	Stream  bool      // print as the input comes, without checking it first
	Stdin   io.Reader // what the input "-" is

	// Forgotten, if set, is told how many keys were forgotten, once all are decided.
	Forgotten func(limiters.Forgotten)
}

// Header names the columns that Run prints.
const Header = "t,key,cost,admitted,delay,retry_after,limit,remaining,reset"

// Run decides the arrivals of the file in, or of standard input for "-", and prints to out one line for each: t as it
// was given, key (empty if there was none), cost (1 if there was none), and the decision. Durations are in seconds,
// "never" if no wait helps; a hint that the limiter does not give is empty, and so is the retry_after of an admitted
// arrival.
//
// A fault of the spec or the input is a [logs.InputError]; unless Stream is set, nothing is printed then. That the
// reader of out went away is no error.
func Run(in string, out io.Writer, opts Options) error {
	d, err := newDecider(opts)
	if err != nil {
		return err
	}
	input, err := open(in, opts)
	if err != nil {
		return err
	}
	defer input.close()
	if !opts.Stream {
		if err := validate(input, d); err != nil {
			return err
		}
		if err := input.rewind(); err != nil {
			return err
		}
	}
	writer := bufio.NewWriterSize(out, 1<<16)
	err = answer(input, d, writer, opts.Stream)
	if flushed := writer.Flush(); flushed != nil {
		err = flushed
	}
	if err == nil && opts.Forgotten != nil {
		opts.Forgotten(d.forgotten())
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// validate reads the input to its end and returns its first fault.
func validate(input *input, d decider) error {
	rows, err := logs.NewArrivalReader(input, input.name, d.columns()...)
	if err != nil {
		return err
	}
	var row logs.Arrival
	for err == nil {
		err = rows.Next(&row)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// answer decides the rows of the input and writes what comes out.
func answer(input *input, d decider, out *bufio.Writer, stream bool) error {
	var source io.Reader = input
	if stream {
		source = &flushingReader{from: input, out: out}
	}
	rows, err := logs.NewArrivalReader(source, input.name, d.columns()...)
	if err != nil {
		return err
	}
	if _, err := out.WriteString(Header + "\n"); err != nil {
		return err
	}
	var row logs.Arrival
	var line []byte
	for {
		if err := rows.Next(&row); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		line = appendRow(line[:0], &row, d.decide(&row))
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
}

// flushingReader flushes the output before it reads, so that whoever waits for input has seen all answers.
type flushingReader struct {
	from io.Reader
	out  *bufio.Writer
}

func (f *flushingReader) Read(p []byte) (int, error) {
	if err := f.out.Flush(); err != nil {
		return 0, err
	}
	return f.from.Read(p)
}

func appendRow(line []byte, row *logs.Arrival, d contract.Decision) []byte {
	line = append(line, row.T...)
	line = append(line, ',')
	line = logs.AppendField(line, row.Key)
	line = append(line, ',')
	line = strconv.AppendInt(line, row.Cost, 10)
	line = append(line, ',')
	line = strconv.AppendBool(line, d.Admitted)
	line = append(line, ',')
	line = logs.AppendSeconds(line, int64(d.Delay))
	line = append(line, ',')
	if d.Has&contract.HintRetryAfter != 0 && !d.Admitted {
		line = appendHint(line, d.RetryAfter)
	}
	line = append(line, ',')
	if d.Has&contract.HintLimit != 0 {
		line = strconv.AppendInt(line, d.Limit, 10)
	}
	line = append(line, ',')
	if d.Has&contract.HintRemaining != 0 {
		line = strconv.AppendInt(line, d.Remaining, 10)
	}
	line = append(line, ',')
	if d.Has&contract.HintReset != 0 {
		line = appendHint(line, d.Reset)
	}
	return append(line, '\n')
}

func appendHint(line []byte, d time.Duration) []byte {
	if d == contract.Never {
		return append(line, "never"...)
	}
	return logs.AppendSeconds(line, int64(d))
}
