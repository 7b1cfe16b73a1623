package logs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/spec"
)

// namedFields reads lines whose fields have names: JSON, or what a log format says.
type namedFields struct {
	parse     func(line []byte) error
	values    [][]byte // what parse finds
	names     []string // of the values
	times     timestamps
	time      int
	took      int // -1 if there is none, and likewise:
	status    int
	cost      int
	agent     int
	key       fieldAt
	columns   []fieldAt
	unit      int64 // of took, ns
	forwarded *forwarded
}

// fieldAt is a value, or what a function makes of it.
type fieldAt struct {
	index int // -1 if there is none
	cut   func([]byte) []byte
}

func (f fieldAt) of(values [][]byte) []byte {
	if f.index < 0 {
		return nil
	}
	value := values[f.index]
	if f.cut != nil && value != nil {
		value = f.cut(value)
	}
	return value
}

func (n *namedFields) clock() *timestamps { return &n.times }

func (n *namedFields) request(line []byte, r *request) ([]byte, error) {
	if err := n.parse(line); err != nil {
		return line, err
	}
	text := n.values[n.time]
	if text == nil {
		return line, fmt.Errorf("has no field %q, the time", n.names[n.time])
	}
	var err error
	if r.at, err = n.times.read(text); err != nil {
		return text, fmt.Errorf("%s: %w", n.names[n.time], err)
	}
	r.took, r.cost, r.status, r.key, r.agent = -1, 1, 0, nil, nil
	if n.took >= 0 {
		r.took = parseTook(n.values[n.took], n.unit)
	}
	if n.status >= 0 {
		r.status = statusOf(n.values[n.status])
	}
	if n.cost >= 0 && len(n.values[n.cost]) > 0 {
		if r.cost, err = parseCost(n.values[n.cost]); err != nil {
			return n.values[n.cost], fmt.Errorf("%s: %w", n.names[n.cost], err)
		}
	}
	if n.key.index >= 0 {
		if r.key = n.key.of(n.values); r.key == nil {
			return line, fmt.Errorf("has no field %q, the key", n.names[n.key.index])
		}
	}
	if n.forwarded != nil {
		list := r.key
		if n.forwarded.field >= 0 {
			list = n.values[n.forwarded.field]
		}
		r.key = n.forwarded.address(list, r.key)
	}
	if n.agent >= 0 {
		r.agent = n.values[n.agent]
	}
	for i, c := range n.columns {
		r.texts[i] = c.of(n.values)
	}
	return nil, nil
}

// fieldNames finds fields by the names that users give them.
type fieldNames struct {
	file   *File
	server *server
	has    func(name string) bool
	index  func(name string) int // of the value; only for a field that there is
	all    func() []string       // for errors
	prefix string                // what users may write in front of a name
	fixed  bool                  // as in Options
}

// find finds a field by what users call it, or by its own name.
func (f *fieldNames) find(name, flag string) (fieldAt, string, error) {
	for _, known := range f.server.fields {
		if known.name != name {
			continue
		}
		for _, part := range known.from {
			if f.has(part.field) {
				return fieldAt{f.index(part.field), part.cut}, part.field, nil
			}
		}
	}
	own := name
	if f.prefix != "" {
		own = strings.TrimPrefix(name, f.prefix)
	}
	if f.has(own) {
		return fieldAt{f.index(own), nil}, own, nil
	}
	all := f.all()
	for _, known := range f.server.fields {
		if slices.ContainsFunc(known.from, func(p fieldPart) bool { return f.has(p.field) }) && !slices.Contains(all, known.name) {
			all = append(all, known.name)
		}
	}
	shownNames := all
	if len(shownNames) > 30 {
		shownNames = append(slices.Clone(all[:30]), "…")
	}
	err := fmt.Errorf("no field %q%s; it has %s", name, spec.DidYouMean(name, all), strings.Join(shownNames, ", "))
	if flag != "" && !f.fixed {
		err = fmt.Errorf("%w; choose the %s with --%s", err, flag, flag)
	}
	return fieldAt{-1, nil}, "", &InputError{File: f.file.Name, Err: err}
}

