package ratelab_test

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "draw docs/architecture.svg anew")

// TestThePictureIsTheImportGraph draws the house from what its files import,
// and compares it with the picture that docs/architecture.md shows.
func TestThePictureIsTheImportGraph(t *testing.T) {
	drawn := picture(house(t))
	file := filepath.Join("docs", "architecture.svg")
	if *update {
		require.NoError(t, os.WriteFile(file, drawn, 0o600))
	}
	assert.True(t, read(t, file) == string(drawn), "%s is not what the rooms import; go test -run Picture . -update draws it anew", file)
	for d := xml.NewDecoder(bytes.NewReader(drawn)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
	}
}

// house returns which rooms of the module each room imports, without the
// cellar, which all may, and without the rooms of nested modules.
func house(t *testing.T) map[string][]string {
	imports := map[string][]string{}
	for room, files := range packages(t) {
		if slices.Contains(cellar, room) || nested(room) {
			continue
		}
		found := map[string]bool{}
		for _, file := range files {
			for _, spec := range file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				if imported, ours := strings.CutPrefix(imported, module); ours && !slices.Contains(cellar, imported) {
					found[imported] = true
				}
			}
		}
		imports[room] = slices.Sorted(maps.Keys(found))
	}
	return imports
}

// nested reports whether a folder lies in a module of its own.
func nested(room string) bool {
	top, _, _ := strings.Cut(room, "/")
	_, err := os.Stat(filepath.Join(top, "go.mod"))
	return err == nil
}

// direct leaves out arrows that others imply: where a room imports one that
// imports a third, the third is not drawn.
func direct(imports map[string][]string) map[string][]string {
	left := map[string][]string{}
	for room, all := range imports {
		for _, to := range all {
			implied := slices.ContainsFunc(all, func(via string) bool { return via != to && reaches(imports, via, to) })
			if !implied {
				left[room] = append(left[room], to)
			}
		}
	}
	return left
}

// floors puts each room one above the highest that it imports.
func floors(imports map[string][]string) (levels [][]string) {
	level := map[string]int{}
	var height func(room string) int
	height = func(room string) int {
		if h, known := level[room]; known {
			return h
		}
		h := 0
		for _, to := range imports[room] {
			h = max(h, 1+height(to))
		}
		level[room] = h
		return h
	}
	for _, room := range slices.Sorted(maps.Keys(imports)) {
		h := height(room)
		for len(levels) <= h {
			levels = append(levels, nil)
		}
		levels[h] = append(levels[h], room)
	}
	return levels
}

const (
	roomWide, roomHigh = 146, 30
	laneWide           = 22 // of an arrow that passes a floor
	floorHigh, margin  = 84, 24
)

// spot is a room, or where an arrow passes a floor on its way down.
type spot struct {
	room      string // "" is an arrow's
	up, down  []*spot
	x, middle float64
}

// laid puts rooms on their floors, and a spot for each floor that an arrow
// passes, so that no arrow is drawn behind a room. A few turns move each spot
// near those that it is tied to.
func laid(imports map[string][]string) (rows [][]*spot, width float64) {
	levels, arrows := floors(imports), direct(imports)
	rows = make([][]*spot, len(levels))
	spots, level := map[string]*spot{}, map[string]int{}
	for i, floor := range levels {
		for _, room := range floor {
			spots[room], level[room] = &spot{room: room}, i
			rows[i] = append(rows[i], spots[room])
		}
	}
	for _, room := range slices.Sorted(maps.Keys(arrows)) {
		for _, to := range arrows[room] {
			from := spots[room]
			for i := level[room] - 1; i > level[to]; i-- {
				passed := &spot{}
				rows[i] = append(rows[i], passed)
				from.down, passed.up = append(from.down, passed), append(passed.up, from)
				from = passed
			}
			from.down, spots[to].up = append(from.down, spots[to]), append(spots[to].up, from)
		}
	}
	wide := func(s *spot) float64 {
		if s.room == "" {
			return laneWide
		}
		return roomWide + 14
	}
	for _, row := range rows {
		sum := 0.0
		for _, s := range row {
			sum += wide(s)
		}
		width = max(width, sum)
	}
	place := func(row []*spot) {
		sum := 0.0
		for _, s := range row {
			sum += wide(s)
		}
		apart := (width - sum) / float64(len(row))
		x := apart / 2
		for _, s := range row {
			s.x = x + wide(s)/2
			x += wide(s) + apart
		}
	}
	for _, row := range rows {
		place(row)
	}
	for turn := range 24 {
		for k := range rows {
			i := k
			if turn%2 == 0 {
				i = len(rows) - 1 - k
			}
			for _, s := range rows[i] {
				near := s.down
				if turn%2 == 0 {
					near = s.up
				}
				s.middle = s.x
				if len(near) > 0 {
					s.middle = 0
					for _, n := range near {
						s.middle += n.x / float64(len(near))
					}
				}
			}
			slices.SortStableFunc(rows[i], func(a, b *spot) int { return cmp.Compare(a.middle, b.middle) })
			place(rows[i])
		}
	}
	return rows, width
}

