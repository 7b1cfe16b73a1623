package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

// request is a request as one of the formats has it. Its slices are valid until the next one is read.
type request struct {
	at     int64    // the time that is written, ns since the Unix epoch
	took   int64    // ns; -1 if it is not known
	cost   int64    // >= 1
	status uint16   // 0 if it is not known
	key    []byte   // nil if there are no keys
	texts  [][]byte // of Options.Columns
	agent  []byte   // if agents are counted
}

// requests reads the requests of one file. The error is io.EOF after the last, a *badLines that can be passed over, or
// one that ends the reading.
type requests interface {
	next(*request) error
	clock() *timestamps // which reads the times
}

// badLines are lines that do not parse, for one reason.
type badLines struct {
	line, count int64
	reason      error
	value       []byte // nil if the reason says it all
}

func (b *badLines) Error() string { return b.reason.Error() }

// source is one file that is being read.
type source struct {
	log      *Log
	file     *File
	in       io.Closer
	text     *inflated
	requests requests
	request  request
	latest   int64
}

// openAll opens all files and recognises their formats.
func openAll(paths []string, opts Options) (*Log, []*source, error) {
	if len(paths) == 0 {
		return nil, nil, &InputError{Err: errors.New("no log given; name a file, or - for standard input")}
	}
	log := &Log{Files: make([]File, len(paths))}
	for _, name := range opts.Columns {
		log.Columns = append(log.Columns, Column{Name: name})
	}
	var sources []*source
	stdin := false
	for i, path := range paths {
		var s *source
		var err error
		if path == "-" && stdin {
			err = &InputError{File: StandardInput, Err: errors.New("is named twice; it can be read once")}
		} else {
			s, err = open(log, &log.Files[i], path, opts)
		}
		stdin = stdin || path == "-"
		if err != nil {
			closeAll(sources)
			return nil, nil, err
		}
		sources = append(sources, s)
	}
	return log, sources, nil
}

func closeAll(sources []*source) {
	for _, s := range sources {
		s.close()
	}
}

func (s *source) close() {
	if s.text != nil {
		s.text.close()
	}
	_ = s.in.Close()
}

