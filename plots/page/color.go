package page

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
)

// theme names the colours of package plots, as page.css does: the first of the name is that of areas and lines, the
// second, which has contrast enough on white, that of text.
var theme = []struct {
	name string
	rgb  int
}{
	{"sheet", 0xFFFFFF}, {"ink", 0x222222}, {"grey", 0x595959}, {"pale", 0x999999}, {"faint", 0xE6E6E6}, {"blank", 0xF3F3F3},
	{"blue", 0x0072B2}, {"vermilion", 0xD55E00}, {"green", 0x009E73}, {"purple", 0xCC79A7}, {"orange", 0xE69F00}, {"sky", 0x56B4E9}, {"black", 0x000000},
	{"vermilion-text", 0xBA5200}, {"green-text", 0x00815D}, {"purple-text", 0x9C5B7F}, {"orange-text", 0x9A6900}, {"sky-text", 0x38789C},
}

// named finds the theme's colour that a hexadecimal one is, give or take the rounding that transparency brings.
func named(hex string) (name string, found bool) {
	rgb, err := strconv.ParseInt(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		return "", false
	}
	for _, c := range theme {
		near := true
		for shift := 0; shift <= 16; shift += 8 {
			apart := (int(rgb)>>shift)&0xFF - (c.rgb>>shift)&0xFF
			near = near && -1 <= apart && apart <= 1
		}
		if near {
			return c.name, true
		}
	}
	return "", false
}

// lookOf turns the style of a path into attributes: classes for colours of the theme, which page.css defines, and
// attributes for what else there is.
func lookOf(style string) (attributes string, fill, themed bool, err error) {
	var classes, rest []string
	themed = true
	if !strings.Contains(style, "fill:") { // which is black unless it says otherwise
		style += ";fill:#000000"
	}
	for declaration := range strings.SplitSeq(style, ";") {
		property, value, _ := strings.Cut(strings.TrimSpace(declaration), ":")
		switch property {
		case "":
		case "fill", "stroke":
			if value == "none" {
				rest = append(rest, property+`="none"`)
				continue
			}
			fill = fill || property == "fill"
			if name, found := named(value); found {
				classes = append(classes, property[:1]+"-"+name)
			} else {
				themed = false
				rest = append(rest, fmt.Sprintf(`%s="%s"`, property, template.HTMLEscapeString(value)))
			}
		case "fill-opacity", "stroke-opacity", "stroke-width", "stroke-dasharray":
			rest = append(rest, fmt.Sprintf(`%s="%s"`, property, template.HTMLEscapeString(value)))
		default:
			return "", false, false, fmt.Errorf("style %q is none that package plots draws", declaration)
		}
	}
	if len(classes) > 0 {
		rest = append([]string{`class="` + strings.Join(classes, " ") + `"`}, rest...)
	}
	return strings.Join(rest, " "), fill, themed, nil
}