// layout finds all fields that are wanted. stamp is which moment the times are that the server's own fields hold.
func (n *namedFields) layout(f *fieldNames, opts Options, stamp Stamp) error {
	n.status, n.cost, n.agent = -1, -1, -1
	for _, step := range []func(*fieldNames, Options) error{n.layoutTime, n.layoutTook, n.layoutNumbers, n.layoutKey, n.layoutTexts, n.layoutForwarded} {
		if err := step(f, opts); err != nil {
			return err
		}
	}
	if f.file.Stamp = opts.Stamp; opts.Stamp == StampUnknown && opts.Time == "" && slices.Contains(f.server.times, f.file.TimeColumn) {
		f.file.Stamp = stamp
	}
	return nil
}

func (n *namedFields) layoutTime(f *fieldNames, opts Options) error {
	name := opts.Time
	if i := slices.IndexFunc(f.server.times, f.has); name == "" && i >= 0 {
		name = f.server.times[i]
	}
	at, own, err := f.find(nameOr(name, "time"), "time")
	n.time, f.file.TimeColumn = at.index, own
	return err
}

func (n *namedFields) layoutTook(f *fieldNames, opts Options) error {
	n.took = -1
	if opts.Took != "" {
		name, unit, err := splitTook(opts.Took)
		if err != nil {
			return &InputError{File: f.file.Name, Err: err}
		}
		at, own, err := f.find(name, "took")
		n.took, n.unit, f.file.TookColumn = at.index, unit, own
		return err
	}
	for _, known := range f.server.took {
		if f.has(known.field) {
			n.took, n.unit, f.file.TookColumn = f.index(known.field), known.unit, known.field
			break
		}
	}
	return nil
}

func (n *namedFields) layoutNumbers(f *fieldNames, opts Options) error {
	for _, c := range []struct {
		into                 *int
		flag, name, standard string
	}{{&n.status, "status", opts.Status, "status"}, {&n.cost, "cost", opts.Cost, "cost"}} {
		if c.name == "" && !f.knows(c.standard) && !f.has(c.standard) {
			continue
		}
		at, _, err := f.find(nameOr(c.name, c.standard), c.flag)
		if err != nil {
			return err
		}
		*c.into = at.index
	}
	return nil
}

func (n *namedFields) layoutKey(f *fieldNames, opts Options) (err error) {
	name := opts.Key
	for _, standard := range []string{"key", "ip"} {
		if name == "" && f.knows(standard) {
			name = standard
		}
	}
	if n.key = (fieldAt{-1, nil}); name == "" {
		return nil
	}
	n.key, f.file.KeyColumn, err = f.find(name, "key")
	if n.key.cut != nil || f.prefix == "%" {
		f.file.KeyColumn = name // what is made of a field, or of a letter that says nothing
	}
	return err
}

func (n *namedFields) layoutTexts(f *fieldNames, opts Options) error {
	find := func(name string) (fieldAt, error) {
		at, _, err := f.find(name, "")
		if err != nil {
			err = f.file.lack(name, opts, err)
		}
		return at, err
	}
	for _, column := range opts.Columns {
		at, err := find(column)
		if err != nil {
			return err
		}
		n.columns = append(n.columns, at)
	}
	if !opts.Agents {
		return nil
	}
	at, err := find("agent")
	n.agent = at.index
	return err
}

func (n *namedFields) layoutForwarded(f *fieldNames, opts Options) error {
	if opts.ForwardedDepth == 0 {
		return nil
	}
	n.forwarded = &forwarded{file: f.file, field: -1, depth: opts.ForwardedDepth}
	f.file.KeyColumn = n.forwarded.name()
	if opts.Key != "" && opts.Key != "ip" {
		return nil
	}
	if !f.knows("forwarded") {
		return &InputError{File: f.file.Name, Err: errors.New("has no field that is known to hold X-Forwarded-For; name it with --key")}
	}
	at, _, err := f.find("forwarded", "")
	n.forwarded.field = at.index
	return err
}

// knows reports whether there is a field for what users call so.
func (f *fieldNames) knows(name string) bool {
	for _, known := range f.server.fields {
		if known.name == name {
			return slices.ContainsFunc(known.from, func(p fieldPart) bool { return f.has(p.field) })
		}
	}
	return false
}

func nameOr(name, standard string) string {
	if name == "" {
		return standard
	}
	return name
}
