package sweep

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Axis is the values that a grid gives to a factor. A value may hold formulas in braces, which are computed at each
// point from the values of other factors: {2*rate}, token-bucket:rate={rate}/s,burst={burst}.
type Axis struct {
	Factor string   `json:"factor"`
	Values []string `json:"values"`
	// With is axes that are zipped with this one: value k of each goes with value k of the others. See [Zip].
	With []Axis `json:"-"`
	// From, in place of Values, computes the one value from other factors of the point.
	From func(get func(factor string) string) (string, error) `json:"-"`
}

// Zip joins axes that have equally many values into one: the first values of all go together, then the second.
func Zip(first Axis, others ...Axis) Axis {
	first.With = slices.Concat(first.With, others)
	return first
}

// ParseSetting reads what a command line gives to a factor, FACTOR=VALUES with values as [ParseValues] reads them, or to
// several whose values go together one by one: rate=1,2,4 & burst=10,20,40.
func ParseSetting(text string) ([]Axis, error) {
	var axes []Axis
	for _, piece := range splitSettings(text) {
		name, list, ok := strings.Cut(piece, "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			return nil, fmt.Errorf("takes FACTOR=VALUE,VALUE…, got %q", strings.TrimSpace(piece))
		}
		if strings.ContainsAny(name, ",|; ") {
			return nil, fmt.Errorf("%q is no factor; factors whose values go together are written rate=1,2 & burst=10,20", name)
		}
		values, err := ParseValues(list)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		axes = append(axes, Axis{Factor: name, Values: values})
	}
	if len(axes) > 1 {
		return axes, zippable(axes)
	}
	return axes, nil
}

// splitSettings cuts a text at each & that has a blank before it and FACTOR= after it.
func splitSettings(text string) []string {
	var pieces []string
	pending := ""
	for i, piece := range splitOutside(text, '&') {
		name, _, isSetting := strings.Cut(piece, "=")
		switch {
		case i == 0:
			pending = piece
		case isSetting && goodName(strings.TrimSpace(name)) && strings.TrimRight(pending, " \t") != pending:
			pieces = append(pieces, pending)
			pending = piece
		default:
			pending += "&" + piece
		}
	}
	return append(pieces, pending)
}

// zippable refuses axes that can not go value by value.
func zippable(axes []Axis) error {
	seen := make(map[string]bool)
	for _, a := range axes {
		switch {
		case seen[a.Factor]:
			return fmt.Errorf("factor %q is zipped with itself", a.Factor)
		case a.From != nil || len(a.With) > 0:
			return fmt.Errorf("factor %q is zipped with others: give its values as a list", a.Factor)
		case len(a.Values) != len(axes[0].Values):
			return fmt.Errorf("factors that go value by value need equally many: %q has %d, %q has %d",
				axes[0].Factor, len(axes[0].Values), a.Factor, len(a.Values))
		}
		seen[a.Factor] = true
	}
	return nil
}

// all returns the axes that are zipped in this one, itself first.
func (a Axis) all() []Axis {
	with := a.With
	a.With = nil
	return append([]Axis{a}, with...)
}

func (a Axis) factors() []string {
	names := []string{a.Factor}
	for _, w := range a.With {
		names = append(names, w.Factor)
	}
	return names
}

func (a Axis) name() string { return strings.Join(a.factors(), " & ") }

// rows returns how many values there are, one after the other.
func (a Axis) rows() int {
	if a.From != nil {
		return 1
	}
	return len(a.Values)
}

// shown is a row in a message.
func (a Axis) shown(row int) string {
	if a.From != nil {
		return "computed"
	}
	values := []string{a.Values[row]}
	for _, w := range a.With {
		values = append(values, w.Values[row])
	}
	return strings.Join(values, " & ")
}

