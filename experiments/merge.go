package experiments

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ratelab/experiments/sweep"
)

// shardRecord is what a shard leaves beside its cells, so that a merge needs
// no settings: shard-i-of-n.json.
type shardRecord struct {
	Shard   sweep.Shard `json:"shard"`
	Program string      `json:"program"`
	settings
}

func recordShard(store *sweep.Store, o Options) error {
	text, err := json.MarshalIndent(shardRecord{o.Shard, o.Program.Hash, settingsOf(o)}, "", "  ")
	if err != nil {
		return err
	}
	return store.Leave(fmt.Sprintf("shard-%d-of-%d.json", o.Shard.Index, o.Shard.Count), append(text, '\n'))
}

// readShards returns what the shards of this program recorded, in the order
// of count and index.
func readShards(e Experiment, o Options) ([]shardRecord, error) {
	paths, err := filepath.Glob(filepath.Join(e.cells(o), "shard-*-of-*.json"))
	if err != nil {
		return nil, err
	}
	var records []shardRecord
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var r shardRecord
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if r.Program == o.Program.Hash {
			records = append(records, r)
		}
	}
	slices.SortFunc(records, func(a, b shardRecord) int {
		return slices.Compare([]int{a.Shard.Count, a.Shard.Index}, []int{b.Shard.Count, b.Shard.Index})
	})
	return records, nil
}

// ShardSettings returns options with the settings that the shards of an
// experiment ran with: quick, replications, seed and values. If no shard of
// this program left any, they are the options' own. Shards that ran with
// different settings are an error.
func ShardSettings(e Experiment, o Options) (Options, error) {
	records, err := readShards(e, o)
	if err != nil || len(records) == 0 {
		return o, err
	}
	flags := func(r shardRecord) string {
		if words := r.apply(o).flags(); len(words) > 0 {
			return shell(words)
		}
		return "no flag"
	}
	for _, r := range records[1:] {
		if one, other := flags(records[0]), flags(r); one != other {
			return o, fmt.Errorf("the shards of %s ran with different settings: %v with %s, %v with %s; say which to merge with the same flags",
				e.Name, records[0].Shard, one, r.Shard, other)
		}
	}
	return records[0].apply(o), nil
}

// Written is a table that a merge wrote.
type Written struct {
	Path   string
	Rows   int
	SHA256 string
}

// Merge makes the tables of an experiment from the cells in its store, and
// runs nothing. If cells are missing, the error is a StaleError that names
// them and the commands that run them.
func Merge(e Experiment, o Options) (Outcome, []Written, error) {
	out := Outcome{Dir: filepath.Join(o.Out, e.Name), Store: e.cells(o)}
	plan, err := e.Prepare(o)
	if err != nil {
		return out, nil, err
	}
	m, err := e.manifest(plan, o)
	if err != nil {
		return out, nil, err
	}
	store, err := e.open(plan, o)
	if err != nil {
		return out, nil, err
	}
	out.Notes = store.Damage()
	result, err := sweep.Gather(plan, store)
	var missing *sweep.MissingError
	if errors.As(err, &missing) {
		return out, nil, e.incomplete(plan, o, store, missing)
	}
	if err != nil {
		return out, nil, err
	}
	out.Cells, out.Done, out.Cached = m.Cells, m.Cells, m.Cells
	defer store.Lock()()
	if err := write(e, result, out.Dir, m); err != nil {
		return out, nil, err
	}
	d, err := checkWritten(e, o, &out)
	if err := tidy(store, &out, err); err != nil {
		return out, nil, err
	}
	there, err := sweep.ReadManifest(out.Dir)
	if err != nil {
		return out, nil, err
	}
	var written []Written
	for _, w := range []Written{{Path: sweep.RunsFile, Rows: d.Runs.Len()}, {Path: sweep.SummaryFile, Rows: d.Summary.Len()}} {
		for _, output := range there.Outputs {
			if output.Path == w.Path {
				w.SHA256 = output.SHA256
			}
		}
		w.Path = filepath.Join(out.Dir, w.Path)
		written = append(written, w)
	}
	return out, written, nil
}

// incomplete says which cells a store lacks, of which shards, and the
// commands that run them.
func (e Experiment) incomplete(plan *sweep.Plan, o Options, store *sweep.Store, missing *sweep.MissingError) error {
	why := fmt.Sprintf("%s: %v", e.cells(o), missing)
	states, _, err := store.Survey(missing.Cells)
	if err != nil {
		return err
	}
	stale, program := 0, ""
	for _, s := range states {
		if s.Stale != "" {
			stale++
			program = s.Stale
		}
	}
	if stale > 0 {
		why += fmt.Sprintf("; another program computed %d of them (%s, this is %s)", stale, sweep.Short(program), sweep.Short(o.Program.Hash))
	}
	if stale == 0 && len(missing.Cells) == missing.Total {
		why = fmt.Sprintf("%s holds no cells of %q with these settings", e.cells(o), e.Name)
	}
	records, err := readShards(e, o)
	if err != nil {
		return err
	}
	o.KeepGoing = false
	do := o.Command(e.Name)
	if count := shardCount(records); count > 0 {
		do = o.shardsCommand(e.Name, count, func(shard sweep.Shard) bool {
			return slices.ContainsFunc(missing.Index, func(i int) bool { return plan.ShardOf(i, count) == shard })
		})
	}
	return &StaleError{Experiment: e.Name, Why: errors.New(why), Do: do}
}

// shardsCommand returns the command line, a loop if need be, that runs those
// of count shards that are wanted.
func (o Options) shardsCommand(name string, count int, wanted func(sweep.Shard) bool) string {
	var indices []string
	for index := range count {
		if shard := (sweep.Shard{Index: index, Count: count}); wanted(shard) {
			o.Shard = shard
			indices = append(indices, strconv.Itoa(index))
		}
	}
	command := o.Command(name)
	if len(indices) == 1 {
		return command
	}
	command = strings.Replace(command, " --shard "+o.Shard.String(), fmt.Sprintf(" --shard $i/%d", count), 1)
	return fmt.Sprintf("for i in %s; do %s; done", strings.Join(indices, " "), command)
}

// shardCount returns into how many shards an experiment was split, 0 if into
// none, or in more than one way.
func shardCount(records []shardRecord) int {
	count := 0
	for _, r := range records {
		if count > 0 && r.Shard.Count != count {
			return 0
		}
		count = r.Shard.Count
	}
	return count
}
