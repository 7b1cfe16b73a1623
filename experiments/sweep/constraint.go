package sweep

import (
	"fmt"
	"slices"
	"strings"
)

// Constrain keeps only those points of the plan for which a condition holds, beside the plan's own constraint and
// earlier conditions: servers*burst <= 100 && limiter != 'gcra'. It compares factors, numbers, durations and quoted
// texts, and computes with them exactly. Where a factor does not apply, a comparison is false, but for
// != and for == with the empty text.
func (p *Plan) Constrain(condition string) error {
	e, err := parseExpression(condition)
	if err != nil {
		return err
	}
	if !e.truth {
		return fmt.Errorf("expression %q is a value; want a comparison, like servers*burst <= 100", e.text)
	}
	if len(e.factors) == 0 {
		return fmt.Errorf("expression %q names no factor: it would keep all points or none", e.text)
	}
	if err := e.check(p); err != nil {
		return err
	}
	p.constraints = append(slices.Clone(p.constraints), e)
	return nil
}

// meets reports whether a point meets the conditions that were added.
func (p *Plan) meets(names, point []string) (bool, error) {
	get := func(factor string) string { return point[slices.Index(names, factor)] }
	for _, e := range p.constraints {
		v, err := e.eval(get)
		if err != nil {
			return false, fmt.Errorf("expression %q: %w, at %s", e.text, err, pointKey(names, point))
		}
		if !v.truth {
			return false, nil
		}
	}
	return true, nil
}

// constraintText shows the conditions that were added in a message.
func (p *Plan) constraintText() string {
	texts := make([]string, len(p.constraints))
	for i, e := range p.constraints {
		texts[i] = e.text
	}
	return strings.Join(quoted(texts), " and ")
}
