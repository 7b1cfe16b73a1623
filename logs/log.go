package logs

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ratelab/internal/spec"
)

// Record is one request of a log.
type Record struct {
	At   int64  // ns since the Unix epoch
	Cost int64  // >= 1
	Key  uint32 // its text is in the log's Keys
	Row  uint32 // which request of the files it is, from 0: see Log.ID
}

// BadLine is a line that did not parse.
type BadLine struct {
	File   string `json:"file"`
	Line   int64  `json:"line"` // from 1
	Reason string `json:"reason"`
}

// File says what was found in one file.
type File struct {
	Name      string `json:"name"`
	Format    Format `json:"format"`          // what was taken, never Auto
	KeyColumn string `json:"key_column"`      // what the keys are; empty if there are none
	Lines     int64  `json:"lines"`           // with a request or bad; a CSV's header and empty lines do not count
	Bad       int64  `json:"lines_bad"`       // lines that did not parse
	Reordered int64  `json:"lines_reordered"` // requests that came earlier than one before them in the file
}

// Log is what was read from one or several files: their requests in time order. Requests at the same time are in the
// order of the files and of their lines.
type Log struct {
	Records   []Record
	Keys      Keys
	Columns   []Column // those of Options.Columns
	Files     []File
	Lines     int64     // sums over the files
	Bad       int64     //
	Reordered int64     //
	BadLines  []BadLine // the first few
	ids       []uint32  // of the columns' texts, row by row
}

// Column is a further column of a log, whose texts are numbered like the keys.
type Column struct {
	Name string
	Keys Keys
}

// ID returns the number of a record's text in one of the log's Columns.
func (log *Log) ID(r *Record, column int) uint32 {
	return log.ids[int(r.Row)*len(log.Columns)+column]
}

// keep takes in a request: its key, and the texts of the columns.
func (log *Log) keep(r Record, key []byte, texts [][]byte) error {
	if uint64(len(log.Records)) > math.MaxUint32 {
		return errors.New("has more requests than can be numbered, 2^32")
	}
	r.Key, r.Row = log.Keys.ID(key), uint32(len(log.Records))
	log.Records = append(log.Records, r)
	for i, text := range texts {
		log.ids = append(log.ids, log.Columns[i].Keys.ID(text))
	}
	return nil
}

// keptBad is how many bad lines a Log keeps.
const keptBad = 5

// Options say how to read a log. The zero value recognises the format by itself.
type Options struct {
	Format Format // of all files; "" is Auto
	// Time is a CSV's column of times: Unix seconds, RFC 3339 and the like. Empty is "t".
	Time string
	// Key is the column whose text is the key. In a CSV, empty is "key" if there is one; without keys, all requests
	// have the key "". In a web server's log it is ip (the default), user, endpoint (the path without its query),
	// method, status or agent.
	Key string
	// Cost is a CSV's column of costs, whole numbers >= 1. Empty is "cost" if there is one; without costs all are 1.
	Cost string
	// Columns are further columns to be kept, to be found in Log.Columns: of a CSV any that it has, of a web server's
	// log any that Key could name. Every file must have them.
	Columns []string
	Stdin   io.Reader // what the file "-" is
	// fixed says that whoever reads can choose neither format nor columns, so that no error advises it.
	fixed bool
}

// Read reads logs and merges them in time order. Lines that do not parse are left out and counted. A file without any
// request, or with more bad lines than good ones, is an [InputError].
func Read(paths []string, opts Options) (*Log, error) {
	if len(paths) == 0 {
		return nil, &InputError{Err: errors.New("no log given; name a file, or - for standard input")}
	}
	log := &Log{}
	for _, name := range opts.Columns {
		log.Columns = append(log.Columns, Column{Name: name})
	}
	sorted := true
	for _, path := range paths {
		before := len(log.Records)
		if err := log.add(path, opts); err != nil {
			return nil, err
		}
		file := log.Files[len(log.Files)-1]
		sorted = sorted && file.Reordered == 0 && (before == 0 || log.Records[before-1].At <= log.Records[before].At)
		log.Lines += file.Lines
		log.Bad += file.Bad
		log.Reordered += file.Reordered
	}
	if !sorted {
		sortByTime(log.Records)
	}
	return log, nil
}

