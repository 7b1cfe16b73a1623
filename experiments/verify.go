package experiments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ratelab/experiments/sweep"
)

// Difference is a file of results that is not what the program makes.
type Difference struct {
	File string
	Why  string
}

// Verified is what a verification found.
type Verified struct {
	Compared []string     // names of the files
	Differ   []Difference // those that are not what the program makes
	Undrawn  bool         // the experiment has figures, and the folder has none
}

// Verify makes the results of an experiment anew in a folder of its own, from
// nothing, and compares them with those in o.Out/NAME byte for byte: the
// tables, warnings, claims, data package and figures, and the runs where they are kept.
// It changes nothing. The options are those of [MadeWith]. Figures are compared
// if any was drawn, and on amd64 only: the fonts of other machines round
// otherwise.
func Verify(ctx context.Context, e Experiment, o Options) (v Verified, err error) {
	published := filepath.Join(o.Out, e.Name)
	o.Out, err = os.MkdirTemp("", "ratelab-verify-")
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.Out)) }()
	if _, err := Run(ctx, e, o); err != nil {
		return v, err
	}
	d, err := Load(e, o.Out, o.Program.Hash)
	if err != nil {
		return v, err
	}
	files := []string{sweep.RunsFile, sweep.SummaryFile, sweep.WarningsFile, ClaimsFile, sweep.DataPackageFile}
	for _, own := range e.Tables {
		files = append(files, own.File())
	}
	if e.Findings != nil && !d.Partial {
		files = append(files, FindingsFile)
	}
	drawn, err := figures(published)
	if err != nil {
		return v, err
	}
	v.Undrawn = len(drawn) == 0 && len(e.Figures) > 0
	if len(drawn) > 0 && runtime.GOARCH == "amd64" {
		if _, _, err := d.Plot(); err != nil {
			return v, err
		}
		if drawn, err = figures(d.Dir, published); err != nil {
			return v, err
		}
		files = append(files, drawn...)
	}
	for _, file := range files {
		why, err := unlike(filepath.Join(published, file), filepath.Join(d.Dir, file))
		if errors.Is(err, fs.ErrNotExist) && file == sweep.RunsFile {
			continue
		}
		if err != nil {
			return v, err
		}
		v.Compared = append(v.Compared, file)
		if why != "" {
			v.Differ = append(v.Differ, Difference{filepath.Join(published, file), why})
		}
	}
	return v, nil
}

// exists reports whether there is something at a path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// figures returns the names of the SVG files that any of these folders has, in
// order.
func figures(dirs ...string) ([]string, error) {
	var names []string
	for _, dir := range dirs {
		found, err := filepath.Glob(filepath.Join(dir, "*.svg"))
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			names = append(names, filepath.Base(path))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// unlike says in what a published file differs from the one made now, "" if in
// nothing. Of the runs, which need not be kept, a missing file is an error.
func unlike(published, made string) (string, error) {
	want, err := os.ReadFile(made)
	if errors.Is(err, fs.ErrNotExist) {
		return "this program makes no such file", nil
	}
	if err != nil {
		return "", err
	}
	got, err := os.ReadFile(published)
	if errors.Is(err, fs.ErrNotExist) && filepath.Base(published) != sweep.RunsFile {
		return "is missing", nil
	}
	if err != nil || bytes.Equal(got, want) {
		return "", err
	}
	a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is %q, and this program makes %q", i+1, clip(a[i]), clip(b[i])), nil
		}
	}
	return fmt.Sprintf("has %d lines, and this program makes %d", len(a), len(b)), nil
}

// clip keeps a line short enough to read in a message.
func clip(line string) string {
	const most = 120
	if len(line) > most {
		return line[:most] + "…"
	}
	return line
}
