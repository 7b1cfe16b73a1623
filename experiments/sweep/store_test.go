package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var origin = Origin{Program: "one"}

func open(t *testing.T, dir string, p *Plan, o Origin) *Store {
	t.Helper()
	s, err := OpenStore(dir, p, o)
	require.NoError(t, err)
	return s
}

// through runs a plan through the store in a folder, and returns what came out and how many cells ran.
func through(t *testing.T, dir string, p *Plan, options Options) (r *Result, ran int) {
	t.Helper()
	counted := *p
	var count atomic.Int64
	counted.Run = func(ctx context.Context, c Cell, out *Row) error {
		count.Add(1)
		return p.Run(ctx, c, out)
	}
	options.Store = open(t, dir, p, origin)
	r, err := Execute(t.Context(), &counted, options)
	require.NoError(t, err)
	require.NoError(t, options.Store.Close())
	return r, int(count.Load())
}

// tablesOf returns the bytes of runs.csv and summary.csv.
func tablesOf(t *testing.T, r *Result) string {
	t.Helper()
	runs, err := r.Runs()
	require.NoError(t, err)
	summary, err := r.Summary()
	require.NoError(t, err)
	return text(t, runs) + text(t, summary)
}

// undisturbed returns the tables of a plan without a store.
func undisturbed(t *testing.T, p *Plan) string {
	t.Helper()
	r, err := Execute(t.Context(), p, Options{})
	require.NoError(t, err)
	return tablesOf(t, r)
}

func segmentsIn(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	require.NoError(t, err)
	return paths
}

func TestStoredCellsGiveTheSameBytesAndAreNotRunAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "on", "demand")
	want := undisturbed(t, noisy())
	r, ran := through(t, dir, noisy(), Options{Workers: 3})
	assert.Equal(t, []int{32, 0}, []int{ran, r.Cached})
	assert.Equal(t, want, tablesOf(t, r))
	r, ran = through(t, dir, noisy(), Options{})
	assert.Equal(t, []int{0, 32}, []int{ran, r.Cached})
	assert.Equal(t, want, tablesOf(t, r))
	assert.Len(t, segmentsIn(t, dir), 1, "a run that has nothing to store leaves no file")
}

func TestExactBitsComeBack(t *testing.T) {
	p := small()
	values := []float64{math.Pi, math.SmallestNonzeroFloat64, -math.MaxFloat64, 0, 1e300, math.Nextafter(1, 2)}
	p.Run = func(_ context.Context, c Cell, out *Row) error {
		out.Set("share", values[(int(c.Int("servers"))+c.Rep)%len(values)])
		return nil
	}
	dir := t.TempDir()
	first, _ := through(t, dir, p, Options{})
	second, ran := through(t, dir, p, Options{})
	assert.Zero(t, ran)
	for i := range first.Rows {
		for k := range first.Rows[i].values {
			assert.Equal(t, math.IsNaN(first.Rows[i].values[k]), math.IsNaN(second.Rows[i].values[k]))
			if !math.IsNaN(first.Rows[i].values[k]) {
				assert.Equal(t, math.Float64bits(first.Rows[i].values[k]), math.Float64bits(second.Rows[i].values[k]))
			}
		}
	}
}

