package logs

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// rows reads a CSV with named columns.
type rows struct {
	file              *File
	csv               csvReader
	names             []string
	at                int
	key, cost, status int   // -1 if there is none
	took, agent       int   // likewise
	unit              int64 // of took, ns
	forwarded         *forwarded
	columns           []int
	times             timestamps
	bad               badLines
}

func newRows(file *File, lines lineReader, opts Options) (*rows, error) {
	start, _ := lines.peek()
	separator := separatorOf(start, opts.Time)
	r := &rows{file: file, csv: csvReader{lines: lines, separator: separator}, columns: make([]int, len(opts.Columns))}
	if separator != 0 {
		file.Separator = string(separator)
	}
	var err error
	if r.names, err = r.csv.header(); err != nil {
		return nil, r.csv.failure(file.Name, err)
	}
	var tookName string
	if tookName, r.unit, err = splitTook(opts.Took); err != nil {
		return nil, &InputError{File: file.Name, Err: err}
	}
	if opts.Time, file.TimeByName, err = timeColumn(r.names, opts); err != nil {
		return nil, &InputError{File: file.Name, Line: 1, Err: err}
	}
	for _, c := range []struct {
		into                 *int
		flag, name, standard string
	}{{&r.at, "time", opts.Time, ""}, {&r.key, "key", opts.Key, "key"}, {&r.cost, "cost", opts.Cost, "cost"}, {&r.status, "status", opts.Status, "status"}, {&r.took, "took", tookName, "took"}} {
		if c.name == "" {
			if c.name = c.standard; !slices.Contains(r.names, c.name) {
				*c.into = -1
				continue
			}
		}
		if *c.into, err = columnOf(r.names, c.name); err != nil {
			if !opts.fixed {
				err = fmt.Errorf("%w; choose the %s column with --%s", err, c.flag, c.flag)
			}
			return nil, &InputError{File: file.Name, Line: 1, Err: err}
		}
	}
	file.TimeColumn, file.Stamp = r.names[r.at], opts.Stamp
	if r.key >= 0 {
		file.KeyColumn = r.names[r.key]
	} else {
		file.MayBeKeys = columnsOfKeys(r.names)
	}
	file.others = r.otherKeys(start).but(file.KeyColumn)
	if r.took >= 0 {
		file.TookColumn = r.names[r.took]
	}
	if r.agent = -1; opts.Agents {
		if r.agent, err = columnOf(r.names, "agent"); err != nil {
			r.agent = -1
			if err := file.lack("agent", opts, &InputError{File: file.Name, Line: 1, Err: err}); err != nil {
				return nil, err
			}
		}
	}
	if opts.ForwardedDepth > 0 {
		if opts.Key == "" {
			return nil, &InputError{File: file.Name, Err: errors.New("is a CSV; name the column with X-Forwarded-For with --key, for --forwarded-depth to choose an address of it")}
		}
		r.forwarded = &forwarded{file: file, depth: opts.ForwardedDepth}
		file.KeyColumn = r.forwarded.name()
	}
	for i, name := range opts.Columns {
		if r.columns[i], err = columnOf(r.names, name); err != nil {
			r.columns[i] = -1
			if err := file.lack(name, opts, &InputError{File: file.Name, Line: 1, Err: err}); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// otherKeys looks at the first rows of a file that begins so.
func (r *rows) otherKeys(start []byte) *sightings {
	s := &sightings{}
	c := csvReader{lines: newLineReader(bytes.NewReader(start)), separator: r.csv.separator}
	for range mostSeen {
		fields, err := c.next()
		if _, bad := err.(csvFault); !bad && err != nil {
			break
		}
		if err != nil || c.first == 1 || len(fields) != len(r.names) {
			continue
		}
		for i, field := range fields {
			s.see(r.names[i], field)
		}
	}
	return s
}

func (r *rows) clock() *timestamps { return &r.times }

func (r *rows) next(q *request) error {
	for {
		fields, err := r.csv.next()
		if fault, bad := err.(csvFault); bad {
			r.bad = badLines{r.csv.first, r.csv.lines.line - r.csv.first + 1, fault, nil}
			return &r.bad
		} else if err != nil {
			return err
		}
		if len(fields) == 0 {
			continue
		}
		if len(fields) != len(r.names) {
			r.bad = badLines{r.csv.first, 1, fieldCount(fields, len(r.names)), nil}
			return &r.bad
		}
		q.took, q.cost, q.status, q.key = -1, 1, 0, nil
		if q.at, err = r.times.read(fields[r.at]); err != nil {
			return r.wrong(r.at, err, fields)
		}
		if r.cost >= 0 && len(fields[r.cost]) > 0 {
			if q.cost, err = parseCost(fields[r.cost]); err != nil {
				return r.wrong(r.cost, err, fields)
			}
		}
		if r.status >= 0 {
			q.status = statusOf(fields[r.status])
		}
		if r.key >= 0 {
			q.key = fields[r.key]
		}
		if r.forwarded != nil {
			q.key = r.forwarded.address(q.key, q.key)
		}
		if r.took >= 0 {
			q.took = parseTook(fields[r.took], r.unit)
		}
		if r.agent >= 0 {
			q.agent = fields[r.agent]
		}
		for i, at := range r.columns {
			if q.texts[i] = nil; at >= 0 {
				q.texts[i] = fields[at]
			}
		}
		return nil
	}
}

// wrong is the fault of one field.
func (r *rows) wrong(column int, err error, fields [][]byte) error {
	r.bad = badLines{r.csv.first, 1, fmt.Errorf("column %q: %w", r.names[column], err), fields[column]}
	return &r.bad
}
