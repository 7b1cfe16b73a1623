package sweep

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"ratelab/internal/atomicfile"
)

// Origin is what decides, beside its point, replication and seed, what a cell gives.
type Origin struct {
	Program string // hash of the code that a cell runs
	Variant string // what else changes what cells give, such as a shorter horizon; "" if nothing does
}

// Store keeps the rows of cells in a folder, so that no cell is computed twice. A process appends the cells that it
// computes to a segment of its own, one write a cell, as soon as the cell ends: if the process is killed, the cells in
// flight are lost and nothing else. Once a second, and at the end, they are synced to disk. Any number of processes may
// use a folder at the same time.
//
// The key of a cell is a hash over program, experiment, variant, metrics, point, replication and seed: what another
// program computed is never served.
type Store struct {
	dir    string
	header segmentHeader
	base   cellKey

	segments []string // names of the files that have cells of this origin
	others   []otherSegment
	damage   []string

	mutex   sync.Mutex
	found   map[cellKey]stored
	create  func(path string) (segmentFile, error)
	file    segmentFile // that this process appends to; nil if it has none
	name    string      // of that file
	written int         // records in it
	dirty   bool        // some of them may not be on disk
	failed  error
	timer   *time.Timer

	syncing sync.Mutex // is held while the file is synced
}

// otherSegment is a segment of this experiment that another program wrote.
type otherSegment struct {
	name   string
	header segmentHeader
}

// stored is a cell of the store.
type stored struct {
	record
	segment string
	rival   string // a segment that has other values for the same key, which must not be
}

// StoreError says that a store can not be written.
type StoreError struct {
	Path string
	Err  error
}

func (e *StoreError) Error() string {
	advice := "it must be a folder that can be written"
	if errors.Is(e.Err, syscall.ENOSPC) || errors.Is(e.Err, syscall.EDQUOT) {
		advice = "make room there: what was stored is kept"
	}
	return fmt.Sprintf("cells can not be stored in %s: %v; %s", e.Path, e.Err, advice)
}

func (e *StoreError) Unwrap() error { return e.Err }

// OpenStore reads what the folder dir has for a plan. The folder need not exist: it is made when the first cell runs.
func OpenStore(dir string, plan *Plan, origin Origin) (*Store, error) {
	if origin.Program == "" {
		return nil, fmt.Errorf("store %s: the program is unknown, and unknown code is other code", dir)
	}
	s := &Store{
		dir:    dir,
		header: segmentHeader{Format: segmentFormat, Program: origin.Program, Experiment: plan.Name, Variant: origin.Variant},
		found:  make(map[cellKey]stored),
		create: createSegment,
	}
	for _, m := range plan.Metrics {
		s.header.Metrics = append(s.header.Metrics, m.Name)
	}
	var err error
	if s.base, err = s.header.base(); err != nil {
		return nil, err
	}
	return s, s.read()
}

// base is the part of a key that all cells under a header share.
func (h segmentHeader) base() (cellKey, error) {
	line, err := h.encode()
	return sha256.Sum256(line), err
}

// key identifies what a cell computes.
func (base cellKey) key(c Cell) cellKey {
	b := make([]byte, 0, 256)
	b = append(b, base[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(c.Rep))
	b = binary.LittleEndian.AppendUint64(b, c.Seed)
	return sha256.Sum256(append(b, pointKey(c.names, c.values)...))
}

// read reads the segments of the folder. A segment that has gone since the folder was listed was joined into another.
func (s *Store) read() error {
	for attempt := 1; ; attempt++ {
		clear(s.found)
		s.segments, s.others, s.damage = nil, nil, nil
		err := s.readOnce()
		if !errors.Is(err, fs.ErrNotExist) || attempt == 10 {
			return err
		}
	}
}

func (s *Store) readOnce() error {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return &StoreError{s.dir, pathless(err)}
	}
	if err != nil {
		return fmt.Errorf("cells can not be read: %w", err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), segmentSuffix) || strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular() {
			continue
		}
		if err := s.readSegment(e.Name()); err != nil {
			return fmt.Errorf("cells can not be read: %w", err)
		}
	}
	return nil
}

func (s *Store) readSegment(name string) error {
	h, content, err := loadSegment(filepath.Join(s.dir, name), s.header.same)
	switch {
	case errors.Is(err, errUnfinished):
		return nil
	case errors.Is(err, errNoSegment):
		s.damage = append(s.damage, fmt.Sprintf("%s is not used: %v", filepath.Join(s.dir, name), err))
		return nil
	case err != nil:
		return err
	case !h.same(s.header):
		if h.sameBut(s.header) {
			s.others = append(s.others, otherSegment{name, h})
		}
		return nil
	}
	records, damaged := parseRecords(h, content)
	if damaged > 0 {
		s.damage = append(s.damage, fmt.Sprintf("%s: %d of %d cells are damaged and not used", filepath.Join(s.dir, name), damaged, damaged+len(records)))
	}
	s.segments = append(s.segments, name)
	for _, r := range records {
		known, twice := s.found[r.key]
		switch {
		case !twice:
			s.found[r.key] = stored{record: r, segment: name}
		case known.rival == "" && !bytes.Equal(known.bits, r.bits):
			known.rival = name
			s.found[r.key] = known
		}
	}
	return nil
}

