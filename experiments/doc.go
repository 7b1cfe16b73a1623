// Package experiments holds the questions that the laboratory asks, one
// experiment a file, each with its factors, metrics, claims and figures.
//
// An [Experiment] registers itself. [Run] simulates every cell of its grid
// and writes runs.csv, summary.csv, warnings.csv, claims.csv, tables of the experiment's own and what documents them;
// [Check] and [Plot] read those files back, and never simulate.
//
// A [Claim] compares what was measured with what mathematics says, at three
// points of its domain at least, and at one outside it, where it must fail:
// a claim that can not fail says nothing.
package experiments
