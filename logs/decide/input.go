package decide

import (
	"errors"
	"fmt"
	"io"
	"os"

	"ratelab/logs"
)

// input is what the arrivals are read from. Unless the rows are decided as they come, it can be rewound: what can not
// be read twice, like a pipe, is kept in a temporary file while it is read.
type input struct {
	name  string
	from  io.Reader // read once
	file  *os.File  // the file named, nil for standard input
	spool *os.File  // what was read so far, nil if the file itself can be read again
	named bool      // the spool still has a name, to be removed
}

func open(path string, opts Options) (*input, error) {
	in := &input{name: path}
	if path == "-" {
		if opts.Stdin == nil {
			return nil, &logs.InputError{File: logs.StandardInput, Err: errors.New("can not be read here; name a file")}
		}
		in.name, in.from = logs.StandardInput, opts.Stdin
	} else {
		file, err := logs.OpenFile(path)
		if err != nil {
			return nil, err
		}
		in.from, in.file = file, file
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return in, nil
		}
	}
	if opts.Stream {
		return in, nil
	}
	spool, err := os.CreateTemp("", "ratelab-arrivals-*.csv")
	if err != nil {
		in.close()
		return nil, fmt.Errorf("keep %s for a second reading: %w", in.name, err)
	}
	in.spool = spool
	in.named = os.Remove(spool.Name()) != nil // where open files can be removed, not even a crash leaves it behind
	return in, nil
}

// Read reads the input, and keeps what it read if there is no other way to read it again.
func (in *input) Read(p []byte) (int, error) {
	n, err := in.from.Read(p)
	if in.spool != nil && in.from != io.Reader(in.spool) {
		if _, failed := in.spool.Write(p[:n]); failed != nil {
			return n, fmt.Errorf("keep it for a second reading: %w", failed)
		}
	}
	return n, err
}

// rewind makes Read begin again.
func (in *input) rewind() error {
	again := in.file
	if in.spool != nil {
		again = in.spool
		in.from = again
	}
	if _, err := again.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read %s again: %w", in.name, err)
	}
	return nil
}

func (in *input) close() {
	if in.file != nil {
		_ = in.file.Close()
	}
	if in.spool != nil {
		_ = in.spool.Close()
		if in.named {
			_ = os.Remove(in.spool.Name())
		}
	}
}