func TestACellIsServedOnlyForWhatItWasComputedFor(t *testing.T) {
	dir := t.TempDir()
	through(t, dir, small(), Options{})
	for name, c := range map[string]struct {
		plan   func(p *Plan)
		origin Origin
		cached int
	}{
		"the same":           {origin: origin, cached: 12},
		"another program":    {origin: Origin{Program: "two"}},
		"another variant":    {origin: Origin{Program: "one", Variant: "quick"}},
		"another experiment": {plan: func(p *Plan) { p.Name = "other" }, origin: origin},
		"another seed":       {plan: func(p *Plan) { p.Seed++ }, origin: origin},
		"another metric":     {plan: func(p *Plan) { p.Metrics = append(p.Metrics, Metric{Name: "x"}) }, origin: origin},
		"metrics turned":     {plan: func(p *Plan) { p.Metrics[0], p.Metrics[1] = p.Metrics[1], p.Metrics[0] }, origin: origin},
		"another factor":     {plan: func(p *Plan) { p.Factors = append(p.Factors, Factor{Name: "x", Default: "1"}) }, origin: origin},
		"fewer replications": {plan: func(p *Plan) { p.Reps = 1 }, origin: origin, cached: 4},
		"more replications":  {plan: func(p *Plan) { p.Reps = 5 }, origin: origin, cached: 12},
		"another value":      {plan: func(p *Plan) { p.Grids[0][1].Values = []string{"9", "11"} }, origin: origin, cached: 6},
	} {
		p := small()
		if c.plan != nil {
			c.plan(p)
		}
		s := open(t, dir, p, c.origin)
		cells, err := p.Cells()
		require.NoError(t, err)
		cached := 0
		for _, cell := range cells {
			row, err := s.lookup(p, cell)
			require.NoError(t, err)
			if row != nil {
				cached++
			}
		}
		assert.Equal(t, c.cached, cached, name)
	}
	_, err := OpenStore(dir, small(), Origin{})
	assert.ErrorContains(t, err, "the program is unknown")
}

func TestProgressCountsCachedCellsAtTheStart(t *testing.T) {
	dir := t.TempDir()
	p := noisy()
	p.Reps = 3
	through(t, dir, p, Options{})
	var said []Progress
	through(t, dir, noisy(), Options{Workers: 2, Progress: func(now Progress) { said = append(said, now) }})
	require.Len(t, said, 9)
	for i, now := range said {
		assert.Equal(t, Progress{Done: 24 + i, Cached: 24, Total: 32}, now)
	}
}

func TestWhatIsTornOrDamagedRunsAgain(t *testing.T) {
	want := undisturbed(t, small())
	h := segmentHeader{Metrics: make([]string, 3)}
	size := h.recordSize()
	for name, c := range map[string]struct {
		spoil  func(content []byte, header int) []byte
		ran    int
		damage string
	}{
		"a torn tail":            {func(b []byte, _ int) []byte { return b[:len(b)-1] }, 1, ""},
		"a record hardly begun":  {func(b []byte, _ int) []byte { return b[:len(b)-size+1] }, 1, ""},
		"only a header":          {func(b []byte, header int) []byte { return b[:header] }, 12, ""},
		"half a header":          {func(b []byte, header int) []byte { return b[:header/2] }, 12, ""},
		"nothing":                {func([]byte, int) []byte { return nil }, 12, ""},
		"a bit of a value":       {func(b []byte, header int) []byte { b[header+3*size+45] ^= 1; return b }, 1, ": 1 of 12 cells are damaged and not used"},
		"a bit of a key":         {func(b []byte, header int) []byte { b[header+3*size] ^= 128; return b }, 1, ": 1 of 12 cells are damaged and not used"},
		"zeros at the end":       {func(b []byte, _ int) []byte { return append(b, make([]byte, size)...) }, 0, ": 1 of 13 cells are damaged and not used"},
		"a bit of the header":    {func(b []byte, _ int) []byte { b[20] ^= 1; return b }, 12, " is not used: it is not a segment of cells that this program can read"},
		"something else":         {func([]byte, int) []byte { return []byte("a,b\n1,2\n") }, 12, " is not used: it is not a segment of cells that this program can read"},
		"a segment of no format": {func([]byte, int) []byte { return []byte(`{"format":"ratelab cells 9"} 98d9cbf3` + "\n") }, 12, " is not used: it is not a segment of cells that this program can read"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			through(t, dir, small(), Options{})
			path := segmentsIn(t, dir)[0]
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			header := bytes.IndexByte(content, '\n') + 1
			require.Equal(t, header+12*size, len(content))
			require.NoError(t, os.WriteFile(path, c.spoil(content, header), 0o644))
			var damage []string
			if c.damage != "" {
				damage = []string{path + c.damage}
			}
			assert.Equal(t, damage, open(t, dir, small(), origin).Damage())
			r, ran := through(t, dir, small(), Options{})
			assert.Equal(t, c.ran, ran)
			assert.Equal(t, want, tablesOf(t, r))
			_, ran = through(t, dir, small(), Options{})
			assert.Zero(t, ran)
		})
	}
}

