package logs

import (
	"errors"
	"fmt"
	"strings"

	"ratelab/internal/spec"
)

// webLines reads lines in common and combined format.
type webLines struct {
	format    Format
	key       func(*logLine) []byte
	columns   []func(*logLine) []byte
	agent     bool
	forwarded *forwarded
	parts     logLine
	times     timestamps
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

func newWebLines(file *File, lines lineReader, opts Options) (*textLines, error) {
	fault := func(format string, args ...any) error {
		return &InputError{File: file.Name, Err: fmt.Errorf("is in %s format"+format, append([]any{file.Format}, args...)...)}
	}
	for _, c := range []struct{ flag, name string }{{"time", opts.Time}, {"cost", opts.Cost}, {"status", opts.Status}, {"took", opts.Took}} {
		if c.name != "" {
			return nil, fault("; only a CSV, JSON and a log format have a %s field to choose", c.flag)
		}
	}
	if opts.Agents && file.Format != Combined {
		if err := file.lack("agent", opts, fault(", which has no user agents")); err != nil {
			return nil, err
		}
		opts.Agents = false
	}
	file.KeyColumn = nameOr(opts.Key, lineKeys[0].name)
	file.Stamp = opts.Stamp
	w := &webLines{format: file.Format, columns: make([]func(*logLine) []byte, len(opts.Columns)), agent: opts.Agents, times: timestamps{form: logTime[1 : len(logTime)-1]}}
	var err error
	if w.key, err = partOf(file, file.KeyColumn); err != nil {
		return nil, err
	}
	for i, name := range opts.Columns {
		if w.columns[i], err = partOf(file, name); err != nil {
			w.columns[i] = func(*logLine) []byte { return nil }
			if err := file.lack(name, opts, err); err != nil {
				return nil, err
			}
		}
	}
	if opts.ForwardedDepth > 0 {
		if file.Format != Combined {
			return nil, fault(", which has no X-Forwarded-For; --forwarded-depth can not choose an address of it")
		}
		if file.KeyColumn != "ip" {
			return nil, fault("; --forwarded-depth chooses the address of the key ip, not of %s", file.KeyColumn)
		}
		w.forwarded = &forwarded{file: file, depth: opts.ForwardedDepth}
		file.KeyColumn = w.forwarded.name()
	}
	file.others = otherWebKeys(file.Format, lines).but(file.KeyColumn)
	return &textLines{lines: lines, parse: w}, nil
}

// otherWebKeys looks at the first lines of a log.
func otherWebKeys(format Format, lines lineReader) *sightings {
	s := &sightings{}
	start, _ := lines.peek()
	var p logLine
	for line := range leadingLines(start, mostSeen) {
		if format == Common {
			if _, err := parseCommon(line, &p); err != nil {
				continue
			}
		} else if parseCombined(line, &p) != nil {
			continue
		} else if list, _ := quotedPart(p.more); list != nil {
			s.see(forwardedHeader, list)
		}
		s.see("ip", p.client)
		s.see("user", p.user)
	}
	return s
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

var errNoForwarded = errors.New("want X-Forwarded-For in quotes behind the user agent, for --forwarded-depth")

func (w *webLines) clock() *timestamps { return &w.times }

func (w *webLines) request(line []byte, r *request) ([]byte, error) {
	p := &w.parts
	var err error
	if w.format == Combined {
		err = parseCombined(line, p)
	} else {
		p.more, err = parseCommon(line, p)
	}
	if err != nil {
		return line, err
	}
	r.at, r.took, r.cost, r.status, r.key = p.at, -1, 1, statusOf(p.status), w.key(p)
	for i, part := range w.columns {
		r.texts[i] = part(p)
	}
	if w.agent {
		r.agent = p.agent
	}
	if w.forwarded != nil {
		list, _ := quotedPart(p.more)
		if list == nil {
			return line, errNoForwarded
		}
		r.key = w.forwarded.address(list, r.key)
	}
	return nil, nil
}

// statusOf reads a status of three digits; anything else is 0, unknown.
func statusOf(text []byte) uint16 {
	if len(text) != 3 || text[0]-'1' > 8 || text[1]-'0' > 9 || text[2]-'0' > 9 {
		return 0
	}
	return 100*uint16(text[0]-'0') + 10*uint16(text[1]-'0') + uint16(text[2]-'0')
}
