package logs

import (
	"errors"
	"io"
	"math"
)

// Record is one request of a log.
type Record struct {
	At     int64  // when it arrived, as far as the log says: ns since the Unix epoch
	Cost   int64  // >= 1
	Took   int64  // how long it took, in ns; -1 if the log does not say
	Key    uint32 // its text is in the log's Keys
	Row    uint32 // where its further texts are: see Log.ID
	Status uint16 // of the answer; 0 if the log does not say
}

// BadLine is a line that did not parse.
type BadLine struct {
	File   string `json:"file"`
	Line   int64  `json:"line"` // from 1
	Reason string `json:"reason"`
}

// File says what was found in one file.
type File struct {
	Name        string   `json:"name"`
	Compression string   `json:"compression,omitempty"`  // gzip or zstd; empty if there is none
	Format      Format   `json:"format"`                 // what was taken, never Auto
	Server      string   `json:"server,omitempty"`       // whose field names JSON or a log format has; empty if it is not known
	KeyColumn   string   `json:"key_column"`             // what the keys are; empty if there are none
	MayBeKeys   []string `json:"may_be_keys,omitempty"`  // columns of a CSV without keys that have a usual name of one
	TimeColumn  string   `json:"time_column,omitempty"`  // the field with the time; empty if the format has one place for it
	TimeByName  bool     `json:"time_by_name,omitempty"` // the CSV's column of times was found by its usual name
	TimeForm    string   `json:"time_form"`              // how the first time is written, such as Unix milliseconds
	TookColumn  string   `json:"took_column,omitempty"`  // the field with how long a request took; empty if there is none
	Stamp       Stamp    `json:"stamp,omitempty"`        // which moment the times are
	Resolution  int64    `json:"resolution_ns"`          // the largest power of ten ns, up to 1 s, that all times are multiples of
	Lines       int64    `json:"lines"`                  // with a request or bad; a CSV's header and empty lines do not count
	Bad         int64    `json:"lines_bad"`              // lines that did not parse
	Reordered   int64    `json:"lines_reordered"`        // requests that arrived earlier than one before them in the file
	Back        int64    `json:"back_ns,omitempty"`      // by how much at most
	Took        int64    `json:"took,omitempty"`         // requests of which it is known how long they took
	TookMost    int64    `json:"took_most_ns,omitempty"`
	Unforwarded int64    `json:"unforwarded,omitempty"` // requests with fewer forwarded addresses than Options.ForwardedDepth
	Lacks       []string `json:"lacks,omitempty"`       // of Options.Columns, and agent if agents were to be counted, if they were optional
	NoZone      bool     `json:"no_zone,omitempty"`     // times without a zone were taken as UTC
	Separator   string   `json:"separator,omitempty"`   // of a CSV, if it is no comma
	bad         []BadLine
	others      []string // fields that look as if they told clients apart, and are not the key
	content     uint64   // of the requests in the order of the lines: two files with equal ones are copies
}

// Log is what was read from one or several files.
type Log struct {
	// Records are the requests in time order, those at the same time in the order of the files and of their lines. After
	// Scan there are none: it has handed them out.
	Records   []Record
	Keys      Keys
	Columns   []Column // those of Options.Columns
	Files     []File
	Lines     int64     // sums over the files
	Bad       int64     //
	Reordered int64     //
	BadLines  []BadLine // the first few
	ids       []uint32  // of the columns' texts, row by row
	free      []uint32  // rows that can be used again
	requests  []int64   // of each key
	agents    agents
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

// keepTexts gives a record a row for the texts of the columns.
func (log *Log) keepTexts(r *Record, texts [][]byte) error {
	if len(log.Columns) == 0 {
		return nil
	}
	if n := len(log.free); n > 0 {
		r.Row, log.free = log.free[n-1], log.free[:n-1]
	} else {
		row := len(log.ids) / len(log.Columns)
		if uint64(row) > math.MaxUint32 {
			return errors.New("has more requests than can be numbered, 2^32")
		}
		r.Row = uint32(row)
		log.ids = append(log.ids, make([]uint32, len(log.Columns))...)
	}
	ids := log.ids[int(r.Row)*len(log.Columns):]
	for i, text := range texts {
		ids[i] = log.Columns[i].Keys.ID(text)
	}
	return nil
}

// release lets the row of a record be used again.
func (log *Log) release(r *Record) {
	if len(log.Columns) > 0 {
		log.free = append(log.free, r.Row)
	}
}

// keptBad is how many bad lines a Log keeps.
const keptBad = 5

// sum adds up what was found in the files.
func (log *Log) sum() {
	for i := range log.Files {
		file := &log.Files[i]
		log.Lines += file.Lines
		log.Bad += file.Bad
		log.Reordered += file.Reordered
		log.BadLines = append(log.BadLines, file.bad[:min(len(file.bad), keptBad-len(log.BadLines))]...)
	}
}

// Read reads logs whole and merges them in time order. Lines that do not parse are left out and counted. A file without
// any request, or with more bad lines than good ones, is an [InputError].
func Read(paths []string, opts Options) (*Log, error) {
	log, sources, err := openAll(paths, opts)
	if err != nil {
		return nil, err
	}
	defer closeAll(sources)
	sorted, latest := true, int64(math.MinInt64)
	for _, s := range sources {
		for {
			var r Record
			if err := s.next(&r); err == io.EOF {
				break
			} else if err != nil {
				return nil, err
			}
			sorted, latest = sorted && r.At >= latest, r.At
			log.Records = append(log.Records, r)
		}
	}
	log.sum()
	if !sorted {
		sortByTime(log.Records)
	}
	return log, nil
}