// add reads one file behind the records that are there.
func (log *Log) add(path string, opts Options) error {
	in, err := source(path, opts.Stdin)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	log.Files = append(log.Files, File{Name: named(path), Format: opts.Format})
	file := &log.Files[len(log.Files)-1]
	fault := func(err error) error { return &InputError{File: file.Name, Err: err} }

	lines := newLineReader(in)
	start, err := lines.peek()
	switch {
	case err != nil:
		return readFailed(file.Name, err)
	case len(start) == 0:
		return fault(errors.New("is empty; want a log"))
	case isGzip(start) && opts.fixed:
		return fault(errors.New("is compressed with gzip; decompress it first"))
	case isGzip(start):
		return fault(errGzip)
	}
	if file.Format == "" || file.Format == Auto {
		if file.Format, err = detect(start, opts.Time); err != nil {
			if !opts.fixed {
				err = fmt.Errorf("%w; name the format, or the CSV's time column", err)
			}
			return fault(err)
		}
	}
	first := len(log.Records)
	switch file.Format {
	case Common, Combined:
		err = log.addLines(file, lines, opts)
	case CSV:
		err = log.addRows(file, lines, opts)
	default:
		err = fault(fmt.Errorf("unknown format %q", file.Format))
	}
	if err != nil {
		return err
	}
	switch {
	case file.Lines == 0:
		return fault(errors.New("holds no request"))
	case 2*file.Bad > file.Lines:
		examples := ""
		for _, bad := range log.BadLines {
			if bad.File == file.Name {
				examples = fmt.Sprintf("; line %d: %s", bad.Line, bad.Reason)
				break
			}
		}
		return fault(fmt.Errorf("%d of %d lines do not parse as %s%s", file.Bad, file.Lines, file.Format, examples))
	}
	latest := log.Records[first].At
	for _, r := range log.Records[first:] {
		if r.At < latest {
			file.Reordered++
		}
		latest = max(latest, r.At)
	}
	return nil
}

// bad counts lines that do not parse, as one fault.
func (log *Log) bad(file *File, line, count int64, reason error, value []byte) {
	file.Bad += count
	file.Lines += count
	if len(log.BadLines) < keptBad {
		text := reason.Error()
		if value != nil {
			text += ", got " + shown(value)
		}
		log.BadLines = append(log.BadLines, BadLine{File: file.Name, Line: line, Reason: text})
	}
}

// lineKeys are the parts of a log line that can be its key.
var lineKeys = []struct {
	name string
	part func(*logLine) []byte
}{
	{"ip", func(l *logLine) []byte { return l.client }},
	{"user", func(l *logLine) []byte { return l.user }},
	{"endpoint", func(l *logLine) []byte { return l.endpoint }},
	{"method", func(l *logLine) []byte { return methodOf(l.request) }},
	{"status", func(l *logLine) []byte { return l.status }},
	{"agent", func(l *logLine) []byte { return l.agent }},
}

// addLines reads common and combined log lines.
func (log *Log) addLines(file *File, lines lineReader, opts Options) error {
	if opts.Time != "" || opts.Cost != "" {
		return &InputError{File: file.Name, Err: fmt.Errorf("is in %s format; only a CSV has time and cost columns to choose", file.Format)}
	}
	file.KeyColumn = opts.Key
	if opts.Key == "" {
		file.KeyColumn = lineKeys[0].name
	}
	key, err := partOf(file, file.KeyColumn)
	if err != nil {
		return err
	}
	columns := make([]func(*logLine) []byte, len(opts.Columns))
	for i, name := range opts.Columns {
		if columns[i], err = partOf(file, name); err != nil {
			return err
		}
	}
	texts := make([][]byte, len(columns))
	var parts logLine
	for {
		raw, err := lines.next()
		if err == io.EOF {
			return nil
		} else if err == errLongLine {
			log.bad(file, lines.line, 1, err, nil)
			continue
		} else if err != nil {
			return readFailed(file.Name, err)
		}
		if lines.line == 1 {
			raw = trimMark(raw)
		}
		line := trimEnd(raw)
		if len(line) == 0 {
			continue
		}
		if file.Format == Combined {
			err = parseCombined(line, &parts)
		} else {
			_, err = parseCommon(line, &parts)
		}
		if err != nil {
			log.bad(file, lines.line, 1, err, line)
			continue
		}
		file.Lines++
		for i, part := range columns {
			texts[i] = part(&parts)
		}
		if err := log.keep(Record{At: parts.at, Cost: 1}, key(&parts), texts); err != nil {
			return &InputError{File: file.Name, Line: lines.line, Err: err}
		}
	}
}