// picture draws the floors, the ground at the bottom, as an SVG.
func picture(imports map[string][]string) []byte {
	rows, inner := laid(imports)
	width, height := int(inner)+2*margin, 2*margin+(len(rows)-1)*floorHigh+2*roomHigh+margin
	top := func(level int) float64 { return float64(margin + (len(rows)-1-level)*floorHigh) }

	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="Liberation Sans, Arial, Helvetica, sans-serif" font-size="12.5">`+"\n", width, height)
	fmt.Fprintf(&b, "<title>Which room imports which</title>\n<desc>%s</desc>\n", described(floors(imports)))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#FFFFFF"/>`+"\n", width, height)
	for i, row := range rows {
		for _, s := range row {
			x, y := margin+s.x, top(i)+roomHigh
			if s.room == "" { // straight down beside the rooms
				fmt.Fprintf(&b, `<path d="M%.1f %.1fV%.1f" fill="none" stroke="#8795A5" stroke-width="1.2"/>`+"\n", x, top(i), y)
			}
			for _, to := range s.down {
				tx, ty := margin+to.x, top(i-1)
				bend := (ty - y) * 0.55
				fmt.Fprintf(&b, `<path d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f" fill="none" stroke="#8795A5" stroke-width="1.2"/>`+"\n", x, y, x, y+bend, tx, ty-bend, tx, ty)
				if to.room != "" {
					fmt.Fprintf(&b, `<path d="M%.1f %.1fl-3.5 -7h7z" fill="#8795A5"/>`+"\n", tx, ty)
				}
			}
		}
	}
	for i, row := range rows {
		for _, s := range row {
			if s.room == "" {
				continue
			}
			fill, ink := "#E6F0F7", "#0B3B5C"
			switch {
			case i == 0:
				fill, ink = "#E3F2EC", "#0B4A37"
			case strings.HasPrefix(s.room, "cmd/"):
				fill, ink = "#FBE9DF", "#7A3300"
			}
			fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%d" height="%d" rx="5" fill="%s" stroke="%s" stroke-width="0.8"/>`+"\n", margin+s.x-roomWide/2, top(i), roomWide, roomHigh, fill, ink)
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="%s">%s</text>`+"\n", margin+s.x, top(i)+roomHigh/2+4.5, ink, s.room)
		}
	}
	low := height - margin - roomHigh
	fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="5" fill="#F1F1F1" stroke="#555555" stroke-width="0.8" stroke-dasharray="4 3"/>`+"\n", margin, low, width-2*margin, roomHigh)
	fmt.Fprintf(&b, `<text x="%d" y="%.1f" text-anchor="middle" fill="#333333">every room may use: %s</text>`+"\n", width/2, float64(low)+roomHigh/2+4.5, strings.Join(cellar, " · "))
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// described says the picture in words, the top floor first.
func described(levels [][]string) string {
	var lines []string
	for i := len(levels) - 1; i >= 0; i-- {
		lines = append(lines, fmt.Sprintf("Floor %d: %s.", i, strings.Join(levels[i], ", ")))
	}
	return strings.Join(lines, " ")
}
