package logs

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// lineFormat is a log_format of nginx or a LogFormat of Apache, taken apart: texts that every line has, and fields
// between them.
type lineFormat struct {
	apache bool
	before [][]byte // the text in front of each field
	names  []string // of the fields: nginx's variables without $, Apache's directives without %
	after  []byte   // the text behind the last field
	values [][]byte
}

// compileFormat takes a format apart. A $ makes it nginx's, a % Apache's.
func compileFormat(format string) (*lineFormat, error) {
	f := &lineFormat{}
	var err error
	switch {
	case strings.Contains(format, "$"):
		err = f.nginx(format)
	case strings.Contains(format, "%"):
		f.apache = true
		err = f.apacheFormat(strings.NewReplacer(`\"`, `"`, `\t`, "\t", `\n`, "").Replace(format))
	default:
		err = errors.New(`want nginx's variables, as in '$remote_addr - $remote_user [$time_local] "$request" $status', or Apache's directives, as in '%h %l %u %t "%r" %>s %b'`)
	}
	if err == nil && len(f.names) == 0 {
		err = errors.New("has no field")
	}
	if err != nil {
		return nil, fmt.Errorf("log format %q: %w", format, err)
	}
	f.values = make([][]byte, len(f.names))
	return f, nil
}

// field adds a field behind a text.
func (f *lineFormat) field(before, name string) error {
	if before == "" && len(f.names) > 0 {
		return fmt.Errorf("nothing between %s and %s says where one ends", f.names[len(f.names)-1], name)
	}
	f.before, f.names = append(f.before, []byte(before)), append(f.names, name)
	return nil
}