func TestUnequalResultsOfACellAreRefused(t *testing.T) {
	dir := t.TempDir()
	through(t, dir, small(), Options{})
	p := small()
	p.Reps = 1
	p.Run = func(_ context.Context, c Cell, out *Row) error {
		out.Set("share", 7) // on another machine, which rounds otherwise
		return nil
	}
	elsewhere := t.TempDir()
	through(t, elsewhere, p, Options{})
	name := filepath.Base(segmentsIn(t, elsewhere)[0])
	require.NoError(t, os.Rename(filepath.Join(elsewhere, name), filepath.Join(dir, name)))

	s := open(t, dir, small(), origin)
	paths := segmentsIn(t, dir)
	want := fmt.Sprintf(`cell rule="b,x",servers=9,rep=0 has two results: %s and %s differ; `, paths[0], paths[1])
	_, err := Gather(small(), s)
	require.ErrorContains(t, err, want)
	_, err = Execute(t.Context(), small(), Options{Store: s})
	require.ErrorContains(t, err, want)
	_, _, err = s.Survey([]Cell{{Seed: 5, names: []string{"rule", "servers"}, values: []string{"b,x", "9"}}})
	require.ErrorContains(t, err, want)
	require.NoError(t, s.Compact())
	assert.Len(t, segmentsIn(t, dir), 2, "both are kept as evidence")
}

// faulty is a segment file that takes room bytes and then fails.
type faulty struct {
	segmentFile
	room int
	err  error
}

func (f *faulty) Write(b []byte) (int, error) {
	if f.room >= len(b) {
		f.room -= len(b)
		return f.segmentFile.Write(b)
	}
	n, _ := f.segmentFile.Write(b[:f.room])
	f.room = 0
	return n, &os.PathError{Op: "write", Path: "x", Err: f.err}
}

func TestAFullDiskEndsTheRunAndKeepsWhatWasStored(t *testing.T) {
	for _, keepGoing := range []bool{false, true} {
		dir := t.TempDir()
		s := open(t, dir, noisy(), origin)
		s.create = func(path string) (segmentFile, error) {
			file, err := createSegment(path)
			return &faulty{file, 1000, syscall.ENOSPC}, err
		}
		r, err := Execute(t.Context(), noisy(), Options{Workers: 2, Store: s, KeepGoing: keepGoing})
		var full *StoreError
		require.ErrorAs(t, err, &full)
		require.ErrorIs(t, err, syscall.ENOSPC)
		stored := r.Done()
		assert.Positive(t, stored)
		assert.EqualError(t, err, fmt.Sprintf(`"tiny": stopped with %d of 32 cells done: cells can not be stored in %s: no space left on device; make room there: what was stored is kept`,
			stored, segmentsIn(t, dir)[0]))
		assert.Error(t, s.Close())

		r, ran := through(t, dir, noisy(), Options{})
		assert.Equal(t, 32-stored, ran)
		assert.Equal(t, undisturbed(t, noisy()), tablesOf(t, r))
	}
}

func TestAFolderThatCanNotBeWrittenEndsTheRunBeforeItBegins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "taken")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	p := noisy()
	p.Run = func(context.Context, Cell, *Row) error { panic("must not run") }
	dir := filepath.Join(file, "cells")
	_, err := OpenStore(dir, p, origin)
	require.ErrorContains(t, err, dir)

	s := open(t, t.TempDir(), p, origin)
	s.dir = dir
	_, err = Execute(t.Context(), p, Options{Store: s})
	assert.EqualError(t, err, `"tiny": stopped with 0 of 32 cells done: cells can not be stored in `+dir+`: not a directory; it must be a folder that can be written`)
	var unwritable *StoreError
	require.ErrorAs(t, err, &unwritable)

	s = open(t, t.TempDir(), p, origin)
	s.create = func(string) (segmentFile, error) { return nil, &os.PathError{Op: "open", Err: os.ErrPermission} }
	_, err = Execute(t.Context(), p, Options{Store: s})
	assert.ErrorContains(t, err, "cells can not be stored in "+s.dir+": permission denied; it must be a folder that can be written")
}

