package sweep

import (
	"fmt"
	"time"
)

// MissingError says which cells of a plan a store does not have.
type MissingError struct {
	Cells []Cell
	Index []int // of each in Plan.Cells
	Total int   // cells of the plan
}

func (e *MissingError) Error() string {
	const most = 2
	text := fmt.Sprintf("%d of %d cells are missing:", len(e.Cells), e.Total)
	for _, c := range e.Cells[:min(most, len(e.Cells))] {
		text += " " + c.Key()
	}
	if len(e.Cells) > most {
		text += fmt.Sprintf(" and %d more", len(e.Cells)-most)
	}
	return text
}

// Gather returns the result of a plan from what a store has, and runs nothing. If cells are missing, the error is a
// *MissingError. Two unequal rows of one cell are an error that names both files.
func Gather(plan *Plan, store *Store) (*Result, error) {
	cells, err := plan.Cells()
	if err != nil {
		return nil, err
	}
	r := &Result{Plan: plan, Cells: cells, Rows: make([]*Row, len(cells)), Start: time.Now()}
	missing := &MissingError{Total: len(cells)}
	for i, c := range cells {
		if r.Rows[i], err = store.lookup(plan, c); err != nil {
			return nil, err
		}
		if r.Rows[i] == nil {
			missing.Cells, missing.Index = append(missing.Cells, c), append(missing.Index, i)
		}
	}
	if len(missing.Cells) > 0 {
		return nil, missing
	}
	r.Cached, r.End = len(cells), time.Now()
	return r, nil
}
