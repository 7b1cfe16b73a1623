package experiments

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ratelab/experiments/sweep"
	"ratelab/internal/atomicfile"
	"ratelab/plots/table"
)

// FindingsFile is the name of the findings in a folder of results: a sentence
// a line, the first of which answers the question.
const FindingsFile = "findings.txt"

// writeFindings says what was found, in sentences. Results of another grid may
// lack what the sentences are about, and have none.
func (d *Data) writeFindings() error {
	path := filepath.Join(d.Dir, FindingsFile)
	if d.Experiment.Findings == nil || d.Partial {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	found, err := d.Findings()
	if err != nil {
		return fmt.Errorf("findings of %s: %w", d.Experiment.Name, err)
	}
	for _, sentence := range found {
		if sentence == "" || strings.Contains(sentence, "\n") || strings.Contains(sentence, "NaN") {
			return fmt.Errorf("findings of %s: %q is no sentence", d.Experiment.Name, sentence)
		}
	}
	if err := atomicfile.WriteBytes(path, []byte(strings.Join(found, "\n")+"\n")); err != nil {
		return err
	}
	return sweep.AddOutputs(d.Dir, FindingsFile)
}

// Found returns the findings as they lie beside the summary, one at least.
func (d *Data) Found() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(d.Dir, FindingsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s; ratelab run %s makes it", d.Dir, FindingsFile, d.Experiment.Name)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), err
}

// Judged counts the verdicts as they lie beside the summary.
func (d *Data) Judged() (t Tally, err error) {
	columns, err := claimsTable(nil)
	if err != nil {
		return t, err
	}
	claims, err := table.ReadFile(filepath.Join(d.Dir, ClaimsFile), columns.Columns())
	if err != nil {
		return t, err
	}
	verdicts, err := claims.Text("verdict")
	if err != nil {
		return t, err
	}
	checked := make([]Checked, len(verdicts))
	for i, v := range verdicts {
		checked[i].Verdict = Verdict(v)
	}
	return Count(checked), nil
}