// partOf finds the part of a log line that a column names.
func partOf(file *File, column string) (func(*logLine) []byte, error) {
	var names []string
	for _, k := range lineKeys {
		if k.name == "agent" && file.Format == Common {
			continue
		}
		if k.name == column {
			return k.part, nil
		}
		names = append(names, k.name)
	}
	return nil, &InputError{File: file.Name, Err: fmt.Errorf("is in %s format, which has no key column %q%s; it has %s",
		file.Format, column, spec.DidYouMean(column, names), strings.Join(names, ", "))}
}

// addRows reads a CSV with named columns.
func (log *Log) addRows(file *File, lines lineReader, opts Options) error {
	rows := csvReader{lines: lines}
	names, err := rows.header()
	if err != nil {
		return rows.failure(file.Name, err)
	}
	find := func(flag, name, standard string) (int, error) {
		if name == "" {
			if name = standard; flag != "time" && !slices.Contains(names, name) {
				return -1, nil
			}
		}
		i, err := columnOf(names, name)
		if err != nil {
			if !opts.fixed {
				err = fmt.Errorf("%w; choose the %s column with --%s", err, flag, flag)
			}
			return 0, &InputError{File: file.Name, Line: 1, Err: err}
		}
		return i, nil
	}
	at, err := find("time", opts.Time, "t")
	if err != nil {
		return err
	}
	key, err := find("key", opts.Key, "key")
	if err != nil {
		return err
	}
	cost, err := find("cost", opts.Cost, "cost")
	if err != nil {
		return err
	}
	if key >= 0 {
		file.KeyColumn = names[key]
	}
	columns := make([]int, len(opts.Columns))
	for i, name := range opts.Columns {
		if columns[i], err = columnOf(names, name); err != nil {
			return &InputError{File: file.Name, Line: 1, Err: err}
		}
	}
	texts := make([][]byte, len(columns))
	for {
		fields, err := rows.next()
		if err == io.EOF {
			return nil
		} else if fault, bad := err.(csvFault); bad {
			log.bad(file, rows.first, rows.lines.line-rows.first+1, fault, nil)
			continue
		} else if err != nil {
			return readFailed(file.Name, err)
		}
		if len(fields) == 0 {
			continue
		}
		if len(fields) != len(names) {
			log.bad(file, rows.first, 1, fieldCount(fields, len(names)), nil)
			continue
		}
		record := Record{Cost: 1}
		if record.At, err = parseTimestamp(fields[at]); err != nil {
			log.bad(file, rows.first, 1, fmt.Errorf("column %q: %w", names[at], err), fields[at])
			continue
		}
		if cost >= 0 && len(fields[cost]) > 0 {
			if record.Cost, err = parseCost(fields[cost]); err != nil {
				log.bad(file, rows.first, 1, fmt.Errorf("column %q: %w", names[cost], err), fields[cost])
				continue
			}
		}
		var text []byte
		if key >= 0 {
			text = fields[key]
		}
		file.Lines++
		for i, at := range columns {
			texts[i] = fields[at]
		}
		if err := log.keep(record, text, texts); err != nil {
			return &InputError{File: file.Name, Line: rows.first, Err: err}
		}
	}
}
