package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"

	"ratelab/experiments"
)

// program and revision are set at link time by the Makefile: a hash of the
// sources that a cell runs, and the commit, with "+" if the tree had changes.
var program, revision string

// thisProgram identifies the code that runs. Without a hash from the linker
// it is the executable's own.
func thisProgram() (experiments.Program, error) {
	p := experiments.Program{Hash: program}
	p.Revision, p.Dirty = strings.CutSuffix(revision, "+")
	if p.Hash != "" {
		return p, nil
	}
	path, err := os.Executable()
	if err != nil {
		return p, err
	}
	file, err := os.Open(path)
	if err != nil {
		return p, err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return p, err
	}
	p.Hash = hex.EncodeToString(hash.Sum(nil))
	return p, nil
}