// loadSegment reads the header of a segment, and its records if wanted says so.
func loadSegment(path string, wanted func(segmentHeader) bool) (h segmentHeader, records []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return h, nil, err
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, maxHeader)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return h, nil, err
	}
	h, records, err = parseHeader(head[:n])
	if err != nil || !wanted(h) {
		return h, nil, err
	}
	rest, err := io.ReadAll(file)
	return h, append(records, rest...), err
}

// Damage says in a sentence each what of the folder can not be used. Such cells run again.
func (s *Store) Damage() []string { return s.damage }

// Cells returns how many cells of this origin the store has, of whatever grid.
func (s *Store) Cells() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.found)
}

// lookup returns the row of a cell, nil if the store does not have it.
func (s *Store) lookup(plan *Plan, c Cell) (*Row, error) {
	known, ok, err := s.lookupRecord(c)
	if err != nil || !ok {
		return nil, err
	}
	return &Row{metrics: plan.Metrics, values: known.values(), cached: true}, nil
}

func (s *Store) lookupRecord(c Cell) (stored, bool, error) {
	key := s.base.key(c)
	s.mutex.Lock()
	known, ok := s.found[key]
	s.mutex.Unlock()
	if known.rival != "" {
		return known, false, fmt.Errorf("cell %s has two results: %s and %s differ; a cell must give the same whenever and wherever it runs; delete the file that is wrong",
			c.Key(), filepath.Join(s.dir, known.segment), filepath.Join(s.dir, known.rival))
	}
	return known, ok, nil
}

// begin makes the segment that this process appends to. It fails early if the folder can not be written.
func (s *Store) begin() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.file != nil || s.failed != nil {
		return s.failed
	}
	if s.failed = s.makeFolder(); s.failed != nil {
		return s.failed
	}
	header, err := s.header.encode()
	if err != nil {
		return err
	}
	s.name = strings.ToLower(rand.Text()) + segmentSuffix // also unlike those of other machines, to be copied together
	s.file, err = s.create(filepath.Join(s.dir, s.name))
	if err != nil {
		s.failed = &StoreError{s.dir, pathless(err)}
		return s.failed
	}
	s.write(header)
	return s.failed
}

func (s *Store) makeFolder() error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return &StoreError{s.dir, pathless(err)}
	}
	return nil
}

// Leave writes a file beside the cells.
func (s *Store) Leave(name string, content []byte) error {
	if err := s.makeFolder(); err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(s.dir, name), content)
}

// createSegment makes a file that does not exist, and locks it, which says that a process appends to it.
func createSegment(path string) (segmentFile, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	tryLock(file)
	if folder, err := os.Open(filepath.Dir(path)); err == nil {
		_ = folder.Sync() // not every file system can
		_ = folder.Close()
	}
	return file, nil
}

// write appends to the segment with one write. After an error nothing more is written: half a record lies at the end.
func (s *Store) write(b []byte) {
	if s.failed != nil {
		return
	}
	n, err := s.file.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		s.failed = &StoreError{filepath.Join(s.dir, s.name), pathless(err)}
	}
}

// syncEvery is how long a cell may be in the hands of the operating system only.
const syncEvery = time.Second

// add stores the row of a cell, and how long it took.
func (s *Store) add(c Cell, row *Row, took time.Duration) error {
	if err := s.begin(); err != nil {
		return err
	}
	key := s.base.key(c)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	b := appendRecord(nil, key, took, row.values)
	s.write(b)
	if s.failed != nil {
		return s.failed
	}
	s.written++
	if _, twice := s.found[key]; !twice {
		s.found[key] = stored{record: record{key, took, b[40 : len(b)-4]}, segment: s.name}
	}
	if !s.dirty {
		s.dirty = true
		s.timer = time.AfterFunc(syncEvery, s.sync)
	}
	return nil
}

// sync brings to disk what was written.
func (s *Store) sync() {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.mutex.Lock()
	file, dirty := s.file, s.dirty
	s.dirty = false
	s.mutex.Unlock()
	if file == nil || !dirty {
		return
	}
	if err := file.Sync(); err != nil {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if s.failed == nil {
			s.failed = &StoreError{filepath.Join(s.dir, s.name), pathless(err)}
		}
	}
}

// Close brings everything to disk and ends the segment of this process. It may be called twice.
func (s *Store) Close() error {
	s.mutex.Lock()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mutex.Unlock()
	s.sync()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.file == nil {
		return s.failed
	}
	if err := s.file.Close(); err != nil && s.failed == nil {
		s.failed = &StoreError{filepath.Join(s.dir, s.name), pathless(err)}
	}
	s.file = nil
	if s.written == 0 {
		_ = os.Remove(filepath.Join(s.dir, s.name)) // an empty segment does no harm either
	} else {
		s.segments = append(s.segments, s.name)
	}
	s.written = 0
	return s.failed
}

// Lock waits until no other process writes the tables of this folder, and keeps others waiting until release. Where the
// operating system has no locks, or the folder can not be written, it does nothing.
func (s *Store) Lock() (release func()) {
	file, err := os.OpenFile(filepath.Join(s.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return func() {}
	}
	waitLock(file)
	return func() { _ = file.Close() }
}

// pathless drops the path from an error that is told with a path of its own.
func pathless(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
