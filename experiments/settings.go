package experiments

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"ratelab/experiments/sweep"
)

// settings is what decides which cells there are and what they give, as
// manifests and shards record it.
type settings struct {
	Quick     bool            `json:"quick"`
	Reps      int             `json:"reps"` // 0: the experiment's own number
	Seed      uint64          `json:"seed"`
	Set       []Setting       `json:"set"`
	Zipped    [][]Setting     `json:"zipped,omitempty"`
	Where     []string        `json:"where,omitempty"`
	Precision sweep.Precision `json:"precision,omitzero"`
}

func settingsOf(o Options) settings {
	return settings{o.Quick, o.Reps, o.Seed, o.Set, o.Zipped, o.Where, o.Precision}
}

func (s settings) apply(o Options) Options {
	o.Quick, o.Reps, o.Seed, o.Set, o.Zipped, o.Where, o.Precision = s.Quick, s.Reps, s.Seed, s.Set, s.Zipped, s.Where, s.Precision
	return o
}

// settingsIn returns options with the settings that a manifest records. One
// that records none says at least quick, seed, precision and replications.
func (e Experiment) settingsIn(m sweep.Manifest, o Options) (Options, error) {
	s := settings{Quick: m.Quick, Seed: m.Seed}
	switch {
	case len(m.Settings) > 0:
		if err := json.Unmarshal(m.Settings, &s); err != nil {
			return o, fmt.Errorf("%s: settings: %w", filepath.Join(o.Out, e.Name, sweep.ManifestFile), err)
		}
	case m.Precision != nil:
		s.Precision = m.Precision.Precision
	case m.Reps != e.plan(trueLab(m.Quick)).Reps:
		s.Reps = m.Reps
	}
	return s.apply(o), nil
}

// made returns options with the settings that made the results in a folder,
// as far as they are known: those of the manifest or, where there is none, of
// the shards, or the experiment's own.
func (e Experiment) made(m sweep.Manifest, manifestErr error, o Options) Options {
	o.Seed = 1
	var known Options
	var err error
	if manifestErr == nil {
		known, err = e.settingsIn(m, o)
	} else {
		known, err = ShardSettings(e, o)
	}
	if err != nil {
		return o
	}
	return known
}

// MadeWith returns options with the settings that made the results in
// o.Out/NAME, for [Verify]: those of manifest.json or, where there is none, as
// in a clone, the options' own. The error is a StaleError if there are no
// results, or if this program can not make them from these settings.
func MadeWith(e Experiment, o Options) (Options, error) {
	dir := filepath.Join(o.Out, e.Name)
	stale := func(o Options, format string, args ...any) error {
		return &StaleError{Experiment: e.Name, Why: fmt.Errorf(format, args...), Do: o.Command(e.Name)}
	}
	m, err := sweep.ReadManifest(dir)
	if !exists(filepath.Join(dir, sweep.SummaryFile)) {
		hint := o
		if !o.Quick {
			hint = e.made(m, err, o)
		}
		return o, stale(hint, "%s holds no results to verify", dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err != nil {
		return o, stale(o, "the settings of the results are unknown: %w", err)
	}
	made, err := e.settingsIn(m, o)
	if err != nil {
		return o, stale(o, "the settings of the results are unknown: %w", err)
	}
	file := filepath.Join(dir, sweep.ManifestFile)
	switch {
	case o.Quick && !made.Quick:
		return o, fmt.Errorf("--quick: the results in %s are of a full run, says %s; leave the flag out", dir, sweep.ManifestFile)
	case m.CellsFailed > 0:
		return o, stale(made, "the results in %s are not whole: %d of %d cells failed", dir, m.CellsFailed, m.Cells)
	}
	plan, err := e.Prepare(made)
	if err != nil {
		return o, stale(o, "the settings in %s are not for this program: %w", file, err)
	}
	want, err := sweep.NewManifest(plan)
	if err != nil {
		return o, err
	}
	if want.Keys != m.Keys {
		return o, stale(made, "the results in %s can not be made anew: they are of %d points, and this program has others (%d) for the settings in %s",
			dir, m.Points, want.Points, sweep.ManifestFile)
	}
	return made, nil
}
