package experiments

import (
	"path/filepath"

	"ratelab/experiments/sweep"
	"ratelab/plots/table"
)

// Derived is a table that an experiment makes from what it measured, beside
// those that all have: results/EXPERIMENT/NAME.csv.
type Derived struct {
	Name        string
	Description string
	Columns     []table.Column
	// Fill appends the rows. A partial grid may lack some.
	Fill func(d *Data, t *table.Table) error
}

// File returns the name of the table's file.
func (t Derived) File() string { return t.Name + ".csv" }

// tabulate makes the experiment's own tables and writes them.
func (d *Data) tabulate() error {
	for _, own := range d.Experiment.Tables {
		t, err := table.New(own.Columns...)
		if err != nil {
			return err
		}
		if err := own.Fill(d, t); err != nil {
			return err
		}
		if err := t.WriteFile(filepath.Join(d.Dir, own.File())); err != nil {
			return err
		}
		if err := sweep.AddOutputs(d.Dir, own.File()); err != nil {
			return err
		}
	}
	return nil
}