// slow is a segment file that counts how often it is synced.
type slow struct {
	segmentFile
	synced *atomic.Int64
	err    error
}

func (f slow) Sync() error {
	f.synced.Add(1)
	return errors.Join(f.err, f.segmentFile.Sync())
}

func TestCellsAreSyncedInBatches(t *testing.T) {
	var synced atomic.Int64
	s := open(t, t.TempDir(), noisy(), origin)
	s.create = func(path string) (segmentFile, error) {
		file, err := createSegment(path)
		return slow{file, &synced, nil}, err
	}
	_, err := Execute(t.Context(), noisy(), Options{Store: s})
	require.NoError(t, err)
	s.sync()
	once := synced.Load()
	assert.Less(t, once, int64(32))
	assert.Positive(t, once)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	assert.Equal(t, once, synced.Load(), "there was nothing left to sync")

	s = open(t, t.TempDir(), noisy(), origin)
	s.create = func(path string) (segmentFile, error) {
		file, err := createSegment(path)
		return slow{file, &synced, errors.New("the cable is loose")}, err
	}
	_, err = Execute(t.Context(), noisy(), Options{Store: s})
	require.NoError(t, err)
	assert.ErrorContains(t, s.Close(), "the cable is loose")
}

func TestSegmentsAreJoinedWhenNobodyAppendsToThem(t *testing.T) {
	dir := t.TempDir()
	p := noisy()
	for reps := range 3 {
		p.Reps = reps + 1
		through(t, dir, p, Options{})
	}
	p.Reps = 4
	live := open(t, dir, p, origin) // another process that has not ended
	require.NoError(t, live.begin())
	require.Len(t, segmentsIn(t, dir), 4)

	s := open(t, dir, p, origin)
	require.NoError(t, s.Compact())
	assert.Len(t, segmentsIn(t, dir), 2)
	cells, err := p.Cells()
	require.NoError(t, err)
	require.NoError(t, live.add(cells[3], &Row{metrics: p.Metrics, values: []float64{1, 2}}, time.Second))
	require.NoError(t, live.Close())

	s = open(t, dir, p, origin)
	assert.Equal(t, 25, s.Cells())
	assert.Empty(t, s.Damage())
	require.NoError(t, s.Compact())
	assert.Len(t, segmentsIn(t, dir), 1)
	assert.Equal(t, 25, open(t, dir, p, origin).Cells())
}

func TestCellsOfTheLatestOtherProgramsAreKept(t *testing.T) {
	dir := t.TempDir()
	for i := range keepPrograms + 3 {
		s := open(t, dir, small(), Origin{Program: fmt.Sprint(i)})
		_, err := Execute(t.Context(), small(), Options{Store: s})
		require.NoError(t, err)
		require.NoError(t, s.Close())
		old := time.Now().Add(time.Duration(i-100) * time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(dir, s.name), old, old))
	}
	require.NoError(t, open(t, dir, small(), Origin{Program: "6"}).Compact())
	assert.Equal(t, 12, open(t, dir, small(), Origin{Program: "6"}).Cells())
	assert.Equal(t, 12, open(t, dir, small(), Origin{Program: "5"}).Cells())
	assert.Equal(t, 12, open(t, dir, small(), Origin{Program: "2"}).Cells())
	assert.Zero(t, open(t, dir, small(), Origin{Program: "1"}).Cells())
	assert.Zero(t, open(t, dir, small(), Origin{Program: "0"}).Cells())
}

