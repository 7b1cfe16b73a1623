package logs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds the memory that one line takes, in bytes.
const maxLine = 1 << 20

// errLongLine is returned for a line that is passed over because of its length.
var errLongLine = fmt.Errorf("is longer than %d bytes", maxLine)

// lineReader reads lines of any length in bounded memory and counts them.
type lineReader struct {
	r     *bufio.Reader
	spill []byte
	line  int64 // the number of the line that was read last, from 1
}

func newLineReader(r io.Reader) lineReader {
	return lineReader{r: bufio.NewReaderSize(r, 1<<16)}
}

// next returns the next line with its end, if it has one; it is valid until the following call. The error is io.EOF
// after the last line, errLongLine for a line that was passed over, or an error of the source.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if err == nil {
		l.line++
		return line, nil
	}
	l.spill = l.spill[:0]
	long := false
	for errors.Is(err, bufio.ErrBufferFull) {
		if long = long || len(l.spill)+len(line) > maxLine; !long {
			l.spill = append(l.spill, line...)
		}
		line, err = l.r.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err == io.EOF && len(line) == 0 && len(l.spill) == 0 && !long {
		return nil, io.EOF
	}
	l.line++
	if long || len(l.spill)+len(line) > maxLine {
		return nil, errLongLine
	}
	if len(l.spill) > 0 {
		line = append(l.spill, line...)
		l.spill = line
	}
	return line, nil
}

// trimEnd takes the end of a line off, LF or CRLF.
func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
		if n > 1 && line[n-2] == '\r' {
			line = line[:n-2]
		}
	}
	return line
}

var utf8Mark = []byte("\xef\xbb\xbf")

// trimMark takes a byte order mark off the first line of a file.
func trimMark(line []byte) []byte { return bytes.TrimPrefix(line, utf8Mark) }
