package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"ratelab/internal/spec"
)

// Format is how a log is written.
type Format string

// The formats of logs.
const (
	Auto     Format = "auto"       // whichever of the following it is
	Common   Format = "common"     // NCSA common log format, whatever follows it
	Combined Format = "combined"   // the same with referer and user agent
	CSV      Format = "csv"        // with a header that names the columns
	JSON     Format = "json"       // one JSON object a line
	Custom   Format = "log-format" // as Options.LogFormat says
)

// ParseFormat reads the name of a format; no name is Auto.
func ParseFormat(name string) (Format, error) {
	known := []string{string(Auto), string(Common), string(Combined), string(JSON), string(CSV), string(Custom)}
	if name == "" {
		return Auto, nil
	}
	if !slices.Contains(known, name) {
		return "", fmt.Errorf("unknown format %q%s; known: %s", name, spec.DidYouMean(name, known), strings.Join(known, ", "))
	}
	return Format(name), nil
}

// looksAt is the number of lines by which a format is recognised.
const looksAt = 32

// detect says which format a file has from how it begins: that in which most of its first lines parse, or a CSV if
// none is a log line and the first could be a header.
func detect(start []byte, timeColumn string) (Format, error) {
	start = trimMark(start)
	var line logLine
	common, combined := 0, 0
	for text := range firstLines(start) {
		if parseCombined(text, &line) == nil {
			combined++
		} else if _, err := parseCommon(text, &line); err == nil {
			common++
		}
	}
	switch {
	case combined > 0 && combined >= common:
		return Combined, nil
	case common > 0:
		return Common, nil
	}
	if names := jsonNames(start); len(names) > 0 {
		return JSON, nil
	}
	c := csvReader{lines: newLineReader(bytes.NewReader(start)), separator: separatorOf(start, timeColumn)}
	names, err := c.header()
	if err == nil && (len(names) > 1 || timeColumn != "" || len(columnsOfTimes(names)) > 0) {
		return CSV, nil
	}
	return "", errors.New("is in no format that is known: its first lines are neither common nor combined log lines, " +
		"nor JSON objects, nor a CSV header with a column t")
}

// firstLines returns the first lines of a file that begins so; the last may be cut off.
func firstLines(start []byte) iter.Seq[[]byte] {
	return leadingLines(start, looksAt)
}

// leadingLines are at most so many of them.
func leadingLines(start []byte, most int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		rest := trimMark(start)
		for n := 0; n < most && len(rest) > 0; n++ {
			var text []byte
			if i := bytes.IndexByte(rest, '\n'); i >= 0 {
				text, rest = rest[:i+1], rest[i+1:]
			} else {
				text, rest = rest, nil
			}
			if !yield(trimEnd(text)) {
				return
			}
		}
	}
}

// peek returns how the input begins, as much as fits into the buffer, and why there is not more of it, unless that is
// its end. The error comes again when the input is read so far.
func (l *lineReader) peek() ([]byte, error) {
	start, err := l.r.Peek(l.r.Size())
	if err == io.EOF {
		err = nil
	}
	return start, err
}
