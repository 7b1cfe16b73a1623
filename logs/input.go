package logs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// InputError says that the input is at fault, not the program: where it is wrong, and what would be right.
type InputError struct {
	File   string // as it was named; empty if no file is at fault
	Line   int64  // from 1; 0 if no line is at fault
	Column string // the CSV column; empty if none is at fault
	Err    error  // what is wrong and what would be right
}

func (e *InputError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	if e.Line > 0 {
		b.WriteString("line " + strconv.FormatInt(e.Line, 10) + ": ")
	}
	if e.Column != "" {
		b.WriteString("column " + strconv.Quote(e.Column) + ": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns what is wrong.
func (e *InputError) Unwrap() error { return e.Err }

// StandardInput is what errors and reports call the file "-".
const StandardInput = "standard input"

// OpenFile opens a file for reading. That it is missing, unreadable or a folder is an [InputError].
func OpenFile(path string) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &InputError{File: path, Err: cause(err)}
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a folder; want a file")
	}
	if err != nil {
		_ = file.Close()
		return nil, &InputError{File: path, Err: cause(err)}
	}
	return file, nil
}

// cause drops the path from an error of the file system: the InputError around it names the file already.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// errGzip is the answer to compressed input.
var errGzip = errors.New("is compressed with gzip; decompress it first, as in: gzip -dc FILE | ratelab … -")

// readFailed wraps an error of the operating system, met while the named file was read.
func readFailed(name string, err error) error { return fmt.Errorf("read %s: %w", name, cause(err)) }

// named returns what errors call the file at path.
func named(path string) string {
	if path == "-" {
		return StandardInput
	}
	return path
}

// openInput opens path for reading; "-" is stdin.
func openInput(path string, stdin io.Reader) (io.ReadCloser, error) {
	if path == "-" {
		if stdin == nil {
			return nil, &InputError{File: StandardInput, Err: errors.New("can not be read here; name a file")}
		}
		return io.NopCloser(stdin), nil
	}
	return OpenFile(path)
}

// shown quotes a value of the input for an error: on one line, and not longer than a reader wants to see.
func shown(value []byte) string {
	const most = 60
	if len(value) > most {
		return strconv.Quote(string(value[:most])) + "…"
	}
	return strconv.Quote(string(value))
}
