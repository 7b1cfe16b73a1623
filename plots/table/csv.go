package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"ratelab/internal/atomicfile"
)

// Write writes the table as CSV by RFC 4180, with LF at line ends, UTF-8, and the column names as header. The same
// table gives the same bytes.
func (t *Table) Write(w io.Writer) error {
	if len(t.columns) == 0 {
		return errors.New("write CSV: a table needs at least one column")
	}
	out := bufio.NewWriter(w)
	for c, column := range t.columns {
		writeField(out, c, len(t.columns), column.Name)
	}
	for i := range t.rows {
		for c := range t.columns {
			writeField(out, c, len(t.columns), t.field(c, i))
		}
	}
	return out.Flush() // a bufio.Writer keeps its first error
}

func writeField(out *bufio.Writer, c, columns int, field string) {
	if c > 0 {
		_ = out.WriteByte(',')
	}
	// A line with a single empty field would look like no line at all.
	if strings.ContainsAny(field, ",\"\r\n") || field == "" && columns == 1 || c == 0 && strings.HasPrefix(field, "\uFEFF") {
		_ = out.WriteByte('"')
		_, _ = out.WriteString(strings.ReplaceAll(field, `"`, `""`))
		_ = out.WriteByte('"')
	} else {
		_, _ = out.WriteString(field)
	}
	if c == columns-1 {
		_ = out.WriteByte('\n')
	}
}

// WriteFile writes the table as CSV to path, whole or not at all.
func (t *Table) WriteFile(path string) error { return atomicfile.Write(path, t.Write) }

// ReadFile reads a CSV file; see Read.
func ReadFile(path string, columns []Column) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return Read(path, file, columns)
}

// Read reads what Write writes. The header must name exactly the given columns, in any order; the table has them in
// the order given. With no columns given, every column of the header is read as Text. It is strict: line ends are
// LF, the last one included, every line has as many fields as the header, numbers are decimal. An error names the
// file, the line (from 1, the header's), the column, and what would be right.
func Read(name string, r io.Reader, columns []Column) (*Table, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if bytes.HasPrefix(text, []byte("\uFEFF")) {
		return nil, fmt.Errorf("%s:1: starts with a byte order mark, want plain UTF-8", name)
	}
	if len(text) == 0 {
		return nil, fmt.Errorf("%s:1: the file is empty, want a header with columns %s", name, list(columns))
	}
	s := &scanner{text: text, line: 1}
	header, err := s.record()
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, s.line, err)
	}
	if columns == nil {
		for _, field := range header {
			columns = append(columns, Column{Name: field, Type: Text})
		}
	}
	t, err := New(columns...)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	order, err := t.match(header)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	for len(s.text) > 0 {
		line := s.line
		fields, err := s.record()
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, s.line, err)
		}
		if len(fields) != len(header) {
			return nil, fmt.Errorf("%s:%d: want %d fields as in the header, got %d", name, line, len(header), len(fields))
		}
		for i, field := range fields {
			if err := t.parse(order[i], field); err != nil {
				return nil, fmt.Errorf("%s:%d: column %q: %w", name, line, header[i], err)
			}
		}
		t.rows++
	}
	return t, nil
}

// match returns for each field of the header the index of its column.
func (t *Table) match(header []string) ([]int, error) {
	order := make([]int, len(header))
	found := make([]bool, len(t.columns))
	for i, field := range header {
		c, err := t.find(field)
		if err != nil {
			return nil, fmt.Errorf("unknown column %q, want %s", field, list(t.columns))
		}
		if found[c] {
			return nil, fmt.Errorf("column %q is there twice, names must be unique", field)
		}
		found[c] = true
		order[i] = c
	}
	for c, ok := range found {
		if !ok {
			return nil, fmt.Errorf("column %q is missing, want %s", t.columns[c].Name, list(t.columns))
		}
	}
	return order, nil
}

// parse appends a field to column c.
func (t *Table) parse(c int, field string) error {
	v := &t.data[c]
	switch t.columns[c].Type {
	case Integer:
		n, err := parseInteger(field)
		if err != nil {
			return err
		}
		v.integer = append(v.integer, n)
	case Number:
		x, err := parseNumber(field)
		if err != nil {
			return err
		}
		v.number = append(v.number, x)
	default:
		v.text = append(v.text, field)
	}
	return nil
}

// scanner splits CSV. The reader of encoding/csv would not do: it turns CR LF inside a quoted field into LF and skips
// empty lines, so what it reads is not always what was written.
type scanner struct {
	text []byte // what is left
	line int    // of the first byte of text, or of an error
}

// record reads one line; there must be text left.
func (s *scanner) record() ([]string, error) {
	if s.text[0] == '\n' {
		return nil, errors.New("the line is empty, want fields as in the header")
	}
	var fields []string
	for {
		field, err := s.field()
		if err != nil {
			return nil, err
		}
		if !utf8.Valid(field) {
			return nil, fmt.Errorf("field %d: want UTF-8, got %q", len(fields)+1, field)
		}
		fields = append(fields, string(field))
		if len(s.text) == 0 {
			return nil, errors.New("the last line has no line end: the file may be cut off")
		}
		end := s.text[0]
		s.text = s.text[1:]
		switch end {
		case ',':
			if len(s.text) == 0 {
				return nil, errors.New("the last line has no line end: the file may be cut off")
			}
		case '\n':
			s.line++
			return fields, nil
		case '\r':
			return nil, errors.New("want LF at the line end, got CR")
		default:
			return nil, fmt.Errorf("field %d: want a comma or a line end after the closing quote, got %q", len(fields), end)
		}
	}
}

// field reads one field and stops before what ends it.
func (s *scanner) field() ([]byte, error) {
	if len(s.text) == 0 || s.text[0] != '"' {
		n := bytes.IndexAny(s.text, ",\"\r\n")
		if n < 0 {
			n = len(s.text)
		} else if s.text[n] == '"' {
			return nil, fmt.Errorf("a quote inside the field %q: want the whole field quoted and the quote doubled", s.text[:n])
		}
		field := s.text[:n]
		s.text = s.text[n:]
		return field, nil
	}
	start := s.line
	s.text = s.text[1:]
	var field []byte
	for {
		n := bytes.IndexByte(s.text, '"')
		if n < 0 {
			s.line = start
			return nil, errors.New("a quoted field is not closed")
		}
		s.line += bytes.Count(s.text[:n], []byte{'\n'})
		field = append(field, s.text[:n]...)
		s.text = s.text[n+1:]
		if len(s.text) == 0 || s.text[0] != '"' {
			return field, nil
		}
		field = append(field, '"')
		s.text = s.text[1:]
	}
}
