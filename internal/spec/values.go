package spec

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Flag is the unit of a parameter that stands alone, without a value.
const Flag = "flag"

// maxNested bounds how deep specs may stand inside each other.
const maxNested = 8

// Param describes one parameter of a part.
type Param struct {
	Name    string
	Unit    string // "requests", "duration", "rate", "a|b" for a choice
	Default string // what holds if it is left out; "" means that it must be given, unless it is a Flag
	Doc     string // one line
}

// nested says that the parameter's value is other specs, each in parentheses,
// and that it is written without its name: its unit begins with a parenthesis,
// as in "(workload)". A part has one such parameter at most.
func (p Param) nested() bool { return strings.HasPrefix(p.Unit, "(") }

func (p Param) required() bool { return p.Default == "" && p.Unit != Flag }

// Entry describes a part: its name, a line of documentation, its parameters
// in the order in which they are printed.
type Entry struct {
	Name   string
	Doc    string
	Params []Param
	More   string // further paragraphs for "show", may be empty
}

// Usage returns the spec's pattern, as in token-bucket:rate=…,burst=…[,initial=…].
func (e Entry) Usage() string {
	var b strings.Builder
	b.WriteString(e.Name)
	sep := ":"
	for _, p := range e.Params {
		value := "=…"
		if strings.Contains(p.Unit, "|") {
			value = "=" + p.Unit
		} else if p.Unit == Flag {
			value = ""
		}
		if p.nested() {
			b.WriteString(sep + p.Unit)
		} else if p.required() {
			fmt.Fprintf(&b, "%s%s%s", sep, p.Name, value)
		} else {
			fmt.Fprintf(&b, "[%s%s%s]", sep, p.Name, value)
		}
		sep = ","
	}
	return b.String()
}

// Values holds the parameters of one parsed spec. A typed getter that meets a
// fault records it, and [Values.Err] reports the first; what a getter returned
// means nothing until Err has returned nil.
type Values struct {
	Kind  string // "limiter", "workload", …
	Entry Entry
	given map[string]string
	err   error
}

// Given reports whether the spec sets the parameter itself.
func (v *Values) Given(name string) bool { _, ok := v.given[name]; return ok }

// Text returns a parameter's text, or its default.
func (v *Values) Text(name string) string {
	if text, ok := v.given[name]; ok {
		return text
	}
	for _, p := range v.Entry.Params {
		if p.Name == name {
			return p.Default
		}
	}
	panic(fmt.Sprintf("spec: %s %q asks for the undeclared parameter %q", v.Kind, v.Entry.Name, name))
}

// With returns a copy of the spec's values with one parameter set, without
// faults. The name must be declared, and the text must fit into a spec: no
// comma, and none at all for a [Flag].
func (v *Values) With(name, text string) (*Values, error) {
	if !slices.ContainsFunc(v.Entry.Params, func(p Param) bool { return p.Name == name }) {
		return nil, v.unknown(name)
	}
	text = strings.TrimSpace(text)
	if v.Entry.isFlag(name) && text != "" {
		return nil, fmt.Errorf("%s %q: %s stands alone and takes no value, got %q", v.Kind, v.Entry.Name, name, text)
	}
	if v.Entry.isNested(name) {
		if err := checkNested(text); err != nil {
			return nil, fmt.Errorf("%s %q: %s %w", v.Kind, v.Entry.Name, name, err)
		}
	} else if strings.Contains(text, ",") {
		return nil, fmt.Errorf("%s %q: %s must have no comma in it, got %q", v.Kind, v.Entry.Name, name, text)
	}
	c := &Values{Kind: v.Kind, Entry: v.Entry, given: map[string]string{name: text}}
	for k, t := range v.given {
		if k != name {
			c.given[k] = t
		}
	}
	return c, nil
}

// Fail records a fault of a parameter, if none is recorded yet:
// "limiter "gcra": burst must be > 0, got 0".
func (v *Values) Fail(name, format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf("%s %q: %s %s", v.Kind, v.Entry.Name, name, fmt.Sprintf(format, args...))
	}
}

// Err returns the first fault, or nil.
func (v *Values) Err() error { return v.err }