// open opens one file and recognises its format.
func open(log *Log, file *File, path string, opts Options) (*source, error) {
	in, err := openInput(path, opts.Stdin)
	if err != nil {
		return nil, err
	}
	*file = File{Name: named(path), Format: opts.Format, Resolution: second}
	s := &source{log: log, file: file, in: in, latest: math.MinInt64}
	if err := s.start(in, opts); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// start recognises the format and finds the fields that are wanted.
func (s *source) start(in io.Reader, opts Options) error {
	var err error
	if s.text, err = inflate(in); err != nil {
		return s.readFailed(err)
	}
	s.file.Compression = s.text.compression
	lines := newLineReader(s.text.text)
	start, broken := lines.peek()
	switch {
	case len(start) == 0 && broken != nil:
		return s.readFailed(broken)
	case len(start) == 0:
		return s.fault(errors.New("is empty; want a log"))
	}
	if err := notText(start); err != nil {
		return s.fault(err)
	}
	auto := s.file.Format == "" || s.file.Format == Auto
	switch {
	case opts.LogFormat != "" && auto:
		s.file.Format, auto = Custom, false
	case opts.LogFormat != "" && s.file.Format != Custom:
		return s.fault(fmt.Errorf("is to be read as %s and by a log format; want one of them", s.file.Format))
	}
	if auto {
		s.file.Format, err = detect(start, opts.Time)
		switch {
		case err == nil:
		case broken != nil:
			return s.readFailed(broken) // which is why no line is whole
		case len(bytes.TrimSpace(start)) == 0:
			return s.fault(errors.New("begins with nothing but blanks; want a log"))
		default:
			if !opts.fixed {
				err = fmt.Errorf("%w; say how its lines are written with --log-format, or name the CSV's column of times with --time", err)
			}
			return s.fault(err)
		}
	}
	s.request.texts = make([][]byte, len(opts.Columns))
	switch s.file.Format {
	case Common, Combined:
		s.requests, err = newWebLines(s.file, lines, opts)
	case JSON:
		s.requests, err = newJSONLines(s.file, lines, start, opts)
	case Custom:
		s.requests, err = newFormatLines(s.file, lines, opts)
	case CSV:
		s.requests, err = newRows(s.file, lines, opts)
	default:
		err = s.fault(fmt.Errorf("unknown format %q", s.file.Format))
	}
	return err
}

func (s *source) fault(err error) error { return &InputError{File: s.file.Name, Err: err} }

// lack notes that a file has no such column, or returns the error that says so.
func (f *File) lack(column string, opts Options, err error) error {
	if opts.Optional {
		f.Lacks = append(f.Lacks, column)
		return nil
	}
	return err
}

// next reads the next request. The error is io.EOF at the end of a file that is a log.
func (s *source) next(r *Record) error {
	for {
		err := s.requests.next(&s.request)
		if bad, ok := err.(*badLines); ok {
			s.bad(bad)
			if s.file.Bad >= judgedAt && s.file.Bad-bad.count < judgedAt && 2*s.file.Bad > s.file.Lines {
				return s.judge() // nobody needs to wait for the rest
			}
			continue
		}
		if err == io.EOF {
			clock := s.requests.clock()
			s.file.TimeForm, s.file.NoZone = clock.form, clock.local
			if err := s.judge(); err != nil {
				return err
			}
			return io.EOF
		}
		if err != nil {
			return s.readFailed(err)
		}
		break
	}
	q, file := &s.request, s.file
	*r = Record{At: q.at, Cost: q.cost, Took: q.took, Key: s.log.Keys.ID(q.key), Status: q.status}
	for q.at%file.Resolution != 0 {
		file.Resolution /= 10
	}
	if q.took >= 0 {
		file.Took++
		file.TookMost = max(file.TookMost, q.took)
		if file.Stamp == StampCompletion {
			r.At = max(r.At, math.MinInt64+q.took) - q.took
		}
	}
	if r.At < s.latest {
		file.Reordered++
		file.Back = max(file.Back, s.latest-r.At)
		if s.latest-r.At < 0 { // more than int64 holds
			file.Back = math.MaxInt64
		}
	} else {
		s.latest = r.At
	}
	file.Lines++
	s.log.count(r.Key)
	file.content = mix(mix(mix(file.content, uint64(r.At)), uint64(r.Key)<<16|uint64(r.Status)), uint64(r.Cost))
	if q.agent != nil {
		s.log.agents.count(r.Key, q.agent)
	}
	if err := s.log.keepTexts(r, q.texts); err != nil {
		return s.fault(err)
	}
	return nil
}

// readFailed names an error of reading, with what could be read before it. A fault of the input it leaves as it is.
func (s *source) readFailed(err error) error {
	if _, ours := err.(*InputError); ours {
		return err
	}
	done := ""
	if good := s.file.Lines - s.file.Bad; good > 0 {
		done = fmt.Sprintf("; %d requests could be read before, the last of %s", good, UTC(s.latest))
	} else if s.text != nil {
		done = nothingRead
	}
	if s.text != nil {
		err = s.text.fault(err, done)
	}
	if _, bad := err.(damaged); bad {
		return s.fault(err)
	}
	return readFailed(s.file.Name, err)
}

// bad counts lines that do not parse, as one fault.
func (s *source) bad(b *badLines) {
	s.file.Bad += b.count
	s.file.Lines += b.count
	if len(s.file.bad) < keptBad {
		text := b.reason.Error()
		if b.value != nil {
			text += ", got " + shown(b.value)
		}
		s.file.bad = append(s.file.bad, BadLine{File: s.file.Name, Line: b.line, Reason: text})
	}
}

// judgedAt is how many bad lines are enough to say that a file is no log, if there are fewer good ones.
const judgedAt = 100_000

// judge says whether the file that was read was a log at all.
func (s *source) judge() error {
	switch {
	case s.file.Lines == 0:
		return s.fault(errors.New("holds no request"))
	case 2*s.file.Bad > s.file.Lines:
		first := s.file.bad[0]
		return s.fault(fmt.Errorf("%d of %d lines do not parse as %s; line %d: %s", s.file.Bad, s.file.Lines, s.file.Format, first.Line, first.Reason))
	}
	return nil
}
