package logs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonLine finds fields in a line that is one JSON object, in one pass and without allocating. It exists beside
// encoding/json because a log has many fields of which few are wanted; it takes what encoding/json takes.
//
// A field is named by its path, with points between the names: request.headers.User-Agent. An object may as well have
// the points in its names. Of a list, the first value counts.
type jsonLine struct {
	paths  []string
	values [][]byte // a string without its quotes and escapes, a number as it is written; nil if there is none or null
	at     []int    // how much of each path the objects around have named
	text   []byte   // of strings with escapes
	rest   []byte
}

// jsonDepth bounds how deep objects and lists may lie in each other.
const jsonDepth = 100

// The faults of a JSON line.
var (
	errJSON      = errors.New("want one JSON object a line")
	errJSONDepth = errors.New("want JSON objects and lists at most 100 deep")
)

// want adds a field to be found, and returns its number.
func (j *jsonLine) want(path string) int {
	for i, p := range j.paths {
		if p == path {
			return i
		}
	}
	j.paths, j.values, j.at = append(j.paths, path), append(j.values, nil), append(j.at, 0)
	return len(j.paths) - 1
}

// parse finds the fields of a line.
func (j *jsonLine) parse(line []byte) error {
	j.rest, j.text = line, j.text[:0]
	clear(j.values)
	clear(j.at)
	if j.blank(); len(j.rest) == 0 || j.rest[0] != '{' {
		return errJSON
	}
	if err := j.object(1<<len(j.paths)-1, 0); err != nil {
		return err
	}
	if j.blank(); len(j.rest) > 0 {
		return errJSON
	}
	return nil
}

func (j *jsonLine) blank() {
	for len(j.rest) > 0 && (j.rest[0] == ' ' || j.rest[0] == '\t' || j.rest[0] == '\n' || j.rest[0] == '\r') {
		j.rest = j.rest[1:]
	}
}

// mostFields is how many fields can be wanted.
const mostFields = 64

// object reads an object; of the fields in the set, its names may be the next part.
func (j *jsonLine) object(fields uint64, depth int) error {
	if depth == jsonDepth {
		return errJSONDepth
	}
	j.rest = j.rest[1:]
	if j.blank(); len(j.rest) > 0 && j.rest[0] == '}' {
		j.rest = j.rest[1:]
		return nil
	}
	for {
		name, plain, err := j.quoted()
		if err != nil {
			return err
		}
		if !plain && fields != 0 {
			from := len(j.text)
			j.text = unescape(j.text, name)
			name = j.text[from:]
		}
		if j.blank(); len(j.rest) == 0 || j.rest[0] != ':' {
			return errJSON
		}
		j.rest = j.rest[1:]
		var inner, whole uint64 // the fields that have this name next, and those that end with it
		for set := fields; set != 0; set &= set - 1 {
			i := bits.TrailingZeros64(set)
			path := j.paths[i][j.at[i]:]
			if len(path) < len(name) || path[:len(name)] != string(name) {
				continue
			}
			if len(path) == len(name) {
				whole |= 1 << i
			} else if path[len(name)] == '.' {
				inner |= 1 << i
				j.at[i] += len(name) + 1
			}
		}
		if err := j.value(inner, whole, depth+1); err != nil {
			return err
		}
		for set := inner; set != 0; set &= set - 1 {
			j.at[bits.TrailingZeros64(set)] -= len(name) + 1
		}
		j.blank()
		switch {
		case len(j.rest) == 0:
			return errJSON
		case j.rest[0] == '}':
			j.rest = j.rest[1:]
			return nil
		case j.rest[0] != ',':
			return errJSON
		}
		j.rest = j.rest[1:]
	}
}

// value reads a value that the fields whole are, and the fields inner are in.
func (j *jsonLine) value(inner, whole uint64, depth int) error {
	j.blank()
	if len(j.rest) == 0 {
		return errJSON
	}
	for set := whole; set != 0; set &= set - 1 {
		j.values[bits.TrailingZeros64(set)] = nil // of fields named twice, the last counts
	}
	var value []byte
	switch c := j.rest[0]; {
	case c == '{':
		return j.object(inner, depth)
	case c == '[':
		return j.list(inner, whole, depth)
	case c == '"':
		text, plain, err := j.quoted()
		if err != nil {
			return err
		}
		if !plain && whole != 0 {
			from := len(j.text)
			j.text = unescape(j.text, text)
			text = j.text[from:len(j.text):len(j.text)]
		}
		value = text
		if value == nil {
			value = noBytes
		}
	case c == 't' && bytes.HasPrefix(j.rest, literalTrue):
		value, j.rest = literalTrue, j.rest[4:]
	case c == 'f' && bytes.HasPrefix(j.rest, literalFalse):
		value, j.rest = literalFalse, j.rest[5:]
	case c == 'n' && bytes.HasPrefix(j.rest, literalNull):
		j.rest = j.rest[4:]
	default:
		n := numberLength(j.rest)
		if n == 0 {
			return errJSON
		}
		value, j.rest = j.rest[:n:n], j.rest[n:]
	}
	for set := whole; set != 0; set &= set - 1 {
		j.values[bits.TrailingZeros64(set)] = value
	}
	return nil
}

