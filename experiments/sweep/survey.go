package sweep

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// CellState says what a run would do with a cell.
type CellState struct {
	Cell   Cell
	Cached bool
	Stale  string // the program that computed it, if only another than this one did
}

// Survey says what a run of these cells would do, and how much wall time those that are not cached would take one after
// the other. That is the mean of their point where it is known, what another program took for the cell, or the mean of
// all cells; 0 if nothing is known.
func (s *Store) Survey(cells []Cell) (states []CellState, left time.Duration, err error) {
	others, err := s.otherPrograms()
	if err != nil {
		return nil, 0, err
	}
	var all mean
	points := make(map[string]*mean)
	states = make([]CellState, len(cells))
	took := make([]time.Duration, len(cells)) // by another program
	for i, c := range cells {
		point := pointKey(c.names, c.values)
		if points[point] == nil {
			points[point] = new(mean)
		}
		states[i].Cell = c
		known, ok, err := s.lookupRecord(c)
		if err != nil {
			return nil, 0, err
		}
		if ok {
			states[i].Cached = true
			all.add(known.took)
			points[point].add(known.took)
			continue
		}
		for _, other := range others {
			if d, ok := other.took[other.base.key(c)]; ok {
				states[i].Stale, took[i] = other.hash, d
				break
			}
		}
	}
	if all.n == 0 {
		for i, state := range states {
			if state.Stale != "" {
				all.add(took[i])
			}
		}
	}
	total := 0.0
	for i, state := range states {
		switch point := points[pointKey(state.Cell.names, state.Cell.values)]; {
		case state.Cached:
		case point.n > 0:
			total += point.value()
		case state.Stale != "":
			total += float64(took[i])
		default:
			total += all.value()
		}
	}
	return states, time.Duration(min(total, math.MaxInt64/2)), nil
}

// otherProgram is what another program stored of this experiment.
type otherProgram struct {
	hash string
	base cellKey
	took map[cellKey]time.Duration
}

// otherPrograms reads what other programs stored, the latest first.
func (s *Store) otherPrograms() ([]otherProgram, error) {
	segments := slices.Clone(s.others)
	age := make(map[string]time.Time)
	for _, o := range segments {
		if info, err := os.Stat(filepath.Join(s.dir, o.name)); err == nil {
			age[o.name] = info.ModTime()
		}
	}
	slices.SortStableFunc(segments, func(a, b otherSegment) int { return age[b.name].Compare(age[a.name]) })
	var programs []otherProgram
	for _, o := range segments {
		h, content, err := loadSegment(filepath.Join(s.dir, o.name), o.header.same)
		if errors.Is(err, fs.ErrNotExist) {
			continue // joined into another, or dropped
		}
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(programs, func(p otherProgram) bool { return p.hash == h.Program })
		if i < 0 {
			base, err := h.base()
			if err != nil {
				return nil, err
			}
			i = len(programs)
			programs = append(programs, otherProgram{h.Program, base, make(map[cellKey]time.Duration)})
		}
		records, _ := parseRecords(h, content)
		for _, r := range records {
			programs[i].took[r.key] = r.took
		}
	}
	return programs, nil
}

// mean is a mean of wall times, 0 if there are none.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(d time.Duration) {
	m.sum += float64(d)
	m.n++
}

func (m *mean) value() float64 { return m.sum / float64(max(m.n, 1)) }
