package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"ratelab/internal/atomicfile"
	"ratelab/internal/spec"
)

//go:embed templates/*.tmpl
var templates embed.FS

// scaffold is a kind of part that can be begun from a template.
type scaffold struct {
	kind, folder string
	then         string // what is left to do; %[1]s: name, %[2]s: title, %[3]s: file
}

var scaffolds = []scaffold{
	{"workload", "workloads", `Next: say what it is in Doc, change Next and Law, then
  ratelab try workloads/%[3]s
  go test ./workloads
Nothing else is edited: it is listed, shown, simulated and swept from now on.`},
	{"limiter", "limiters", `Next: say the rule in Doc and change decide, then
  go test ./limiters -run '%[2]s|Conformance/%[1]s'
The conformance suite runs over it. The other tests of ./limiters name the limiters they know:
add its name to the list in spec_test.go, and cases with right answers.`},
	{"client", "clients", `Next: say what it does in Doc and change wait, then
  go test ./clients
Nothing else is edited: it is listed and shown from now on, and the conformance suite runs over it.`},
	{"experiment", "experiments", `Next: ask the question, choose factors, metrics and claims, then
  go test ./experiments -run %[2]s
  go run ./cmd/ratelab run %[1]s --quick --out results-quick
  go run ./cmd/ratelab plot %[1]s --out results-quick
and tell of it in the README's tour, which a test asks for.`},
}

func newNew() *cobra.Command {
	var kinds []string
	for _, s := range scaffolds {
		kinds = append(kinds, s.kind)
	}
	var (
		into  string
		print bool
	)
	cmd := &cobra.Command{
		Use:   "new " + strings.Join(kinds, "|") + " NAME",
		Short: "Begin a workload, limiter, client or experiment from a template",
		Long: `new writes a file and its test into a checkout of ratelab: a whole part, small and
true, that builds, is listed and passes its tests. It overwrites nothing.`,
		Example: `  ratelab new workload evening-rush --print`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 || !slices.Contains(kinds, args[0]) {
				got := strings.Join(args, " ")
				near := ""
				if len(args) > 0 {
					near = spec.DidYouMean(args[0], kinds)
				}
				return fmt.Errorf("new takes one of %s and a name, got %q%s", strings.Join(kinds, ", "), got, near)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s := scaffolds[slices.Index(kinds, args[0])]
			name := args[1]
			if err := checkNewName(name); err != nil {
				return err
			}
			for _, p := range parts() {
				if p.Kind == s.kind+"s" && p.Name == name {
					return fmt.Errorf("there is a %s %q already; see ratelab show %s/%s", s.kind, name, s.kind, name)
				}
			}
			files, err := s.render(name)
			if err != nil {
				return failure{err}
			}
			if print {
				for _, f := range files {
					if _, err := fmt.Fprintf(cmd.OutOrStdout(), "// %s\n\n%s\n", filepath.Join(s.folder, f.name), f.text); err != nil {
						return failure{err}
					}
				}
				return nil
			}
			return s.write(cmd, into, name, files)
		},
	}
	cmd.Flags().StringVar(&into, "dir", ".", "root of the checkout, the `FOLDER` with go.mod")
	cmd.Flags().BoolVar(&print, "print", false, "print the files instead of writing them")
	return cmd
}

// checkNewName keeps to names that specs, Go and its file names can hold.
func checkNewName(name string) error {
	if !regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`).MatchString(name) || len(name) > 40 {
		return fmt.Errorf("a name is lower-case words of letters and digits, joined by dashes, 40 bytes at most, got %q", name)
	}
	last := name[strings.LastIndexByte(name, '-')+1:]
	// Endings by which Go chooses files.
	if slices.Contains([]string{
		"test", "linux", "darwin", "windows", "freebsd", "netbsd", "openbsd", "solaris", "plan9", "android", "ios", "js", "unix", "aix", "wasip1",
		"illumos", "dragonfly", "386", "amd64", "arm", "arm64", "wasm", "ppc64", "ppc64le", "mips", "mips64", "mipsle", "mips64le", "riscv64", "s390x", "loong64",
	}, last) {
		return fmt.Errorf("a name can not end in %q, by which Go would leave the file out of a build, got %q", last, name)
	}
	return nil
}

// newFile is one that "new" writes, in the folder of its kind.
type newFile struct{ name, text string }

// render fills in the templates of a part and of its test.
func (s scaffold) render(name string) ([]newFile, error) {
	title := titleOf(name)
	// The kind at the end, so that the type clashes with no other name.
	data := struct{ Name, Type, Title string }{name, strings.ToLower(title[:1]) + title[1:] + strings.ToUpper(s.kind[:1]) + s.kind[1:], title}
	base := strings.ReplaceAll(name, "-", "_")
	var files []newFile
	for _, end := range []string{"", "_test"} {
		t, err := template.ParseFS(templates, "templates/"+s.kind+end+".tmpl")
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, data); err != nil {
			return nil, err
		}
		text, err := format.Source(b.Bytes())
		if err != nil {
			return nil, err
		}
		files = append(files, newFile{base + end + ".go", string(text)})
	}
	return files, nil
}

// titleOf writes evening-rush as EveningRush.
func titleOf(name string) (title string) {
	for w := range strings.SplitSeq(name, "-") {
		title += strings.ToUpper(w[:1]) + w[1:]
	}
	return title
}

// write puts the files into a checkout, none if one of them exists.
func (s scaffold) write(cmd *cobra.Command, root, name string, files []newFile) error {
	folder := filepath.Join(root, s.folder)
	if err := checkout(root); err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(folder, f.name)
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s exists; nothing was written", path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return failure{err}
		}
	}
	for _, f := range files {
		path := filepath.Join(folder, f.name)
		if err := atomicfile.WriteBytes(path, []byte(f.text)); err != nil {
			return failure{err}
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), path); err != nil {
			return failure{err}
		}
	}
	then := strings.NewReplacer("%[1]s", name, "%[2]s", titleOf(name), "%[3]s", files[0].name).Replace(s.then)
	_, err := fmt.Fprintln(cmd.OutOrStdout(), then)
	return written(err)
}

// checkout reports whether a folder is the root of ratelab's sources.
func checkout(root string) error {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || !strings.HasPrefix(string(mod), "module ratelab\n") {
		return fmt.Errorf("%s is no checkout of ratelab: it has no go.mod that begins with \"module ratelab\"; clone it, or name it with --dir", root)
	}
	return nil
}
