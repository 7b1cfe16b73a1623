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

// Verify makes the results of an experiment anew in a folder of its own, from
// nothing, and compares them with those in o.Out/NAME byte for byte: the
// tables, warnings, claims, data package and figures, and the runs where they are kept.
// It returns the names of the files compared and those that differ, and
// changes nothing. Figures are compared on amd64 only: the fonts of other
// machines round otherwise.
func Verify(ctx context.Context, e Experiment, o Options) (compared []string, differ []Difference, err error) {
	published := filepath.Join(o.Out, e.Name)
	if _, err := os.Stat(filepath.Join(published, sweep.SummaryFile)); err != nil {
		return nil, nil, &StaleError{Experiment: e.Name, Why: fmt.Errorf("%s holds no results to verify", published), Do: o.Command(e.Name)}
	}
	o.Out, err = os.MkdirTemp("", "ratelab-verify-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.Out)) }()
	if _, err := Run(ctx, e, o); err != nil {
		return nil, nil, err
	}
	d, err := Load(e, o.Out, o.Program.Hash)
	if err != nil {
		return nil, nil, err
	}
	if _, _, err := d.Plot(); err != nil {
		return nil, nil, err
	}
	files := []string{sweep.RunsFile, sweep.SummaryFile, sweep.WarningsFile, ClaimsFile, sweep.DataPackageFile}
	if runtime.GOARCH == "amd64" {
		if files, err = withFigures(files, d.Dir, published); err != nil {
			return nil, nil, err
		}
	}
	for _, file := range files {
		why, err := unlike(filepath.Join(published, file), filepath.Join(d.Dir, file))
		if errors.Is(err, fs.ErrNotExist) && file == sweep.RunsFile {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		compared = append(compared, file)
		if why != "" {
			differ = append(differ, Difference{filepath.Join(published, file), why})
		}
	}
	return compared, differ, nil
}

// withFigures adds the SVG files that either folder has, in order.
func withFigures(files []string, dirs ...string) ([]string, error) {
	var figures []string
	for _, dir := range dirs {
		found, err := filepath.Glob(filepath.Join(dir, "*.svg"))
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			figures = append(figures, filepath.Base(path))
		}
	}
	slices.Sort(figures)
	return append(files, slices.Compact(figures)...), nil
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
