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
	"fmt"
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
	Limiter string    // the spec of one limiter, keyed by the column key; or
	Layers  []string  // several, each "COLUMN=SPEC": keyed by that column of the input, or the same for all by "global"
	Charge  string    // who pays of the layers, see [limiters.ChargeMode]; "" is admitted
	Evict   string    // how the one limiter holds its keys, see [limiters.Eviction]; "" is none: it forgets none
	Seed    uint64    // of their random streams
	Headers bool      // print the answers as HTTP would
	Explain bool      // print who refused
	Stream  bool      // print as the input comes, without checking it first
	Stdin   io.Reader // what the input "-" is

	// Forgotten, if set, is told how many keys were forgotten, once all are decided.
	Forgotten func(limiters.Forgotten)
}

// Header names the columns that Run prints. [Options.Headers] adds those of [HTTPHeader]. [Options.Explain] adds one
// more at the end, layer: the column of the first layer that refused, or COLUMN=SPEC where several layers have that column; "key" if there are no layers. It is empty for an
// admitted arrival.
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
	err = answer(input, d, writer, opts)
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
	rows, err := newReader(input, input.name, d)
	if err != nil {
		return err
	}
	var row logs.Arrival
	for err == nil {
		err = rows.next(&row)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// reader reads rows that the decider can answer.
type reader struct {
	*logs.ArrivalReader
	name string
	unit string // the limiter that knows requests of cost 1 only
}

func newReader(source io.Reader, name string, d decider) (reader, error) {
	rows, err := logs.NewArrivalReader(source, name, d.columns()...)
	return reader{rows, name, d.unitCost()}, err
}

func (r reader) next(row *logs.Arrival) error {
	err := r.Next(row)
	if err == nil && r.unit != "" && row.Cost != 1 {
		return &logs.InputError{File: r.name, Line: row.Line, Column: "cost", Err: fmt.Errorf("%s knows requests of cost 1 only, got %d", r.unit, row.Cost)}
	}
	return err
}

// answer decides the rows of the input and writes what comes out.
func answer(input *input, d decider, out *bufio.Writer, opts Options) error {
	var source io.Reader = input
	if opts.Stream {
		source = &flushingReader{from: input, out: out}
	}
	rows, err := newReader(source, input.name, d)
	if err != nil {
		return err
	}
	header := Header
	if opts.Headers {
		header += "," + HTTPHeader
	}
	if opts.Explain {
		header += ",layer"
	}
	if _, err := out.WriteString(header + "\n"); err != nil {
		return err
	}
	var row logs.Arrival
	var line []byte
	for {
		if err := rows.next(&row); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		decision, layer := d.decide(&row)
		line = appendRow(line[:0], &row, decision)
		if opts.Headers {
			line = appendMessage(line, row.At, decision, d.standings())
		}
		if opts.Explain {
			line = logs.AppendField(append(line, ','), layer)
		}
		line = append(line, '\n')
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
	return line
}

func appendHint(line []byte, d time.Duration) []byte {
	if d == contract.Never {
		return append(line, "never"...)
	}
	return logs.AppendSeconds(line, int64(d))
}
