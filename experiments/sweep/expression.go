package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An expression over the factors of a point, as formulas and constraints hold it:
//
//	or         = and { "||" and }
//	and        = not { "&&" not }
//	not        = "!" not | comparison
//	comparison = sum [ ("<" | "<=" | ">" | ">=" | "=" | "==" | "!=") sum ]
//	sum        = product { ("+" | "-") product }
//	product    = sign { ("*" | "/") sign }
//	sign       = "-" sign | primary
//	primary    = number | duration | "text" | 'text' | factor | "(" or ")" | function "(" sum { "," sum } ")"
//	function   = "floor" | "ceil" | "min" | "max"
//
// Numbers are decimals, durations are as in specs (1m30s), and both are exact. The name of a factor may hold dashes, so
// that a difference of factors needs blanks around its minus.
type expression struct {
	text    string
	factors []string // that it names, in order of appearance
	truth   bool     // it is true or false, not a value
	eval    node
}

// node computes a part of an expression at the point where get returns the value of a factor.
type node func(get func(factor string) string) (value, error)

const maxExpression = 1000 // bytes

var comparisons = []string{"<=", ">=", "==", "!=", "<", ">", "="}

// parseExpression reads an expression. It does not know which factors there are: see expression.check.
func parseExpression(text string) (*expression, error) {
	e := &expression{text: strings.TrimSpace(text)}
	fail := func(err error) (*expression, error) { return nil, fmt.Errorf("expression %q: %w", e.text, err) }
	if len(text) > maxExpression {
		return nil, fmt.Errorf("an expression may have %d bytes, got %d", maxExpression, len(text))
	}
	p := parser{e: e, rest: text}
	root, truth, err := p.or()
	if err == nil && p.next() != "" {
		err = p.unexpected("the end, or an operator like + or <=")
		if slices.Contains(comparisons, p.next()) {
			err = errors.New("comparisons do not chain; write 1 < x && x < 8 for 1 < x < 8")
		}
	}
	if err != nil {
		return fail(err)
	}
	e.eval, e.truth = root, truth
	return e, nil
}

// check refuses factors that a plan does not have.
func (e *expression) check(p *Plan) error {
	for _, name := range e.factors {
		if _, err := p.factor(name); err != nil {
			hint := fmt.Sprintf("; a text is quoted: '%s'", name)
			if strings.Contains(name, "-") {
				hint += "; a difference has blanks around its minus"
			}
			return fmt.Errorf("expression %q: %w%s", e.text, err, hint)
		}
	}
	return nil
}

type parser struct {
	e    *expression
	rest string
}

// next returns the token that comes next, "" at the end, and does not consume it.
func (p *parser) next() string {
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	first, size := utf8.DecodeRuneInString(p.rest)
	run := func(in func(r rune) bool) string {
		if end := strings.IndexFunc(p.rest, func(r rune) bool { return !in(r) }); end >= 0 {
			return p.rest[:end]
		}
		return p.rest
	}
	letter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == 'µ' || r == 'μ' }
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	switch {
	case p.rest == "":
		return ""
	case first == '\'' || first == '"':
		if end := strings.IndexRune(p.rest[1:], first); end >= 0 {
			return p.rest[:end+2]
		}
		return p.rest[:1]
	case digit(first) || first == '.':
		return run(func(r rune) bool { return digit(r) || letter(r) || r == '.' })
	case letter(first) || first == '_':
		return run(func(r rune) bool { return digit(r) || letter(r) || r == '_' || r == '-' })
	}
	for _, operator := range []string{"<=", ">=", "==", "!=", "&&", "||"} {
		if strings.HasPrefix(p.rest, operator) {
			return operator
		}
	}
	return p.rest[:size]
}

// take consumes the next token if it is one of these.
func (p *parser) take(tokens ...string) (string, bool) {
	t := p.next()
	if t == "" || !slices.Contains(tokens, t) {
		return "", false
	}
	p.rest = p.rest[len(t):]
	return t, true
}

func (p *parser) unexpected(want string) error {
	switch t := p.next(); t {
	case "":
		return fmt.Errorf("it ends where %s should be", want)
	case "&", "|":
		return fmt.Errorf("want %s, got %q; and is &&, or is ||", want, t)
	case "'", `"`:
		return fmt.Errorf("the text %s has no closing quote", p.rest)
	default:
		return fmt.Errorf("want %s, got %q", want, t)
	}
}

func (p *parser) or() (node, bool, error)  { return p.logic("||", (*parser).and) }
func (p *parser) and() (node, bool, error) { return p.logic("&&", (*parser).not) }

// logic reads operands that an operator joins, || or &&. The second operand counts only if the first does not decide.
func (p *parser) logic(operator string, operand func(*parser) (node, bool, error)) (node, bool, error) {
	left, truth, err := operand(p)
	for err == nil {
		if _, ok := p.take(operator); !ok {
			return left, truth, nil
		}
		a := left
		b, right, err := operand(p)
		if err != nil {
			return nil, false, err
		}
		if !truth || !right {
			return nil, false, fmt.Errorf("%s joins comparisons, like a < 2 %s b < 3", operator, operator)
		}
		left = func(get func(string) string) (value, error) {
			v, err := a(get)
			if err != nil || v.truth == (operator == "||") {
				return v, err
			}
			return b(get)
		}
	}
	return nil, false, err
}

