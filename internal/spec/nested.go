package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Specs stand inside another's in parentheses: thin:(poisson:rate=2/s),keep=0.5.
// Several are joined by +: sum:(poisson:rate=2/s)+(steady:rate=1/s). Only a
// parameter that begins with a parenthesis is read so; one in a value, as in
// file=a(b.csv, means nothing.

func (e Entry) isNested(param string) bool {
	return slices.ContainsFunc(e.Params, func(p Param) bool { return p.Name == param && p.nested() })
}

// nestedParam returns the parameter that takes specs in parentheses.
func (e Entry) nestedParam() (Param, bool) {
	i := slices.IndexFunc(e.Params, Param.nested)
	if i < 0 {
		return Param{}, false
	}
	return e.Params[i], true
}

// cutPair cuts a list of parameters behind the first: at a comma, but for those
// in the parentheses of one that begins with a parenthesis.
func cutPair(list string) (pair, rest string, more bool) {
	from, inside := 0, strings.TrimLeft(list, " ")
	if strings.HasPrefix(inside, "(") {
		from = len(list) - len(inside)
		for from < len(list) && list[from] == '(' {
			end := closing(list[from:])
			if end < 0 {
				return list, "", false
			}
			from += end + 1
			next := strings.TrimLeft(list[from:], " +")
			if !strings.HasPrefix(next, "(") {
				break
			}
			from = len(list) - len(next)
		}
	}
	comma := strings.IndexByte(list[from:], ',')
	if comma < 0 {
		return list, "", false
	}
	return list[:from+comma], list[from+comma+1:], true
}

// closing returns where the parenthesis ends that a text begins with, or -1.
func closing(text string) int {
	depth := 0
	for i, c := range []byte(text) {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// checkNested reports what is wrong with the form of (a)+(b).
func checkNested(text string) error {
	depth, deepest := 0, 0
	for _, c := range []byte(text) {
		switch c {
		case '(':
			depth++
			deepest = max(deepest, depth)
		case ')':
			depth--
		}
	}
	if deepest > maxNested {
		return fmt.Errorf("must be at most %d parentheses deep, got %d", maxNested, deepest)
	}
	rest := strings.TrimSpace(text)
	for {
		end := -1
		if strings.HasPrefix(rest, "(") {
			end = closing(rest)
		}
		if end < 0 || strings.TrimSpace(rest[1:end]) == "" {
			return fmt.Errorf("must be (name:param=value,…), in closed parentheses, or several joined by +, got %q", text)
		}
		rest = strings.TrimSpace(rest[end+1:])
		if rest == "" {
			return nil
		}
		joined, ok := strings.CutPrefix(rest, "+")
		if !ok {
			return fmt.Errorf("must have + between parentheses, got %q", text)
		}
		rest = strings.TrimSpace(joined)
	}
}
