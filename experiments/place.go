package experiments

import (
	"fmt"
	"strconv"
	"strings"
)

// ParsePlace reads FACTOR=VALUE,FACTOR=VALUE,… as the keys of cells are
// written: a value that has a comma of its own is quoted. It returns factor,
// value, factor, value …; no text is no factors.
func ParsePlace(text string) (at []string, err error) {
	for rest := text; rest != ""; {
		name, after, ok := strings.Cut(rest, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("want FACTOR=VALUE,…, got %q", rest)
		}
		var value string
		if quoted, err := strconv.QuotedPrefix(after); err == nil {
			value, _ = strconv.Unquote(quoted)
			rest = after[len(quoted):]
		} else {
			value, _, _ = strings.Cut(after, ",")
			rest = after[len(value):]
		}
		if more, ok := strings.CutPrefix(rest, ","); ok {
			rest = more
		} else if rest != "" {
			return nil, fmt.Errorf("after %s=%q want a comma, got %q", name, value, rest)
		}
		at = append(at, name, value)
	}
	return at, nil
}