// checkAxis refuses an axis that does not suit the plan's factors. What formulas give is not known yet.
func (p *Plan) checkAxis(zipped Axis) error {
	for _, a := range zipped.all() {
		f, err := p.factor(a.Factor)
		switch {
		case err != nil:
			return err
		case a.From != nil && len(a.Values) > 0:
			return fmt.Errorf("factor %q has values and a function that computes them; want one", a.Factor)
		case a.From == nil && len(a.Values) == 0:
			return fmt.Errorf("a grid gives no values to factor %q", a.Factor)
		}
		for _, v := range a.Values {
			form, err := parseFormula(v)
			if err == nil && form == nil {
				if err := p.Factors[f].check(v); err != nil {
					return err
				}
				continue
			}
			if err == nil {
				err = form.check(p)
			}
			if err != nil {
				return fmt.Errorf("factor %q: value %q: %w", a.Factor, v, err)
			}
		}
	}
	if len(zipped.With) > 0 {
		return zippable(zipped.all())
	}
	return nil
}

// Override replaces the values of a factor in every grid that names it, or adds them to every grid if none does. A
// factor that a grid computes takes them instead; one that is zipped with others can be overridden only with them. It
// changes only this plan, not the plan that this is a copy of. On an error nothing is changed.
func (p *Plan) Override(factor string, values []string) error {
	return p.override(Axis{Factor: factor, Values: slices.Clone(values)})
}

// OverrideZipped is Override of several factors, whose values go together one by one, in every grid that names one of
// them.
func (p *Plan) OverrideZipped(axes ...Axis) error {
	if len(axes) == 0 {
		return errors.New("no factors given")
	}
	return p.override(Zip(axes[0], axes[1:]...))
}

func (p *Plan) override(axis Axis) error {
	for _, a := range axis.all() {
		if _, err := p.factor(a.Factor); err == nil && len(a.Values) == 0 {
			return fmt.Errorf("factor %q: no values given", a.Factor)
		}
	}
	if err := p.checkAxis(axis); err != nil {
		return err
	}
	replaced := make(map[string]bool)
	for _, name := range axis.factors() {
		replaced[name] = true
	}
	grids := make([]Grid, len(p.Grids))
	named := false
	for i, g := range p.Grids {
		there := false
		for _, a := range g {
			inside := 0
			for _, name := range a.factors() {
				if replaced[name] {
					inside++
				}
			}
			switch {
			case inside == 0:
				grids[i] = append(grids[i], a)
			case inside < len(a.factors()):
				return fmt.Errorf("factors %s go value by value here: set them together, as in %s",
					strings.Join(quoted(a.factors()), " and "), strings.Join(examples(a.factors()), " & "))
			case !there:
				grids[i] = append(grids[i], axis)
				there, named = true, true
			}
		}
	}
	if !named {
		for i := range grids {
			grids[i] = append(grids[i], axis)
		}
	}
	p.Grids = grids
	earlier := func(a Axis) bool {
		return slices.ContainsFunc(a.factors(), func(name string) bool { return replaced[name] })
	}
	p.overridden = append(slices.DeleteFunc(slices.Clone(p.overridden), earlier), axis)
	return nil
}

func quoted(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%q", name)
	}
	return list
}

func examples(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = name + "=…,…"
	}
	return list
}

// candidate is a point of a grid before any constraint.
type candidate struct {
	values []string
	rows   []int // by axis of the grid
	err    error // a value could not be computed
}

// computes reports whether a grid has values that depend on others.
func (g Grid) computes() bool {
	return slices.ContainsFunc(g, func(zipped Axis) bool {
		return slices.ContainsFunc(zipped.all(), func(a Axis) bool {
			return a.From != nil || slices.ContainsFunc(a.Values, isFormula)
		})
	})
}