func isNameByte(c byte) bool { return c == '_' || c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z' }

func (f *lineFormat) nginx(format string) error {
	text := ""
	for i := 0; i < len(format); {
		if format[i] != '$' {
			text += format[i : i+1]
			i++
			continue
		}
		i++
		braced := i < len(format) && format[i] == '{'
		if braced {
			i++
		}
		from := i
		for i < len(format) && isNameByte(format[i]) {
			i++
		}
		name := format[from:i]
		if name == "" || braced && (i == len(format) || format[i] != '}') {
			return errors.New("a $ without the name of a variable behind it")
		}
		if braced {
			i++
		}
		if err := f.field(text, name); err != nil {
			return err
		}
		text = ""
	}
	f.after = []byte(text)
	return nil
}

// apacheFormat knows %h, %>s, %{User-Agent}i and the like. %t brings its brackets; a time that is put together of
// several %{…}t is one field.
func (f *lineFormat) apacheFormat(format string) error {
	text, timeFrom := "", -1 // timeFrom: behind a %{…}t, the text since then may be part of the same time
	for i := 0; i < len(format); {
		if format[i] != '%' {
			text += format[i : i+1]
			i++
			continue
		}
		i++
		if i < len(format) && format[i] == '%' {
			text += "%"
			i++
			continue
		}
		for i < len(format) && strings.IndexByte("!<>,0123456789", format[i]) >= 0 {
			i++
		}
		argument := ""
		if i < len(format) && format[i] == '{' {
			end := strings.IndexByte(format[i:], '}')
			if end < 0 {
				return errors.New("a { without a }")
			}
			argument = format[i+1 : i+end]
			i += end + 1
		}
		if i < len(format) && format[i] == '^' {
			i += 2
		}
		if i >= len(format) {
			return errors.New("a % without a directive behind it")
		}
		letter := format[i]
		i++
		name := string(letter)
		if argument != "" {
			name = "{" + argument + "}" + name
		}
		last := len(f.names) - 1
		switch {
		case letter == 't' && argument != "" && timeFrom == last && last >= 0:
			text = ""
			continue
		case letter == 'q' && text == "" && last >= 0 && f.names[last] == "U":
			f.names[last] = "Uq" // the path, and its query right behind it
			continue
		}
		if name == "t" {
			text += "["
		}
		if err := f.field(text, name); err != nil {
			return err
		}
		text = ""
		if name == "t" {
			text = "]"
		} else if letter == 't' {
			timeFrom = len(f.names) - 1
		}
	}
	f.after = []byte(text)
	return nil
}

var errLogFormat = errors.New("is not written as the log format says")

// parse cuts a line into the values of the fields. A value ends where the text behind it begins; between quotes that
// is a quote that no backslash escapes, and in front of a blank no value ends with a comma, since lists have blanks. A
// line may have more fields behind a blank.
func (f *lineFormat) parse(line []byte) error {
	if !bytes.HasPrefix(line, f.before[0]) {
		return errLogFormat
	}
	rest := line[len(f.before[0]):]
	for i := range f.names {
		end := f.after
		if i+1 < len(f.names) {
			end = f.before[i+1]
		} else if len(end) == 0 {
			f.values[i] = rest
			if n := valueLength(rest, blank, false); n >= 0 && !freeText(f.names[i], f.apache) {
				f.values[i] = rest[:n:n] // the line has more fields than the format
			}
			return nil
		}
		n := valueLength(rest, end, bytes.HasSuffix(f.before[i], []byte{'"'}))
		if n < 0 {
			return errLogFormat
		}
		f.values[i], rest = rest[:n:n], rest[n+len(end):]
	}
	if len(rest) > 0 && rest[0] != ' ' && f.after[len(f.after)-1] != ' ' {
		return errLogFormat
	}
	return nil
}

var blank = []byte{' '}

// freeText reports whether a field holds what clients sent, which may have blanks in it.
func freeText(name string, apache bool) bool {
	if apache {
		return name[0] == '{' && !strings.HasSuffix(name, "}T") || strings.Contains("r U Uq q u t", name)
	}
	for _, part := range []string{"http_", "cookie_", "arg", "uri", "user", "body", "query", "time_local"} {
		if strings.Contains(name, part) && name != "body_bytes_sent" {
			return true
		}
	}
	return name == "request"
}

// valueLength returns how long the value is that a text begins with, -1 if no end follows.
func valueLength(text, end []byte, quoted bool) int {
	for from := 0; ; {
		i := bytes.Index(text[from:], end)
		if i < 0 {
			return -1
		}
		i += from
		escaped := false
		switch {
		case quoted && end[0] == '"':
			for k := i; k > 0 && text[k-1] == '\\'; k-- {
				escaped = !escaped
			}
		case end[0] == ' ':
			escaped = i > 0 && text[i-1] == ','
		}
		if !escaped {
			return i
		}
		from = i + 1
	}
}

// newFormatLines reads a file whose lines are as Options.LogFormat says.
func newFormatLines(file *File, lines lineReader, opts Options) (*textLines, error) {
	if opts.LogFormat == "" {
		return nil, &InputError{File: file.Name, Err: errors.New("its log format is not known; give it with --log-format")}
	}
	f, err := compileFormat(opts.LogFormat)
	if err != nil {
		return nil, &InputError{Err: err}
	}
	server, prefix := nginx, "$"
	if f.apache {
		server, prefix = apache, "%"
		server.times, server.stamp = nil, StampStart
		for _, name := range f.names {
			if name == "t" || strings.HasSuffix(name, "}t") {
				server.times = append(server.times, name)
				if strings.HasPrefix(name, "{end:") {
					server.stamp = StampCompletion
				}
			}
		}
	}
	file.Server = server.name
	index := func(name string) int {
		return slices.IndexFunc(f.names, func(own string) bool {
			return own == name || f.apache && len(own) > 1 && (strings.EqualFold(own, name) || strings.EqualFold(own, "{"+name+"}i"))
		})
	}
	n := &namedFields{parse: f.parse, values: f.values, names: f.names}
	err = n.layout(&fieldNames{
		file: file, fixed: opts.fixed, server: &server, index: index, prefix: prefix,
		has: func(name string) bool { return index(name) >= 0 },
		all: func() []string { return slices.Clone(f.names) },
	}, opts, server.stamp)
	if err != nil {
		return nil, err
	}
	s := &sightings{}
	start, _ := lines.peek()
	for line := range leadingLines(start, mostSeen) {
		if f.parse(line) != nil {
			continue
		}
		for i, name := range f.names {
			s.see(name, f.values[i])
		}
	}
	file.others = s.but(file.KeyColumn)
	return &textLines{lines: lines, parse: n}, nil
}
