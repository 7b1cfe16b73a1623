// Package ratelab_test checks the house as a whole: which rooms import which,
// that each tells its story, and that what the README says is so.
package ratelab_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments"
)

const module = "ratelab/"

// cellar may be imported by every room, and imports none.
var cellar = []string{"internal/spec", "internal/random", "internal/atomicfile"}

func TestRoomsImportOnlyWhatTheDesignAllows(t *testing.T) {
	allowed := arrows(t)
	rooms := packages(t)
	for _, named := range slices.Concat(slices.Collect(maps.Keys(allowed)), cellar) {
		assert.Contains(t, rooms, named, "the design names a room that is not there")
	}
	for room, files := range rooms {
		for file, parsed := range files {
			for _, spec := range parsed.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				imported, ours := strings.CutPrefix(imported, module)
				if !ours {
					continue
				}
				fine := reaches(allowed, room, imported) || slices.Contains(cellar, imported)
				assert.True(t, fine && !slices.Contains(cellar, room), "%s: %s must not import %s (see docs/design.md)", file, room, imported)
			}
		}
	}
}

func TestEveryRoomTellsItsStory(t *testing.T) {
	for room, files := range packages(t) {
		var stories []string
		for _, file := range files {
			if file.Doc != nil {
				stories = append(stories, file.Doc.Text())
			}
		}
		if assert.Len(t, stories, 1, "%s: one file has the package comment", room) {
			name := path.Base(room)
			if !strings.HasPrefix(room, "cmd/") {
				assert.True(t, strings.HasPrefix(stories[0], "Package "+name+" "), "%s: %q", room, stories[0])
			}
		}
		assert.NotRegexp(t, `(^|/)(util|utils|common|helpers?|managers?|misc)$`, room, "a package is named for what it is")
	}
}

// Every room but the door shows how it is used, and go test runs that.
func TestEveryRoomHasAnExample(t *testing.T) {
	for room := range packages(t) {
		if strings.HasPrefix(room, "cmd/") || slices.Contains(cellar, room) || nested(room) {
			continue
		}
		files, err := filepath.Glob(filepath.Join(room, "*_test.go"))
		require.NoError(t, err)
		shown := slices.ContainsFunc(files, func(file string) bool {
			return regexp.MustCompile(`(?m)^func Example\w*\(\)`).MatchString(read(t, file))
		})
		assert.True(t, shown, "%s has no runnable example", room)
	}
}

func TestTheDesignNamesEveryRoom(t *testing.T) {
	design := read(t, filepath.Join("docs", "design.md"))
	readme := read(t, "README.md")
	for room := range packages(t) {
		assert.Contains(t, design, "`"+room+"`")
		if top, _, _ := strings.Cut(room, "/"); top != "internal" {
			assert.Contains(t, readme, "`"+top, "the README shows where things are")
		}
	}
}

func TestEveryExperimentIsInTheTour(t *testing.T) {
	require.NotEmpty(t, experiments.All())
	readme := read(t, "README.md")
	for _, e := range experiments.All() {
		assert.Contains(t, readme, "**`"+e.Name+"`**")
		if _, err := exec.LookPath("make"); err == nil || os.Getenv("CI") != "" {
			out, err := exec.Command("make", "-n", e.Name).CombinedOutput()
			require.NoError(t, err)
			assert.Contains(t, string(out), "\nbin/ratelab run "+e.Name+" ")
			assert.Contains(t, string(out), "\nbin/ratelab plot "+e.Name+" ")
		}
	}
}

func TestNoFileNamesAMachine(t *testing.T) {
	machine := regexp.MustCompile(`(^|[^\w.~/-])/(work|root|home|Users|farm|tmp)/[\w.]|(?i)\bissue #?\d`)
	walk(t, func(file string) {
		if strings.Contains(file, "testdata") || filepath.Base(file) == "go.sum" {
			return
		}
		for i, line := range strings.Split(read(t, file), "\n") {
			if found := machine.FindString(line); found != "" {
				t.Errorf("%s:%d: %q has no meaning elsewhere", file, i+1, found)
			}
		}
	})
}

// arrows reads the lines of docs/design.md that say what a room may import.
func arrows(t *testing.T) map[string][]string {
	t.Helper()
	_, rest, found := strings.Cut(read(t, filepath.Join("docs", "design.md")), "## Arrows")
	require.True(t, found)
	allowed := map[string][]string{}
	for line := range strings.Lines(rest) {
		if from, to, isArrow := strings.Cut(strings.TrimSpace(line), " → "); isArrow {
			allowed[from] = strings.Split(to, ", ")
		} else if strings.HasPrefix(line, "## ") {
			break
		}
	}
	require.NotEmpty(t, allowed)
	return allowed
}

// reaches follows the arrows from a room to another.
func reaches(allowed map[string][]string, from, to string) bool {
	return slices.ContainsFunc(allowed[from], func(next string) bool { return next == to || reaches(allowed, next, to) })
}

// packages parses the files of every package but for their bodies, without
// tests: room, file, syntax.
func packages(t *testing.T) map[string]map[string]*ast.File {
	t.Helper()
	rooms := map[string]map[string]*ast.File{}
	walk(t, func(file string) {
		if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "testdata") {
			return
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.ParseComments)
		require.NoError(t, err)
		room := filepath.ToSlash(filepath.Dir(file))
		if rooms[room] == nil {
			rooms[room] = map[string]*ast.File{}
		}
		rooms[room][file] = parsed
	})
	require.Greater(t, len(rooms), 15)
	return rooms
}

// walk visits the files of the repository, without what is made from them.
func walk(t *testing.T, visit func(file string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "results", "results-quick"}, file):
			return filepath.SkipDir
		case !d.IsDir() && file != ".git": // which is a file in a linked worktree
			visit(file)
		}
		return nil
	}))
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