func TestSurveySaysWhatWouldRunAndHowLong(t *testing.T) {
	dir := t.TempDir()
	p := small()
	p.Reps = 2
	cells, err := p.Cells()
	require.NoError(t, err)
	s := open(t, dir, p, origin)
	states, left, err := s.Survey(cells)
	require.NoError(t, err)
	assert.Equal(t, CellState{Cell: cells[0]}, states[0])
	assert.Zero(t, left, "nothing is known")
	assert.NoDirExists(t, filepath.Join(dir, "cells"))

	row := newRow(p.Metrics)
	other := open(t, dir, p, Origin{Program: "zero"})
	require.NoError(t, other.add(cells[6], row, 7*time.Second)) // another program, and no other replication here
	require.NoError(t, other.add(cells[0], row, 99*time.Second))
	require.NoError(t, other.Close())
	_, left, err = open(t, dir, p, origin).Survey(cells)
	require.NoError(t, err)
	assert.Equal(t, (99+7+6*53)*time.Second, left)

	require.NoError(t, s.add(cells[0], row, 3*time.Second))
	require.NoError(t, s.add(cells[2], row, 5*time.Second))
	require.NoError(t, s.Close())
	states, left, err = open(t, dir, p, origin).Survey(cells)
	require.NoError(t, err)
	var got []string
	for _, state := range states {
		got = append(got, fmt.Sprint(state.Cached, state.Stale))
	}
	assert.Equal(t, []string{"true", "false", "true", "false", "false", "false", "falsezero", "false"}, got)
	assert.Equal(t, (3+5+7+3*4)*time.Second, left, "by point, by what another program took, by the mean of all")
}

func TestShardsPartTheCellsEvenly(t *testing.T) {
	p := noisy()
	cells, err := p.Cells()
	require.NoError(t, err)
	for count := 1; count <= 5; count++ {
		seen := map[string]int{}
		for index := range count {
			shard := Shard{index, count}
			picked := shard.Pick(p, cells)
			assert.InDelta(t, len(cells)/count, len(picked), float64(p.Reps))
			points := map[string]int{}
			for _, c := range picked {
				seen[c.Key()]++
				points[pointKey(c.names, c.values)]++
			}
			for point, n := range points {
				assert.LessOrEqual(t, n, (p.Reps+count-1)/count, "replications of %s are spread", point)
			}
		}
		assert.Len(t, seen, len(cells))
		for key, n := range seen {
			assert.Equal(t, 1, n, key)
		}
	}
	for _, text := range []string{"", "1", "/", "a/4", "-1/4", "4/4", "0/0", "0/4/1", "0/ 4"} {
		_, err := ParseShard(text)
		assert.Error(t, err, text)
	}
	s, err := ParseShard("3/4")
	require.NoError(t, err)
	assert.Equal(t, Shard{3, 4}, s)
	assert.Equal(t, "3/4", s.String())
}

func TestAnyShardsAndAnyWorkersJoinToTheSameBytes(t *testing.T) {
	want := undisturbed(t, noisy())
	for count := 1; count <= 5; count++ {
		dir := t.TempDir()
		for index := range count {
			_, err := Gather(noisy(), open(t, dir, noisy(), origin))
			var missing *MissingError
			require.ErrorAs(t, err, &missing)
			assert.Equal(t, 32, missing.Total)
			for _, i := range missing.Index {
				assert.GreaterOrEqual(t, noisy().ShardOf(i, count).Index, index)
			}
			r, ran := through(t, dir, noisy(), Options{Workers: 1 + index, Shard: Shard{index, count}})
			assert.Equal(t, len(r.Cells), ran)
		}
		r, err := Gather(noisy(), open(t, dir, noisy(), origin))
		require.NoError(t, err)
		assert.Equal(t, want, tablesOf(t, r), "%d shards", count)
		assert.Equal(t, 32, r.Cached)
	}
}

func TestMissingCellsAreNamed(t *testing.T) {
	_, err := Gather(small(), open(t, t.TempDir(), small(), origin))
	assert.EqualError(t, err, `12 of 12 cells are missing: rule="b,x",servers=9,rep=0 rule="b,x",servers=9,rep=1 and 10 more`)
}

