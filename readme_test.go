package ratelab_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
)

// TestReadme does what the README says in a clone, and then what the
// walk-throughs of CONTRIBUTING.md say.
func TestReadme(t *testing.T) {
	for _, tool := range []string{"git", "make", "sh"} {
		if _, err := exec.LookPath(tool); err != nil {
			require.Empty(t, os.Getenv("CI"), "%s is missing", tool)
			t.Skipf("%s is missing: the README is not tried", tool)
		}
	}
	if _, err := os.Stat(".git"); err != nil {
		require.Empty(t, os.Getenv("CI"), "this is no checkout")
		t.Skip("this is no checkout of the repository: the README is not tried")
	}
	dir := clone(t)
	follow(t, dir, "README.md", "sh", "console", "go")
	follow(t, dir, "CONTRIBUTING.md", "sh", "go")
}

// follow does what a page says, from top to bottom: it types every line of its
// sh blocks, compares what its console blocks print, and saves its Go files
// under the names that the text gives. The page has blocks of the kinds, and
// of no others.
func follow(t *testing.T, dir, page string, kinds ...string) {
	t.Helper()
	text := read(t, page)
	seen := map[string]bool{}
	for _, at := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatchIndex(text, -1) {
		kind, block := text[at[2]:at[3]], text[at[4]:at[5]]
		seen[kind] = true
		switch kind {
		case "sh":
			for line := range strings.Lines(block) {
				run(t, dir, strings.TrimSpace(line))
			}
		case "console":
			line, want, _ := strings.Cut(block, "\n")
			line, ok := strings.CutPrefix(line, "$ ")
			require.True(t, ok, line)
			assert.Equal(t, want, run(t, dir, line), line)
		case "go":
			name := regexp.MustCompile("`([a-z_/]+\\.go)`").FindAllStringSubmatch(text[:at[0]], -1)
			require.NotEmpty(t, name)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name[len(name)-1][1]), []byte(block), 0o600))
		default:
			t.Errorf("%s has a block of kind %q, which nothing tries", page, kind)
		}
	}
	assert.ElementsMatch(t, kinds, slices.Collect(maps.Keys(seen)))
}

func TestLinksLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("docs", "*.md"))
	require.NoError(t, err)
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(read(t, page), -1) {
			if file, _, _ := strings.Cut(link[1], "#"); file != "" && !strings.Contains(file, "://") {
				_, err := os.Stat(filepath.Join(filepath.Dir(page), file))
				assert.NoError(t, err, "%s: %s", page, link[1])
			}
		}
	}
}

func TestReadmeShowsTheTableOfPeers(t *testing.T) {
	readme, table := read(t, "README.md"), read(t, filepath.Join("peers", "TABLE.md"))
	assert.Contains(t, readme, "\n\n"+table+"\n", "what make peers wrote")
	for _, name := range limiters.Dialects() {
		if d, _ := limiters.DialectOf(name); d.Proven {
			assert.Contains(t, table, "`"+name+"`", "it says that it was run beside its program")
		} else {
			assert.NotContains(t, table, "`"+name+"`")
			assert.Contains(t, readme, "`"+name+"`")
		}
	}
}

// The numbers of STORE.md are of one run, and those of the README too: another run
// of make peers must not be copied.
func TestReadmeShowsTheTableOfRealStores(t *testing.T) {
	number := regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)
	without := func(text string) string { return number.ReplaceAllString(text, "0") }
	table := read(t, filepath.Join("peers", "STORE.md"))
	require.Contains(t, table, "\n| `central` |")
	assert.Contains(t, without(read(t, "README.md")), "\n\n"+without(table)+"\n", "what make peers wrote, but for the numbers")
}

// run types one line of the README in the clone. Main jobs are only looked at:
// this is one of them.
func run(t *testing.T, dir, line string) string {
	t.Helper()
	if regexp.MustCompile(`^make (figures|test|check|lint|bench|peers)\b`).MatchString(line) {
		line = "make -n " + strings.TrimPrefix(line, "make ")
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "QUICK=1", "MAKEFLAGS=", "PATH="+filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var errOut strings.Builder
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s%s", line, out, errOut.String())
	assert.NotEmpty(t, out, line)
	return string(out)
}

// clone makes a clone of the repository, with the changes that are not yet
// committed.
func clone(t *testing.T) string {
	t.Helper()
	here, err := os.Getwd()
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "ratelab")
	config := filepath.Join(t.TempDir(), "gitconfig") // a checkout may belong to another user
	require.NoError(t, os.WriteFile(config, []byte("[safe]\n\tdirectory = *\n"), 0o600))
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+config)
		var errOut strings.Builder
		cmd.Stderr = &errOut
		out, err := cmd.Output()
		require.NoError(t, err, "git %s: %s", args, errOut.String())
		return string(out)
	}
	git("clone", "-q", here, dir)
	changed := git("diff", "-z", "--name-only", "HEAD") + git("ls-files", "-z", "--others", "--exclude-standard")
	for file := range strings.SplitSeq(changed, "\x00") {
		if file == "" {
			continue
		}
		target := filepath.Join(dir, file)
		text, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			require.NoError(t, os.Remove(target))
			continue
		}
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(target), 0o755))
		require.NoError(t, os.WriteFile(target, text, 0o600))
	}
	return dir
}
