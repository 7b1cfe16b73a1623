package logs

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"ratelab/internal/spec"
)

// Arrival is one row of an arrivals CSV. Its slices are valid until the next row is read.
type Arrival struct {
	Line   int64         // where the row begins, from 1; the header is line 1
	At     time.Duration // t, exactly
	T      []byte        // t as it is written
	Key    []byte        // empty if there is none
	Cost   int64         // >= 1; 1 if there is none
	Wanted [][]byte      // the values of the columns asked for, in that order
}

// ArrivalReader reads an arrivals CSV: a header with the column t, and optionally key, cost and others, in any order.
// t is decimal seconds with up to 9 decimals, within int64 nanoseconds; it may be negative or go back. A cost is a
// whole number >= 1; an empty one is 1. Empty lines at the end are ignored.
type ArrivalReader struct {
	csv    csvReader
	name   string
	header int // number of columns
	t      int
	key    int // -1 if there is none
	cost   int // likewise
	wanted []int
}

// NewArrivalReader reads the header. name is what errors call the input; columns are further columns that must be
// there, to be found in [Arrival.Wanted].
func NewArrivalReader(r io.Reader, name string, columns ...string) (*ArrivalReader, error) {
	a := &ArrivalReader{csv: csvReader{lines: newLineReader(r)}, name: name}
	if start, err := a.csv.lines.r.Peek(2); err == nil && isGzip(start) {
		return nil, &InputError{File: name, Err: errGzip}
	}
	names, err := a.csv.header()
	if err == io.EOF {
		return nil, &InputError{File: name, Err: errors.New("is empty; want a CSV header with a column t")}
	} else if err != nil {
		return nil, a.csv.failure(name, err)
	}
	a.header = len(names)
	if a.t, err = columnOf(names, "t"); err != nil {
		return nil, &InputError{File: name, Line: 1, Err: err}
	}
	for _, optional := range []struct {
		name  string
		index *int
	}{{"key", &a.key}, {"cost", &a.cost}} {
		*optional.index = -1
		if slices.Contains(names, optional.name) {
			if *optional.index, err = columnOf(names, optional.name); err != nil {
				return nil, &InputError{File: name, Line: 1, Err: err}
			}
		}
	}
	for _, column := range columns {
		i, err := columnOf(names, column)
		if err != nil {
			return nil, &InputError{File: name, Line: 1, Err: err}
		}
		a.wanted = append(a.wanted, i)
	}
	return a, nil
}

// header reads the names of the columns.
func (c *csvReader) header() ([]string, error) {
	fields, err := c.next()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = string(field)
	}
	return names, nil
}

// failure turns an error of next into one for people.
func (c *csvReader) failure(name string, err error) error {
	if fault, bad := err.(csvFault); bad {
		return &InputError{File: name, Line: c.first, Err: fault}
	}
	return readFailed(name, err)
}

// columnOf finds a column by its exact name.
func columnOf(names []string, name string) (int, error) {
	i := slices.Index(names, name)
	if i < 0 {
		there := "the header is empty"
		if len(names) > 0 {
			there = "the header has " + quotedList(names)
		}
		return 0, fmt.Errorf("no column %q%s; %s", name, spec.DidYouMean(name, names), there)
	}
	if slices.Contains(names[i+1:], name) {
		return 0, fmt.Errorf("the header names the column %q twice", name)
	}
	return i, nil
}

// Next reads one row into row. The error is io.EOF after the last row, or an [InputError].
func (a *ArrivalReader) Next(row *Arrival) error {
	fields, err := a.csv.next()
	if err == nil && len(fields) == 0 {
		fields, err = a.blank()
	}
	if err == io.EOF {
		return err
	} else if err != nil {
		return a.csv.failure(a.name, err)
	}
	row.Line = a.csv.first
	if len(fields) != a.header {
		return &InputError{File: a.name, Line: row.Line, Err: fieldCount(fields, a.header)}
	}
	row.T = fields[a.t]
	at, err := parseSeconds(row.T)
	if err != nil {
		return a.fault(row, "t", row.T, err)
	}
	row.At, row.Key, row.Cost = time.Duration(at), nil, 1
	if a.key >= 0 {
		row.Key = fields[a.key]
	}
	if a.cost >= 0 && len(fields[a.cost]) > 0 {
		if row.Cost, err = parseCost(fields[a.cost]); err != nil {
			return a.fault(row, "cost", fields[a.cost], err)
		}
	}
	row.Wanted = row.Wanted[:0]
	for _, i := range a.wanted {
		row.Wanted = append(row.Wanted, fields[i])
	}
	return nil
}

// blank reads over empty lines: only the end of the file may follow them.
func (a *ArrivalReader) blank() ([][]byte, error) {
	first := a.csv.first
	for {
		if fields, err := a.csv.next(); len(fields) > 0 {
			a.csv.first = first
			return nil, faultBlank
		} else if err != nil {
			return nil, err
		}
	}
}

func (a *ArrivalReader) fault(row *Arrival, column string, value []byte, err error) error {
	return &InputError{File: a.name, Line: row.Line, Column: column, Err: fmt.Errorf("%w, got %s", err, shown(value))}
}

// fieldCount is the fault of a row that is not as long as its header.
func fieldCount(fields [][]byte, want int) error {
	plural := "s"
	if len(fields) == 1 {
		plural = ""
	}
	return fmt.Errorf("has %d field%s; want %d, as in the header", len(fields), plural, want)
}

var (
	errCost      = errors.New("want a whole number >= 1")
	errCostLarge = errors.New("want a whole number from 1 to 9223372036854775807")
)

// parseCost reads a whole number from 1 to the largest int64.
func parseCost(text []byte) (int64, error) {
	if len(text) == 0 {
		return 0, errCost
	}
	n := int64(0)
	large := false
	for _, c := range text {
		digit := int64(c) - '0'
		if digit < 0 || digit > 9 {
			return 0, errCost
		}
		if n > (math.MaxInt64-digit)/10 {
			large = true
			continue
		}
		n = n*10 + digit
	}
	switch {
	case large:
		return 0, errCostLarge
	case n == 0:
		return 0, errCost
	}
	return n, nil
}