func TestAnInterruptedRunGoesOnWhereItWas(t *testing.T) {
	want := undisturbed(t, noisy())
	dir := t.TempDir()
	total := 0
	for stopAt := 1; ; stopAt++ {
		ctx, cancel := context.WithCancel(t.Context())
		p := noisy()
		var ran atomic.Int64
		run := p.Run
		p.Run = func(inner context.Context, c Cell, out *Row) error {
			if ran.Add(1) == int64(stopAt) {
				cancel()
			}
			return run(inner, c, out)
		}
		s := open(t, dir, p, origin)
		r, err := Execute(ctx, p, Options{Workers: 2, Store: s})
		require.NoError(t, s.Close())
		cancel()
		total += int(ran.Load())
		assert.Equal(t, total, r.Done(), "every cell that ran is kept, those in flight too")
		if err == nil {
			assert.Equal(t, want, tablesOf(t, r))
			break
		}
		require.ErrorIs(t, err, context.Canceled)
	}
	assert.Equal(t, 32, total, "no cell ran twice")
}

func TestTwoRunsOnOneStoreDoNoHarm(t *testing.T) {
	want := undisturbed(t, noisy())
	dir := t.TempDir()
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			s, err := OpenStore(dir, noisy(), origin)
			assert.NoError(t, err)
			r, err := Execute(t.Context(), noisy(), Options{Workers: 2, Store: s})
			assert.NoError(t, err)
			assert.NoError(t, s.Close())
			release := s.Lock()
			defer release()
			assert.NoError(t, r.Write(filepath.Dir(dir), Manifest{}))
			assert.NoError(t, s.Compact())
			assert.Equal(t, want, tablesOf(t, r))
		})
	}
	group.Wait()
	s := open(t, dir, noisy(), origin)
	assert.Empty(t, s.Damage())
	assert.Equal(t, 32, s.Cells())
	m, err := ReadManifest(filepath.Dir(dir))
	require.NoError(t, err)
	assert.Empty(t, m.Changed(filepath.Dir(dir)))
}

func TestRoundsGoThroughTheStore(t *testing.T) {
	p := small()
	cells, err := p.Cells()
	require.NoError(t, err)
	dir := t.TempDir()
	through(t, dir, p, Options{})
	p.Reps = 4
	more, err := p.Cells()
	require.NoError(t, err)
	var last Progress
	s := open(t, dir, p, origin)
	b := newBench(t.Context(), p, Options{Store: s, Progress: func(now Progress) { last = now }})
	defer b.close()
	rows, failures := b.run(cells[:3])
	assert.NotContains(t, rows, (*Row)(nil))
	assert.Equal(t, make([]*CellError, 3), failures)
	rows, _ = b.run(more[2:5])
	assert.NotContains(t, rows, (*Row)(nil))
	assert.Equal(t, Progress{Done: 6, Cached: 5, Total: 6}, last)
	assert.False(t, b.ended())
	assert.NoError(t, b.cause())
	require.NoError(t, s.Close())
}

func FuzzSegment(f *testing.F) {
	h := segmentHeader{Format: segmentFormat, Program: "p", Experiment: "e", Metrics: []string{"a", "b"}}
	header, err := h.encode()
	require.NoError(f, err)
	whole := appendRecord(header, cellKey{1}, time.Second, []float64{1, math.NaN()})
	whole = appendRecord(whole, cellKey{2}, 0, []float64{2, math.MaxFloat64})
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(header)
	f.Add([]byte("{} 0\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		h, rest, err := parseHeader(content)
		if err != nil {
			return
		}
		records, damaged := parseRecords(h, rest)
		if got := len(records) + damaged; got != len(rest)/h.recordSize() {
			t.Fatalf("%d records of %d bytes in %d", got, h.recordSize(), len(rest))
		}
		var again []byte
		for _, r := range records {
			if len(r.values()) != len(h.Metrics) {
				t.Fatal("a record has a value for each metric")
			}
			again = appendRecord(again, r.key, r.took, r.values())
		}
		back, damaged := parseRecords(h, again)
		if damaged != 0 || len(back) != len(records) {
			t.Fatal("what was written does not come back")
		}
	})
}
