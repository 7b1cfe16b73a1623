package logs

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// csvReader reads the records of RFC 4180, with LF or CRLF, without allocating. It exists beside encoding/csv
// because it can pass over a bad record and go on, keeps line ends inside quotes as they are, and is fast.
type csvReader struct {
	lines     lineReader
	separator byte  // of the fields; 0 is a comma
	first     int64 // the line on which the last record began
	fields    [][]byte
	text      []byte // of a record with quotes, unquoted
	ends      []int  // of its fields in text
}

// csvFault says what is wrong with one record; the reader can go on after it.
type csvFault struct{ error }

var (
	faultBareQuote = csvFault{errors.New(`has a " inside a field without quotes; quote the field and double the "`)}
	faultAfter     = csvFault{errors.New(`has text after the closing " of a field; want a comma (or whatever separates the fields) or the end of the line`)}
	faultOpen      = csvFault{errors.New(`opens a " that is not closed`)}
	faultBlank     = csvFault{errors.New("is empty, and rows follow it")}
	faultLong      = csvFault{errLongLine}
)

// next returns the fields of the next record, none for an empty line. They are valid until the following call. The
// error is io.EOF, a csvFault, or an error of the source.
func (c *csvReader) next() ([][]byte, error) {
	raw, err := c.lines.next()
	c.first = c.lines.line
	if err != nil {
		if err == errLongLine {
			return nil, faultLong
		}
		return nil, err
	}
	if c.first == 1 {
		raw = trimMark(raw)
	}
	line := trimEnd(raw)
	c.fields = c.fields[:0]
	if len(line) == 0 {
		return c.fields, nil
	}
	start, comma := 0, c.comma()
	for i, b := range line {
		if b == comma {
			c.fields = append(c.fields, line[start:i])
			start = i + 1
		} else if b == '"' {
			return c.quoted(raw)
		}
	}
	c.fields = append(c.fields, line[start:])
	return c.fields, nil
}

func (c *csvReader) comma() byte {
	if c.separator == 0 {
		return ','
	}
	return c.separator
}

// separatorOf returns what separates the fields of a CSV that begins so: a comma, unless a semicolon or a tab makes a
// column of times of its header, and a comma does not. 0 is a comma.
func separatorOf(start []byte, timeColumn string) byte {
	for _, separator := range []byte{0, ';', '\t'} {
		c := csvReader{lines: newLineReader(bytes.NewReader(start)), separator: separator}
		names, err := c.header()
		if err == nil && (slices.Contains(names, timeColumn) || timeColumn == "" && len(columnsOfTimes(names)) > 0) {
			return separator
		}
	}
	return 0
}

// quoted reads a record that has quotes somewhere, from its first line.
func (c *csvReader) quoted(raw []byte) ([][]byte, error) {
	comma := c.comma()
	c.text, c.ends, c.fields = c.text[:0], c.ends[:0], c.fields[:0]
	for more := true; more; {
		if len(raw) > 0 && raw[0] == '"' {
			rest, err := c.inQuotes(raw[1:])
			if err != nil {
				return nil, err
			}
			raw = rest
			if line := trimEnd(raw); len(line) > 0 && line[0] != comma {
				return nil, faultAfter
			}
		} else {
			end := bytes.IndexByte(raw, comma)
			if end < 0 {
				end = len(trimEnd(raw))
			}
			if bytes.IndexByte(raw[:end], '"') >= 0 {
				return nil, faultBareQuote
			}
			c.text = append(c.text, raw[:end]...)
			raw = raw[end:]
		}
		c.ends = append(c.ends, len(c.text))
		if more = len(raw) > 0 && raw[0] == comma; more {
			raw = raw[1:]
		}
	}
	start := 0
	for _, end := range c.ends {
		c.fields = append(c.fields, c.text[start:end:end])
		start = end
	}
	return c.fields, nil
}

// inQuotes reads a field from behind its opening quote and returns what follows its closing quote.
func (c *csvReader) inQuotes(raw []byte) ([]byte, error) {
	for {
		i := bytes.IndexByte(raw, '"')
		if i < 0 {
			c.text = append(c.text, raw...)
			if len(c.text) > maxLine {
				return nil, faultLong
			}
			var err error
			switch raw, err = c.lines.next(); {
			case err == io.EOF:
				return nil, faultOpen
			case err == errLongLine:
				return nil, faultLong
			case err != nil:
				return nil, err
			}
			continue
		}
		c.text = append(c.text, raw[:i]...)
		raw = raw[i+1:]
		if len(raw) == 0 || raw[0] != '"' {
			return raw, nil
		}
		c.text = append(c.text, '"')
		raw = raw[1:]
	}
}

// AppendField appends a CSV field, quoted if it must be.
func AppendField[Text string | []byte](dst []byte, text Text) []byte {
	quote := false
	for i := range len(text) {
		if c := text[i]; c == ',' || c == '"' || c == '\n' || c == '\r' {
			quote = true
			break
		}
	}
	if !quote {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for i := range len(text) {
		if text[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}
