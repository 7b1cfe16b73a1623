package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Registry holds the parts of one kind, each with its constructor of type B.
// Parts register themselves when the program starts; after that a Registry is
// only read, and safe for concurrent use.
type Registry[B any] struct {
	Kind    string // what an error calls a part: "limiter"
	entries []Entry
	builds  []B
}

// Register adds a part. It panics on a name taken twice: that is a bug in the
// program.
func (r *Registry[B]) Register(e Entry, build B) {
	i, found := r.find(e.Name)
	if found {
		panic(fmt.Sprintf("spec: %s %q is registered twice", r.Kind, e.Name))
	}
	r.entries = slices.Insert(r.entries, i, e)
	r.builds = slices.Insert(r.builds, i, build)
}

func (r *Registry[B]) find(name string) (int, bool) {
	return slices.BinarySearchFunc(r.entries, name, func(e Entry, n string) int { return strings.Compare(e.Name, n) })
}

// Entries returns the parts, sorted by name.
func (r *Registry[B]) Entries() []Entry { return r.entries }

// Lookup finds a part by its exact name.
func (r *Registry[B]) Lookup(name string) (Entry, bool) {
	i, found := r.find(name)
	if !found {
		return Entry{}, false
	}
	return r.entries[i], true
}

// Parse reads a spec. It checks the part's name, that every parameter is
// known and given once, and that those without a default are given; their
// values are checked by the constructor. Spaces around names and values are
// dropped. A value can not hold a comma, but for specs in parentheses.
func (r *Registry[B]) Parse(text string) (*Values, B, error) {
	var none B
	name, rest, hasParams := strings.Cut(strings.TrimSpace(text), ":")
	name = strings.TrimSpace(name)
	i, found := r.find(name)
	if !found {
		names := make([]string, len(r.entries))
		for i, e := range r.entries {
			names[i] = e.Name
		}
		return nil, none, fmt.Errorf("unknown %s %q%s; known: %s", r.Kind, name, DidYouMean(name, names), strings.Join(names, ", "))
	}
	v := &Values{Kind: r.Kind, Entry: r.entries[i], given: map[string]string{}}
	if hasParams {
		for more := true; more; {
			var pair string
			pair, rest, more = cutPair(rest)
			param, value, ok := strings.Cut(pair, "=")
			param, value = strings.TrimSpace(param), strings.TrimSpace(value)
			nested, takes := v.Entry.nestedParam()
			if takes && strings.HasPrefix(param, "(") {
				param, value, ok = nested.Name, strings.TrimSpace(pair), true
				if err := checkNested(value); err != nil {
					return nil, none, fmt.Errorf("%s %q: %s %w", r.Kind, name, param, err)
				}
			} else if takes && param == nested.Name {
				return nil, none, fmt.Errorf("%s %q: %s is written in parentheses, without its name; write %s", r.Kind, name, param, v.Entry.Usage())
			}
			if !slices.ContainsFunc(v.Entry.Params, func(p Param) bool { return p.Name == param }) {
				if param == "" {
					return nil, none, fmt.Errorf("%s %q: %q is not param=value; write %s", r.Kind, name, pair, v.Entry.Usage())
				}
				return nil, none, v.unknown(param)
			}
			if flag := v.Entry.isFlag(param); flag && ok {
				return nil, none, fmt.Errorf("%s %q: %s stands alone and takes no value", r.Kind, name, param)
			} else if !flag && !ok {
				return nil, none, fmt.Errorf("%s %q: %s needs a value, as in %s=…", r.Kind, name, param, param)
			}
			if v.Given(param) {
				return nil, none, fmt.Errorf("%s %q: %s is given twice", r.Kind, name, param)
			}
			v.given[param] = value
		}
	}
	for _, p := range v.Entry.Params {
		if p.required() && !v.Given(p.Name) {
			return nil, none, fmt.Errorf("%s %q needs %s; write %s", r.Kind, name, p.Name, v.Entry.Usage())
		}
	}
	return v, r.builds[i], nil
}

func (e Entry) isFlag(param string) bool {
	return slices.ContainsFunc(e.Params, func(p Param) bool { return p.Name == param && p.Unit == Flag })
}

// DidYouMean returns ` (did you mean "near"?)` for the nearest of the known
// names, or "" if none is near: more than a third of the letters differ, and
// more than two, or all.
func DidYouMean(name string, known []string) string {
	best, at := 1+max(2, len(name)/3), ""
	for _, k := range known {
		if d := distance(name, k); d < best && d < max(len(name), len(k)) {
			best, at = d, k
		}
	}
	if at == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", at)
}

// distance is the Levenshtein distance of two names, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
