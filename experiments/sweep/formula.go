package sweep

import (
	"errors"
	"fmt"
	"strings"
)

// formula is a value of a factor that is computed from others: a text with expressions in braces.
type formula struct {
	texts []string // around the expressions, one more than there are
	parts []*expression
}

func isFormula(text string) bool { return strings.ContainsAny(text, "{}") }

// parseFormula reads a value. It returns nil if it has no braces.
func parseFormula(text string) (*formula, error) {
	if !isFormula(text) {
		return nil, nil
	}
	f := &formula{}
	for rest := text; ; {
		before, after, open := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return nil, errors.New("} without {; a formula is written {2*rate}")
		}
		f.texts = append(f.texts, before)
		if !open {
			return f, nil
		}
		inside, behind, closed := strings.Cut(after, "}")
		if !closed {
			return nil, errors.New("{ without }; a formula is written {2*rate}")
		}
		e, err := parseExpression(inside)
		if err != nil {
			return nil, err
		}
		if e.truth {
			return nil, fmt.Errorf("expression %q is a comparison; a formula is a value, like {2*rate}", e.text)
		}
		f.parts = append(f.parts, e)
		rest = behind
	}
}

// check refuses factors that a plan does not have.
func (f *formula) check(p *Plan) error {
	for _, e := range f.parts {
		if err := e.check(p); err != nil {
			return err
		}
	}
	return nil
}

// at returns the value at the point where get returns the value of a factor.
func (f *formula) at(get func(factor string) string) (string, error) {
	var b strings.Builder
	b.WriteString(f.texts[0])
	for i, e := range f.parts {
		v, err := e.eval(get)
		if err != nil {
			return "", err
		}
		text, err := v.write()
		if err != nil {
			return "", err
		}
		b.WriteString(text + f.texts[i+1])
	}
	return b.String(), nil
}

// splitOutside cuts a text at a separator, except in braces.
func splitOutside(text string, separator byte) []string {
	var pieces []string
	start, depth := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth = max(0, depth-1)
		case separator:
			if depth == 0 {
				pieces = append(pieces, text[start:i])
				start = i + 1
			}
		}
	}
	return append(pieces, text[start:])
}
