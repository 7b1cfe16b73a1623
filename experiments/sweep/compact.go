package sweep

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/internal/atomicfile"
)

// keepPrograms is how many other programs keep their cells of an experiment.
const keepPrograms = 4

// Compact joins the segments of this origin into one, and drops the cells of all other programs but the latest few. It
// leaves alone what another process appends to. Call it after Close, when the run is complete.
func (s *Store) Compact() error {
	if !locks {
		return nil
	}
	if err := s.join(); err != nil {
		return err
	}
	return s.drop()
}

func (s *Store) join() error {
	if len(s.segments) < 2 {
		return nil
	}
	var claimed []string
	var content []byte
	seen := make(map[cellKey][]byte)
	for _, name := range s.segments {
		release, ok := claim(filepath.Join(s.dir, name))
		if !ok {
			continue
		}
		defer release()
		h, records, err := loadSegment(filepath.Join(s.dir, name), s.header.same)
		if err != nil || !h.same(s.header) {
			continue
		}
		rows, _ := parseRecords(h, records)
		for _, r := range rows {
			bits, twice := seen[r.key]
			if twice && !bytes.Equal(bits, r.bits) {
				return nil // the two files are evidence
			}
			if !twice {
				seen[r.key] = r.bits
				content = appendRecord(content, r.key, r.took, r.values())
			}
		}
		claimed = append(claimed, name)
	}
	if len(claimed) < 2 {
		return nil
	}
	header, err := s.header.encode()
	if err != nil {
		return err
	}
	joined := strings.ToLower(rand.Text()) + segmentSuffix
	if err := atomicfile.WriteBytes(filepath.Join(s.dir, joined), append(header, content...)); err != nil {
		return err
	}
	s.segments = append(s.segments, joined)
	for _, name := range claimed {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		s.segments = slices.DeleteFunc(s.segments, func(n string) bool { return n == name })
	}
	return nil
}

// drop removes what programs stored that are no longer among the latest.
func (s *Store) drop() error {
	programs, err := s.otherPrograms()
	if err != nil {
		return err
	}
	for _, p := range programs[min(keepPrograms, len(programs)):] {
		for _, o := range s.others {
			path := filepath.Join(s.dir, o.name)
			if o.header.Program != p.hash {
				continue
			}
			if release, ok := claim(path); ok {
				err := os.Remove(path)
				release()
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
		}
	}
	return nil
}

// claim takes the lock of a segment that no process appends to.
func claim(path string) (release func(), ok bool) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	if !tryLock(file) {
		_ = file.Close()
		return nil, false
	}
	return func() { _ = file.Close() }, true
}