func get[T any](v *Values, name string, parse func(string) (T, error)) T {
	value, err := parse(v.Text(name))
	if err != nil {
		v.Fail(name, "%s", err)
	}
	return value
}

// Rate reads a rate > 0.
func (v *Values) Rate(name string) Rate { return get(v, name, ParseRate) }

// Count reads an integer from 0 to MaxCount.
func (v *Values) Count(name string) int64 { return get(v, name, ParseCount) }

// Number reads a decimal as float64.
func (v *Values) Number(name string) float64 { return get(v, name, ParseNumber) }

// Ratio reads a decimal > 0 exactly, in lowest terms; both parts lie in
// 1..MaxCount.
func (v *Values) Ratio(name string) (num, den int64) {
	q, ok := parseDecimal(v.Text(name))
	limit := big.NewInt(MaxCount)
	switch {
	case !ok:
		v.Fail(name, "must be a decimal number like 0.5, got %q", v.Text(name))
	case q.Sign() <= 0:
		v.Fail(name, "must be > 0, got %s", v.Text(name))
	case q.Num().Cmp(limit) > 0 || q.Denom().Cmp(limit) > 0:
		v.Fail(name, "must be a ratio of whole numbers below 2^53, got %s", v.Text(name))
	default:
		return q.Num().Int64(), q.Denom().Int64()
	}
	return 1, 1
}

// Nested returns the specs of a parameter whose value is specs in parentheses:
// of (a)+(b), a and b.
func (v *Values) Nested(name string) []string {
	text := v.Text(name)
	if err := checkNested(text); err != nil {
		v.Fail(name, "%s", err)
		return nil
	}
	var list []string
	for text != "" {
		end := closing(text)
		list = append(list, strings.TrimSpace(text[1:end]))
		text = strings.TrimSpace(text[end+1:])
		text = strings.TrimSpace(strings.TrimPrefix(text, "+"))
	}
	return list
}

// Halves reads a multiple of 0.5 from 0 to most, and returns it doubled.
func (v *Values) Halves(name string, most int64) int64 {
	doubled := v.Number(name) * 2
	if doubled < 0 || doubled > float64(2*most) || doubled != math.Trunc(doubled) {
		v.Fail(name, "must be a multiple of 0.5 from 0 to %d, got %s", most, v.Text(name))
		return 0
	}
	return int64(doubled)
}

// DurationOrZero reads a duration >= 0.
func (v *Values) DurationOrZero(name string) time.Duration {
	d := get(v, name, ParseDuration)
	if d < 0 {
		v.Fail(name, "must be >= 0, got %s", v.Text(name))
	}
	return d
}

// Duration reads a duration > 0.
func (v *Values) Duration(name string) time.Duration {
	d := get(v, name, ParseDuration)
	if d <= 0 && v.err == nil {
		v.Fail(name, "must be > 0, got %s", v.Text(name))
	}
	return d
}

// Choice reads one of the options.
func (v *Values) Choice(name string, options ...string) string {
	text := v.Text(name)
	if !slices.Contains(options, text) {
		v.Fail(name, "must be %s, got %q", strings.Join(options, " or "), text)
	}
	return text
}

// String writes the spec back: the name and the given parameters in declared
// order, with the texts they were given.
func (v *Values) String() string {
	var b strings.Builder
	b.WriteString(v.Entry.Name)
	sep := ":"
	for _, p := range v.Entry.Params {
		if text, ok := v.given[p.Name]; ok {
			switch {
			case p.nested():
				b.WriteString(sep + text)
			case p.Unit == Flag:
				b.WriteString(sep + p.Name)
			default:
				b.WriteString(sep + p.Name + "=" + text)
			}
			sep = ","
		}
	}
	return b.String()
}

func (v *Values) unknown(name string) error {
	names := make([]string, len(v.Entry.Params))
	for i, p := range v.Entry.Params {
		names[i] = p.Name
	}
	if len(names) == 0 {
		return fmt.Errorf("%s %q takes no parameters, got %q", v.Kind, v.Entry.Name, name)
	}
	return fmt.Errorf("%s %q has no parameter %q%s; it takes %s",
		v.Kind, v.Entry.Name, name, DidYouMean(name, names), strings.Join(names, ", "))
}