// expand visits the points of a grid, which is valid.
func (p *Plan) expand(g Grid, visit func(candidate) error) error {
	total := 1
	for _, a := range g {
		if total *= a.rows(); total > maxPoints {
			return fmt.Errorf("plan %q: a grid has more than %d points", p.Name, maxPoints)
		}
	}
	formulas := make(map[string]*formula)
	computes := g.computes()
	names := p.factorNames()
	type column struct{ axis, factor int }
	var columns []column // of each axis and those zipped with it
	var axes []Axis
	for k, zipped := range g {
		for _, a := range zipped.all() {
			columns, axes = append(columns, column{k, slices.Index(names, a.Factor)}), append(axes, a)
		}
	}
	for i := range total {
		c := candidate{values: make([]string, len(p.Factors)), rows: make([]int, len(g))}
		for f := range p.Factors {
			c.values[f] = p.Factors[f].Default
		}
		for k, rest := len(g)-1, i; k >= 0; k-- {
			c.rows[k] = rest % g[k].rows()
			rest /= g[k].rows()
		}
		var open map[int]Axis // factors that are to be computed
		for j, a := range axes {
			f := columns[j].factor
			if a.From == nil {
				c.values[f] = a.Values[c.rows[columns[j].axis]]
			}
			if computes && (a.From != nil || isFormula(c.values[f])) {
				if open == nil {
					open = make(map[int]Axis)
				}
				open[f] = a
			}
		}
		if len(open) > 0 {
			if err := p.compute(&c, open, formulas); err != nil {
				return err
			}
		}
		if err := visit(c); err != nil {
			return err
		}
	}
	return nil
}

// compute fills in the values of a point that depend on others, in whatever order they allow. The error is of a grid
// that can not be computed at any point; what fails at this point is the candidate's.
func (p *Plan) compute(c *candidate, open map[int]Axis, formulas map[string]*formula) error {
	for len(open) > 0 {
		done := -1
		for _, f := range slices.Sorted(maps.Keys(open)) {
			v, waits, err := p.computeOne(c, f, open, formulas)
			var mistake unknownFactor
			if errors.As(err, &mistake) {
				return mistake.error
			}
			if waits && err == nil {
				continue
			}
			if refused := p.Factors[f].refuses(v); err == nil && refused != nil {
				// The constraints see what was computed, and may drop it.
				err = fmt.Errorf("factor %q: %s is %q: %w", p.Factors[f].Name, open[f].formula(c.values[f]), v, refused)
			}
			if err != nil && c.err == nil {
				c.err = err
			}
			c.values[f], done = v, f
			break
		}
		if done < 0 {
			var names []string
			for _, f := range slices.Sorted(maps.Keys(open)) {
				names = append(names, p.Factors[f].Name)
			}
			if len(names) == 1 {
				return fmt.Errorf("plan %q: factor %q is computed from itself", p.Name, names[0])
			}
			return fmt.Errorf("plan %q: factors %s are computed from each other", p.Name, strings.Join(quoted(names), " and "))
		}
		delete(open, done)
	}
	return nil
}

// unknownFactor is the mistake of a function that computes a value.
type unknownFactor struct{ error }

// computeOne returns the value of factor f, or says that it waits for another that is open.
func (p *Plan) computeOne(c *candidate, f int, open map[int]Axis, formulas map[string]*formula) (v string, waits bool, err error) {
	var mistake error
	get := func(name string) string {
		i, err := p.factor(name)
		if err != nil {
			mistake = unknownFactor{fmt.Errorf("plan %q: factor %q is computed from an %w", p.Name, p.Factors[f].Name, err)}
			return ""
		}
		if _, ok := open[i]; ok {
			waits = true
			return ""
		}
		return c.values[i]
	}
	raw := open[f].formula(c.values[f])
	if from := open[f].From; from != nil {
		v, err = from(get)
	} else {
		form := formulas[raw]
		if form == nil {
			if form, err = parseFormula(raw); err != nil {
				return raw, false, err
			}
			formulas[raw] = form
		}
		v, err = form.at(get)
	}
	switch {
	case mistake != nil:
		return "", false, mistake
	case waits:
		return "", true, nil
	case errors.Is(err, errAbsent), err != nil && open[f].From != nil:
		return "", false, fmt.Errorf("factor %q: %s: %w", p.Factors[f].Name, raw, err)
	case err != nil: // a value all the same, which does not look as if the factor did not apply
		return raw, false, fmt.Errorf("factor %q: %s: %w", p.Factors[f].Name, raw, err)
	}
	return v, false, nil
}

// formula names what computes a value, in a message.
func (a Axis) formula(value string) string {
	if a.From != nil {
		return "a function"
	}
	return value
}
