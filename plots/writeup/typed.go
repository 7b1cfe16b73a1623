package writeup

import (
	"regexp"
	"strings"
)

// Figure is a figure that somebody typed.
type Figure struct {
	Line int // from 1
	Text string
}

// looked are the parts of a template in which digits are no results: what is
// looked up, code, the targets of links, comments, statuses and standards.
var looked = regexp.MustCompile("(?s)\\{\\{.*?\\}\\}|```.*?```|`[^`\n]*`|\\]\\([^)]*\\)|<!--.*?-->|\\b95 % (?:interval|confidence)|\\b(?:429|503|200)\\b|\\b(?:RFC|HTTP|M/D|M/M)[ /-]?[0-9]+(?:/[A-Za-z]+)?")

var number = regexp.MustCompile(`\S*[0-9]\S*`)

// Typed returns the figures of a template that could be results.
func Typed(text string) []Figure {
	blank := looked.ReplaceAllStringFunc(text, func(part string) string {
		return strings.Repeat("\n", strings.Count(part, "\n")) // lines keep their numbers
	})
	var found []Figure
	for i, line := range strings.Split(blank, "\n") {
		for _, typed := range number.FindAllString(line, -1) {
			found = append(found, Figure{i + 1, typed})
		}
	}
	return found
}