var (
	literalTrue, literalFalse, literalNull = []byte("true"), []byte("false"), []byte("null")
	noBytes                                = []byte{}
)

// list reads a list; its first value stands for it.
func (j *jsonLine) list(inner, whole uint64, depth int) error {
	if depth == jsonDepth {
		return errJSONDepth
	}
	j.rest = j.rest[1:]
	if j.blank(); len(j.rest) > 0 && j.rest[0] == ']' {
		j.rest = j.rest[1:]
		return nil
	}
	for {
		if err := j.value(inner, whole, depth+1); err != nil {
			return err
		}
		inner, whole = 0, 0
		j.blank()
		switch {
		case len(j.rest) == 0:
			return errJSON
		case j.rest[0] == ']':
			j.rest = j.rest[1:]
			return nil
		case j.rest[0] != ',':
			return errJSON
		}
		j.rest = j.rest[1:]
	}
}

// quoted reads a string and returns it without its quotes; plain says that it has no escapes.
func (j *jsonLine) quoted() (text []byte, plain bool, err error) {
	if j.blank(); len(j.rest) == 0 || j.rest[0] != '"' {
		return nil, false, errJSON
	}
	s := j.rest[1:]
	plain = true
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			j.rest = s[i+1:]
			return s[:i:i], plain, nil
		case c < ' ':
			return nil, false, errJSON
		case c == '\\':
			plain = false
			if i++; i == len(s) {
				return nil, false, errJSON
			}
			switch s[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if hex4(s[i+1:]) < 0 {
					return nil, false, errJSON
				}
				i += 4
			default:
				return nil, false, errJSON
			}
		}
	}
	return nil, false, errJSON
}

// numberLength returns how long the JSON number is that a text begins with, 0 if it begins with none.
func numberLength(s []byte) int {
	i := 0
	digits := func() bool {
		from := i
		for i < len(s) && s[i]-'0' <= 9 {
			i++
		}
		return i > from
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if !digits() {
		return 0
	}
	if i < len(s) && s[i] == '.' {
		if i++; !digits() {
			return 0
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		if i++; i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return 0
		}
	}
	return i
}

// unescape appends what a string without its quotes says. The string has been found to be right.
func unescape(dst, s []byte) []byte {
	for len(s) > 0 {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		c := s[i+1]
		s = s[i+2:]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := hex4(s)
			s = s[4:]
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
					low = hex4(s[2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					s = s[6:]
				}
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// hex4 reads four hexadecimal digits, -1 if there are none.
func hex4(s []byte) rune {
	if len(s) < 4 {
		return -1
	}
	n := rune(0)
	for _, c := range s[:4] {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		n = n<<4 | rune(c)
	}
	return n
}

// newJSONLines reads a file of JSON objects, one a line.
func newJSONLines(file *File, lines lineReader, start []byte, opts Options) (*textLines, error) {
	there := jsonNames(start)
	j, server := &jsonLine{}, serverOf(there)
	file.Server = server.name
	n := &namedFields{parse: j.parse}
	err := n.layout(&fieldNames{
		file: file, fixed: opts.fixed, server: server, index: j.want,
		has: func(name string) bool { return slices.Contains(there, name) },
		all: func() []string { return slices.Clone(there) },
	}, opts, server.stamp)
	if err != nil {
		return nil, err
	}
	file.others = otherJSONKeys(start).but(file.KeyColumn)
	if len(j.paths) > mostFields {
		return nil, &InputError{File: file.Name, Err: fmt.Errorf("%d fields are wanted; at most %d can be", len(j.paths), mostFields)}
	}
	n.values, n.names = j.values, j.paths
	return &textLines{lines: lines, parse: n}, nil
}

// jsonNames returns the paths of the fields that the first lines of a file have, sorted; none if they are no JSON
// objects.
func jsonNames(start []byte) []string {
	found := map[string]bool{}
	eachField(start, looksAt, func(name string, _ any) { found[name] = true })
	return slices.Sorted(maps.Keys(found))
}

// otherJSONKeys looks at the first objects of a file.
func otherJSONKeys(start []byte) *sightings {
	s := &sightings{}
	eachField(start, mostSeen, func(name string, value any) {
		if text, ok := value.(string); ok {
			s.see(name, []byte(text))
		}
	})
	slices.Sort(s.several)
	return s
}

// eachField calls with the path and the value of each field in the first lines, in no order within a line.
func eachField(start []byte, most int, each func(name string, value any)) {
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				if prefix != "" {
					name = prefix + "." + name
				}
				walk(name, inner)
			}
		case []any:
			if len(v) > 0 {
				walk(prefix, v[0])
			}
		default:
			each(prefix, v)
		}
	}
	for line := range leadingLines(start, most) {
		var object map[string]any
		if json.Unmarshal(line, &object) == nil {
			walk("", object)
		}
	}
}
