package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ratelab/experiments"
	"ratelab/experiments/sweep"
)

func newRun() *cobra.Command {
	var (
		o                experiments.Options
		all              bool
		set              []string
		failFast, dryRun bool
		cell, shard      string
		precision        precisionFlags
	)
	cmd := &cobra.Command{
		Use:   "run NAME... | --all",
		Short: "Simulate experiments: every cell of the grid, into CSV",
		Long: `run simulates the cells of experiments and leaves runs.csv, summary.csv and
claims.csv in results/NAME. A cell that is done is stored at once in
results/NAME/cells and is not run again by the same program, whatever became of
the run, so a run that was interrupted goes on where it was, and more values or
replications cost only the cells that are new. Ctrl-C lets the cells in flight
end, a second one does not.

--shard 0/4 runs a quarter of the cells, and makes no tables: run the others
elsewhere, copy all cells into one folder, and type ratelab merge NAME.

--set replaces the values of a factor: --set servers=1,2,4 or 1..8 or
1..64 *2 or 0.5..1.5 step 0.1; values that hold commas are separated by " ; ". Values of
several factors that & joins go together, one by one:
--set 'servers=1,2 & burst=40,20'. A value may hold formulas in braces, computed
at each point from other factors: --set 'burst={2*servers}', or
--set 'limiter=gcra:rate={rate}/s,burst=9'. Formulas have numbers, durations,
+ - * / ( ) floor ceil min max, and are exact; a minus has blanks around it.

--where keeps the points that meet a condition: --where 'servers*burst <= 100',
--where "limiter != 'gcra' || servers = 1", with < <= > >= = != && || ! ( ). A
factor that does not apply is equal to ''.

--precision 0.02 runs each point until the mean of every metric, or of those
that --precision-metric names, is known to 2 % with a confidence of 95 %: from 10
replications on, up to --max-reps. A mean near 0 never is: name the metrics that
matter. What was not reached is said, as is whatever else is doubtful about the
means; results/NAME/warnings.csv lists it.`,
		Example: `  ratelab run boundary-burst --quick --out results-quick`,
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := choose(args, all)
			if err != nil {
				return err
			}
			if err := checkOut(o.Out); err != nil {
				return err
			}
			for _, pair := range [][2]string{{"keep-going", "fail-fast"}, {"shard", "cell"}, {"dry-run", "cell"}} {
				if cmd.Flags().Changed(pair[0]) && cmd.Flags().Changed(pair[1]) {
					return fmt.Errorf("--%s and --%s exclude each other", pair[0], pair[1])
				}
			}
			if cmd.Flags().Changed("reps") && o.Reps < 1 {
				return fmt.Errorf("--reps must be >= 1, got %d", o.Reps)
			}
			o.KeepGoing = o.KeepGoing || !failFast
			if err := checkWorkers(o.Workers); err != nil {
				return err
			}
			if err := parseSet(&o, set); err != nil {
				return err
			}
			if o.Precision, err = precision.read(cmd); err != nil {
				return err
			}
			if shard != "" {
				if o.Shard, err = sweep.ParseShard(shard); err != nil {
					return fmt.Errorf("--shard: %w", err)
				}
			}
			for _, e := range chosen {
				if _, err := e.Prepare(o); err != nil {
					return err
				}
			}
			if o.Program, err = thisProgram(); err != nil {
				return failure{err}
			}
			if cell != "" {
				return runCell(cmd, chosen, o, cell)
			}
			if dryRun {
				return printCells(cmd, chosen, o)
			}
			var stop func()
			o.AtOnce, stop = secondSignal()
			defer stop()
			defer collectLess()()
			again := o.Command(args...)
			if all {
				again = o.Command("--all")
			}
			for _, e := range chosen {
				if err := runOne(cmd, e, o, again); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "every experiment")
	f.StringArrayVar(&set, "set", nil, "`FACTOR=VALUES` in place of the experiment's own; may repeat")
	f.StringArrayVar(&o.Where, "where", nil, "keep only points that meet this `CONDITION`; may repeat")
	f.IntVar(&o.Reps, "reps", 0, "replications (default: the experiment's own number)")
	precision.add(cmd)
	f.Uint64Var(&o.Seed, "seed", 1, "base seed of every random stream")
	f.IntVar(&o.Workers, "workers", 0, "cells at the same time (0: one a processor)")
	f.StringVar(&o.Out, "out", "results", "`FOLDER` for results")
	f.BoolVar(&o.Quick, "quick", false, "fewer replications and a shorter horizon")
	f.BoolVar(&o.KeepGoing, "keep-going", false, "after a cell fails, run the others all the same")
	f.BoolVar(&failFast, "fail-fast", true, "after a cell fails, run no other")
	f.BoolVar(&dryRun, "dry-run", false, "run nothing, list the cells and whether they are cached")
	f.StringVar(&cell, "cell", "", "run only the cell with this `KEY`, as --dry-run lists them, and print its metrics")
	f.StringVar(&shard, "shard", "", "run only the cells of part `i/n`, i from 0, and make no tables")
	return cmd
}

// parseSet reads the values of --set into options.
func parseSet(o *experiments.Options, set []string) error {
	times := make(map[string]int)
	for _, text := range set {
		axes, err := sweep.ParseSetting(text)
		if err != nil {
			return fmt.Errorf("--set %w", err)
		}
		settings := make([]experiments.Setting, len(axes))
		for i, a := range axes {
			settings[i] = experiments.Setting{Factor: a.Factor, Values: a.Values}
			times[a.Factor]++
		}
		if len(settings) == 1 {
			o.Set = append(o.Set, settings[0])
		} else {
			o.Zipped = append(o.Zipped, settings)
		}
	}
	for _, zipped := range o.Zipped {
		for _, s := range zipped {
			if times[s.Factor] > 1 {
				return fmt.Errorf("--set: factor %q is set twice, once together with others", s.Factor)
			}
		}
	}
	return nil
}

// printCells lists the cells of experiments: cached or not, and why not.
func printCells(cmd *cobra.Command, chosen []experiments.Experiment, o experiments.Options) error {
	w := bufio.NewWriter(cmd.OutOrStdout())
	for _, e := range chosen {
		s, err := e.Survey(o)
		if err != nil {
			return failure{err}
		}
		sayNotes(cmd, e, s.Notes)
		run, cached, stale := 0, 0, 0
		for _, state := range s.States {
			key := state.Cell.Key()
			if !state.Cached {
				run++
			}
			switch {
			case state.Cached:
				cached++
				fmt.Fprintf(w, "cached\t%s\n", key)
			case state.Stale != "":
				stale++
				fmt.Fprintf(w, "stale\t%s\tanother program computed it (%s, this is %s)\n", key, sweep.Short(state.Stale), sweep.Short(o.Program.Hash))
			default:
				fmt.Fprintf(w, "run\t%s\n", key)
			}
		}
		among := ""
		if stale > 0 {
			among = fmt.Sprintf(" (%d of them stale)", stale)
		}
		least := ""
		if s.Open > 0 {
			least = "at least "
		}
		fmt.Fprintf(w, "%s: %s%d cells: %s%d to run%s, %d cached; %s\n", e.Name, least, len(s.States), least, run, among, cached, outlook(s, run, o))
	}
	return written(w.Flush())
}

// outlook says what a run would leave, and when.
func outlook(s experiments.Survey, cells int, o experiments.Options) string {
	if s.Fresh {
		return "the tables are up to date"
	}
	when := "the time is unknown until a cell has run"
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	switch left := s.Left / time.Duration(max(1, min(workers, cells))); {
	case cells == 0:
		when = "nothing to simulate"
	case s.Left > 0 && left < time.Second:
		when = "less than 1s"
	case s.Left > 0:
		when = "about " + left.Round(time.Second).String()
	}
	if s.Why != nil && o.Shard.Whole() {
		when += "; " + s.Why.Error()
	}
	return when
}

// runCell runs one cell, prints what it measured, and writes nothing.
func runCell(cmd *cobra.Command, chosen []experiments.Experiment, o experiments.Options, key string) error {
	if len(chosen) != 1 {
		return fmt.Errorf("--cell takes one experiment, got %d", len(chosen))
	}
	plan, err := chosen[0].Prepare(o)
	if err != nil {
		return err
	}
	cell, err := plan.Find(key)
	if err != nil {
		return fmt.Errorf("--cell: %w", err)
	}
	row, err := plan.RunCell(cmd.Context(), cell)
	if err != nil && cmd.Context().Err() != nil {
		return cmd.Context().Err()
	}
	if err != nil {
		var failed *sweep.CellError
		if errors.As(err, &failed) {
			fmt.Fprint(cmd.ErrOrStderr(), failed.Stack)
		}
		return failure{err}
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, m := range plan.Metrics {
		if v := row.Get(m.Name); !math.IsNaN(v) {
			fmt.Fprintf(w, "%s\t%s\t%v\n", m.Name, m.Unit, v)
		}
	}
	return written(w.Flush())
}

// checkOut refuses a folder without a name: it would be the current one.
func checkOut(out string) error {
	if out == "" {
		return errors.New("--out must name a folder, got ''")
	}
	return nil
}

// checkWorkers refuses a number of workers that means nothing.
func checkWorkers(workers int) error {
	if workers < 0 {
		return fmt.Errorf("--workers must be >= 0, got %d", workers)
	}
	return nil
}

// runOne runs an experiment; again is the command line that goes on with the
// whole run.
func runOne(cmd *cobra.Command, e experiments.Experiment, o experiments.Options, again string) error {
	bar := newProgress(cmd.ErrOrStderr(), e.Name, "cells")
	o.Progress = bar.update
	stop := onInterrupt(cmd.Context(), func() {
		done, total := bar.done()
		bar.say("%s: stopping when the cells in flight have ended; %d of %d are done and kept; Ctrl-C again stops at once", e.Name, done, total)
	})
	outcome, err := experiments.Run(cmd.Context(), e, o)
	stop()
	bar.finish()
	sayNotes(cmd, e, outcome.Notes)
	sayWarnings(cmd, e, outcome)
	sayFailures(cmd, e, o, outcome.Failures)
	var full *sweep.StoreError
	switch {
	case errors.As(err, &full):
		return failure{fmt.Errorf("%w; then go on with: %s", err, again)}
	case len(outcome.Failures) > 0:
		return failure{fmt.Errorf("%s: %d of %d cells failed, %d did not run; %s; those that are not done run again with: %s", e.Name, len(outcome.Failures),
			outcome.Cells, outcome.Cells-outcome.Done-len(outcome.Failures), kept(outcome), again)}
	case errors.Is(err, context.Canceled):
		return failure{fmt.Errorf("interrupted after %d of %d cells of %s; %s; go on with: %s", outcome.Done, outcome.Cells, e.Name, kept(outcome), again)}
	case err != nil:
		return failure{err}
	}
	cells := fmt.Sprintf("%d cells", outcome.Cells)
	if outcome.Cached > 0 {
		cells += fmt.Sprintf(" (%d run, %d cached)", outcome.Done-outcome.Cached, outcome.Cached)
	}
	switch {
	case outcome.Fresh:
		fmt.Fprintf(cmd.OutOrStdout(), "%s: up to date in %s\n", e.Name, outcome.Dir)
	case !o.Shard.Whole():
		fmt.Fprintf(cmd.OutOrStdout(), "%s: shard %v: %s in %s; once all shards are there: %s\n", e.Name, o.Shard, cells, outcome.Store, o.MergeCommand(e.Name))
	default:
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s in %s; %s\n", e.Name, cells, outcome.Dir, experiments.Count(outcome.Checked))
		sayUncovered(cmd, e, outcome.Checked)
	}
	return nil
}

// kept says what an unfinished run leaves.
func kept(outcome experiments.Outcome) string {
	if outcome.Done == 0 {
		return "no cell is done"
	}
	return fmt.Sprintf("%d are kept in %s", outcome.Done, outcome.Store)
}

func sayNotes(cmd *cobra.Command, e experiments.Experiment, notes []string) {
	for _, note := range notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", e.Name, oneLine(note))
	}
}

// sayFailures lists cells that failed, each with the command that runs it
// alone.
func sayFailures(cmd *cobra.Command, e experiments.Experiment, o experiments.Options, failures []*sweep.CellError) {
	const most = 10
	for _, f := range failures[:min(most, len(failures))] {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s; alone: %s\n", e.Name, oneLine(f.Error()), o.CellCommand(e.Name, f.Cell.Key()))
	}
	if rest := len(failures) - most; rest > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: and %d more cells failed\n", e.Name, rest)
	}
}

// secondSignal returns a channel that is closed at the second signal to end.
// The first ends the context of the command.
func secondSignal() (second <-chan struct{}, stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	closed, over := make(chan struct{}), make(chan struct{})
	go func() {
		for range 2 {
			select {
			case <-signals:
			case <-over:
				return
			}
		}
		signal.Stop(signals) // a third ends the program
		close(closed)
	}()
	return closed, func() {
		signal.Stop(signals)
		close(over)
	}
}

// choose finds the experiments that a command line names.
func choose(names []string, all bool) ([]experiments.Experiment, error) {
	if all {
		if len(names) > 0 {
			return nil, fmt.Errorf("give either names or --all, got both (%s)", names[0])
		}
		return experiments.All(), nil
	}
	if len(names) == 0 {
		return nil, errors.New("name an experiment, or give --all; see ratelab list experiments")
	}
	var chosen []experiments.Experiment
	for _, name := range names {
		e, err := experiments.Lookup(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, e)
	}
	return chosen, nil
}
