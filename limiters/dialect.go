package limiters

import (
	"errors"
	"fmt"
	"slices"

	"ratelab/internal/spec"
)

// Dialect says which real program a limiter is named after and decides like,
// and how we know.
type Dialect struct {
	Program string // as its authors call it
	Version string // that is followed
	// Proven says that the program was run beside the dialect, request by
	// request; otherwise its source was read and its formula computed.
	Proven bool
	// UnitCost says that the program knows requests of cost 1 only.
	UnitCost bool
	// Misleads says how a client that trusts the program's hints is misled;
	// "" if it is not.
	Misleads string
}

// Standing says how the dialect is known to be true.
func (d Dialect) Standing() string {
	if d.Proven {
		return fmt.Sprintf("as %s %s, run beside it", d.Program, d.Version)
	}
	return fmt.Sprintf("as %s %s, read, not run", d.Program, d.Version)
}

var dialects = map[string]Dialect{}

// registerDialect adds a limiter named after a program. The standing is shown
// with the doc line wherever that is shown.
func registerDialect(e spec.Entry, d Dialect, read reader) {
	e.Doc += " (" + d.Standing() + ")"
	registry.Register(e, read)
	dialects[e.Name] = d
}

// Dialects returns the names of the limiters that are named after a program,
// sorted.
func Dialects() []string {
	var names []string
	for _, e := range Entries() {
		if _, ok := dialects[e.Name]; ok {
			names = append(names, e.Name)
		}
	}
	return slices.Clip(names)
}

// DialectOf returns what is known of a dialect, by its name; false if the
// limiter is canonical or there is none.
func DialectOf(name string) (Dialect, bool) {
	d, ok := dialects[name]
	return d, ok
}

// Standing says which program the limiter decides like and how that is known,
// see [Dialect.Standing]; "" for a limiter of our own.
func (s Spec) Standing() string {
	d, ok := dialects[s.Name()]
	if !ok {
		return ""
	}
	return d.Standing()
}

// UnitCost reports whether the limiter knows requests of cost 1 only; any
// other cost is bad input for it.
func (s Spec) UnitCost() bool { return dialects[s.Name()].UnitCost }

// noShare is embedded by dialects, whose programs have no way to enforce a
// share of a limit.
type noShare struct{}

func (noShare) scaled(*spec.Values, int64, int64, int64) (string, error) {
	return "", errors.New("a share of it is not defined; use a canonical limiter, such as token-bucket or fixed-window")
}