func (p *parser) not() (node, bool, error) {
	if _, ok := p.take("!"); !ok {
		return p.comparison()
	}
	a, truth, err := p.not()
	if err != nil {
		return nil, false, err
	}
	if !truth {
		return nil, false, errors.New("! turns a comparison around, like !(a < 2)")
	}
	return func(get func(string) string) (value, error) {
		v, err := a(get)
		v.truth = !v.truth
		return v, err
	}, true, nil
}

func (p *parser) comparison() (node, bool, error) {
	a, truth, err := p.sum()
	if err != nil {
		return nil, false, err
	}
	operator, ok := p.take(comparisons...)
	if !ok {
		return a, truth, nil
	}
	b, right, err := p.sum()
	if err != nil {
		return nil, false, err
	}
	if truth || right {
		return nil, false, fmt.Errorf("%s compares values, not comparisons", operator)
	}
	return func(get func(string) string) (value, error) {
		left, err := a(get)
		if err != nil {
			return value{}, err
		}
		right, err := b(get)
		if err != nil {
			return value{}, err
		}
		return compare(left, operator, right)
	}, true, nil
}

func (p *parser) sum() (node, bool, error) { return p.arithmetic((*parser).product, "+", "-") }
func (p *parser) product() (node, bool, error) {
	return p.arithmetic((*parser).sign, "*", "/")
}

// arithmetic reads operands that operators of one rank join, from left to right.
func (p *parser) arithmetic(operand func(*parser) (node, bool, error), operators ...string) (node, bool, error) {
	left, truth, err := operand(p)
	for err == nil {
		operator, ok := p.take(operators...)
		if !ok {
			return left, truth, nil
		}
		a := left
		b, right, err := operand(p)
		if err != nil {
			return nil, false, err
		}
		if truth || right {
			return nil, false, fmt.Errorf("%s computes with values, not with comparisons", operator)
		}
		left = func(get func(string) string) (value, error) {
			return both(get, a, b, func(a, b value) (value, error) { return calculate(a, operator, b) })
		}
	}
	return nil, false, err
}

func (p *parser) sign() (node, bool, error) {
	if _, ok := p.take("-"); !ok {
		return p.primary()
	}
	a, truth, err := p.sign()
	if err != nil {
		return nil, false, err
	}
	if truth {
		return nil, false, errors.New("- computes with values, not with comparisons")
	}
	return func(get func(string) string) (value, error) {
		v, err := computable(get, a)
		if err != nil || v.kind == anAbsence {
			return v, err
		}
		return negative(v), nil
	}, false, nil
}

func (p *parser) primary() (node, bool, error) {
	const want = "a number, a duration, a factor, a 'text' or ("
	if _, ok := p.take("("); ok {
		a, truth, err := p.or()
		if err != nil {
			return nil, false, err
		}
		if _, ok := p.take(")"); !ok {
			return nil, false, p.unexpected(")")
		}
		return a, truth, nil
	}
	t := p.next()
	if t == "" {
		return nil, false, p.unexpected(want)
	}
	first, _ := utf8.DecodeRuneInString(t)
	switch {
	case first == '\'' || first == '"':
		if len(t) == 1 {
			return nil, false, p.unexpected(want)
		}
		p.take(t)
		return constant(value{kind: aText, text: t[1 : len(t)-1]}), false, nil
	case first >= '0' && first <= '9' || first == '.':
		v := readValue(t)
		if v.kind == aText {
			return nil, false, fmt.Errorf("%q is neither a number like 0.5 nor a duration like 250ms; a product is written 2*x", t)
		}
		p.take(t)
		return constant(v), false, nil
	case first == '_' || unicode.IsLetter(first):
		p.take(t)
		if p.next() == "(" {
			return p.call(t)
		}
		if !slices.Contains(p.e.factors, t) {
			p.e.factors = append(p.e.factors, t)
		}
		return func(get func(string) string) (value, error) {
			v := readValue(get(t))
			if v.text == "" {
				v = value{kind: anAbsence, text: t}
			}
			return v, nil
		}, false, nil
	}
	return nil, false, p.unexpected(want)
}

func constant(v value) node { return func(func(string) string) (value, error) { return v, nil } }

// call reads the arguments of a function.
func (p *parser) call(name string) (node, bool, error) {
	function, ok := map[string]func(a, b value) (value, error){"min": smaller, "max": larger}[name]
	up := name == "ceil"
	if !ok && !up && name != "floor" {
		return nil, false, fmt.Errorf("unknown function %q; known: ceil, floor, max, min", name)
	}
	p.take("(")
	var arguments []node
	for {
		a, truth, err := p.sum()
		if err != nil {
			return nil, false, err
		}
		if truth {
			return nil, false, fmt.Errorf("%s takes values, not comparisons", name)
		}
		arguments = append(arguments, a)
		if _, ok := p.take(","); !ok {
			break
		}
	}
	if _, ok := p.take(")"); !ok {
		return nil, false, p.unexpected(", or )")
	}
	result := arguments[0]
	if !ok {
		if len(arguments) > 1 {
			return nil, false, fmt.Errorf("%s takes one value, got %d", name, len(arguments))
		}
		return func(get func(string) string) (value, error) {
			v, err := computable(get, result)
			if err != nil || v.kind == anAbsence {
				return v, err
			}
			return whole(name, v, up)
		}, false, nil
	}
	for _, b := range arguments[1:] {
		a := result
		result = func(get func(string) string) (value, error) { return both(get, a, b, function) }
	}
	return result, false, nil
}
