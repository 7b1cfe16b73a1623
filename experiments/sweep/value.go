package sweep

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"ratelab/internal/spec"
)

type kind int

const (
	aText kind = iota
	aNumber
	aDuration
	aTruth
	anAbsence // a factor that does not apply, or what was computed from one
)

// value is what a part of an expression is at one point.
type value struct {
	kind  kind
	x     *big.Rat // of a number, or of a duration in nanoseconds
	text  string   // of a factor or a text, as it was written; of an absence, the factor
	truth bool
}

// errAbsent is why nothing is computed from a factor that does not apply.
var errAbsent = errors.New("does not apply there")

const maxPower = 40 // of ten, of a number with an exponent

func negative(v value) value { return value{kind: v.kind, x: new(big.Rat).Neg(v.x)} }

func smaller(a, b value) (value, error) {
	less, err := compare(b, "<", a)
	if less.truth {
		a = b
	}
	return a, err
}

func larger(a, b value) (value, error) {
	less, err := compare(a, "<", b)
	if less.truth {
		a = b
	}
	return a, err
}

// whole rounds a number down, or up.
func whole(function string, a value, up bool) (value, error) {
	if a.kind != aNumber {
		return value{}, fmt.Errorf("%s takes a number, got %s; window/1s is a duration as a number of seconds", function, a)
	}
	n, rest := new(big.Int).DivMod(a.x.Num(), a.x.Denom(), new(big.Int))
	if up && rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return value{kind: aNumber, x: new(big.Rat).SetInt(n)}, nil
}

// readValue says what the text of a factor or a literal is: a number, a duration or a text.
func readValue(text string) value {
	if x, _, ok := parseDecimal(text); ok {
		return value{kind: aNumber, x: x, text: text}
	}
	if d, err := spec.ParseDuration(text); err == nil {
		return value{kind: aDuration, x: new(big.Rat).SetInt64(int64(d)), text: text}
	}
	if _, err := parseNumber(text); err == nil && len(text) <= maxDigits { // 1e-06, as tables write it
		_, power, _ := strings.Cut(strings.ToLower(text), "e")
		if p := new(big.Int); power != "" {
			if _, ok := p.SetString(power, 10); ok && p.CmpAbs(big.NewInt(maxPower)) <= 0 {
				x, _ := new(big.Rat).SetString(text)
				return value{kind: aNumber, x: x, text: text}
			}
		}
	}
	return value{kind: aText, text: text}
}

// computable returns an operand that can be computed with: a number or a duration, or an absence.
func computable(get func(string) string, a node) (value, error) {
	v, err := a(get)
	if err == nil && v.kind == aText {
		err = fmt.Errorf("%q is neither a number nor a duration", v.text)
	}
	return v, err
}

// both computes two operands and joins them; where one is absent, so is the result.
func both(get func(string) string, a, b node, join func(a, b value) (value, error)) (value, error) {
	left, err := computable(get, a)
	if err != nil || left.kind == anAbsence {
		return left, err
	}
	right, err := computable(get, b)
	if err != nil || right.kind == anAbsence {
		return right, err
	}
	return join(left, right)
}

// calculate adds, subtracts, multiplies or divides two numbers or durations.
func calculate(a value, operator string, b value) (value, error) {
	v := value{kind: a.kind, x: new(big.Rat)}
	mismatch := func(what string) (value, error) {
		return value{}, fmt.Errorf("%s %s %s: %s", a, operator, b, what)
	}
	switch operator {
	case "+", "-":
		if a.kind != b.kind {
			return mismatch("one is a duration, the other a number")
		}
		if operator == "+" {
			v.x.Add(a.x, b.x)
		} else {
			v.x.Sub(a.x, b.x)
		}
	case "*":
		if a.kind == aDuration && b.kind == aDuration {
			return mismatch("a duration times a duration is none")
		}
		v.kind = max(a.kind, b.kind)
		v.x.Mul(a.x, b.x)
	case "/":
		switch {
		case b.x.Sign() == 0:
			return mismatch("division by 0")
		case a.kind == aNumber && b.kind == aDuration:
			return mismatch("a number can not be divided by a duration; divide by window/1s")
		case b.kind == aDuration:
			v.kind = aNumber
		}
		v.x.Quo(a.x, b.x)
	}
	return v, nil
}

// compare compares numbers, durations or texts. With a factor that does not apply, only != is true, and == with the
// empty text.
func compare(a value, operator string, b value) (value, error) {
	truth := func(t bool) (value, error) { return value{kind: aTruth, truth: t}, nil }
	equality := operator == "=" || operator == "==" || operator == "!="
	numbers := a.x != nil && b.x != nil
	switch {
	case numbers && a.kind != b.kind && a.x.Sign() != 0 && b.x.Sign() != 0:
		return value{}, fmt.Errorf("%s %s %s: one is a duration, the other a number", a, operator, b)
	case numbers:
		c := a.x.Cmp(b.x)
		switch operator {
		case "<":
			return truth(c < 0)
		case "<=":
			return truth(c <= 0)
		case ">":
			return truth(c > 0)
		case ">=":
			return truth(c >= 0)
		}
		return truth((c == 0) == (operator != "!="))
	case a.kind == anAbsence || b.kind == anAbsence:
		empty := func(v value) bool { return v.kind == anAbsence || v.kind == aText && v.text == "" }
		return truth(equality && (empty(a) && empty(b)) == (operator != "!="))
	case !equality:
		return value{}, fmt.Errorf("%s %s %s: only numbers and durations have an order", a, operator, b)
	}
	return truth((a.plain() == b.plain()) == (operator != "!="))
}

// plain returns a value as a text to compare with.
func (v value) plain() string {
	if v.text != "" || v.kind == aText {
		return v.text
	}
	text, err := v.write()
	if err != nil {
		return v.x.RatString()
	}
	return text
}

// String shows a value in a message.
func (v value) String() string {
	switch v.kind {
	case aText:
		return fmt.Sprintf("%q", v.text)
	case anAbsence:
		return "what does not apply"
	}
	return v.plain()
}

// write returns the text of a value as a factor has it: as it was if it is a factor's, a decimal or a duration if it
// was computed.
func (v value) write() (string, error) {
	switch {
	case v.kind == anAbsence:
		return "", fmt.Errorf("factor %q %w", v.text, errAbsent)
	case v.text != "" || v.kind == aText:
		return v.text, nil
	case v.kind == aDuration:
		if !v.x.IsInt() || !v.x.Num().IsInt64() {
			return "", fmt.Errorf("%s ns is not a whole number of nanoseconds within ±292 years", v.x.RatString())
		}
		return spec.FormatDuration(time.Duration(v.x.Num().Int64())), nil
	}
	decimals, exact := v.x.FloatPrec()
	if !exact {
		return "", fmt.Errorf("%s is no finite decimal; want floor(…) or ceil(…)", v.x.RatString())
	}
	text := v.x.FloatString(min(decimals, maxDigits+1))
	if len(text) > maxDigits {
		return "", fmt.Errorf("%s… has more than %d digits", text[:min(len(text), 12)], maxDigits)
	}
	return text, nil
}
