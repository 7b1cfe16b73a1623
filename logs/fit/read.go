package fit

import (
	"errors"
	"os"
	"slices"
	"time"

	"ratelab/logs"
)

// Input is a log that was read to be fitted.
type Input struct {
	Log     *logs.Log // its files, keys, user agents and bad lines
	Traffic *Traffic
	// Refused counts requests whose status says that a limit refused them: the log was written behind one.
	Refused int
	// Retries counts those that are retries by the rule of [logs.Retries], and Retried says which, by the number of Add.
	// RetriesByPath is false if a log has no paths, so that the requests of a key there count as those of one path.
	Retries       int
	Retried       []bool
	RetriesByPath bool
}

// ManyAgents is how many different user agents make it likely that many people share a key.
const ManyAgents = 10

// Read reads logs to be fitted. Retries come at most within after a refusal. Beside the requests memory goes with the
// keys and the paths; those of files only if limits refused requests in the log, and then files are read a second time.
func Read(paths []string, opts logs.Options, within time.Duration) (*Input, error) {
	in := &Input{Traffic: &Traffic{}}
	retries := &logs.Retries{Within: within}
	take := func(_ *logs.Log, r *logs.Record) error {
		if logs.StatusRefused(r.Status) {
			in.Refused++
		}
		if err := in.Traffic.Add(r.Key, r.At, r.Cost); err != nil {
			return &logs.InputError{Err: err}
		}
		return nil
	}
	retry := func(log *logs.Log, r *logs.Record) {
		retried := retries.Retry(r.Key, log.ID(r, 0), r.At, r.Status)
		if retried {
			in.Retries++
		}
		in.Retried = append(in.Retried, retried)
	}
	opts.Agents, opts.Optional = true, true
	var err error
	if slices.ContainsFunc(paths, once) {
		opts.Columns = pathColumn
		in.Log, err = logs.Scan(paths, opts, func(log *logs.Log, r *logs.Record) error {
			retry(log, r)
			return take(log, r)
		})
		if err == nil {
			in.RetriesByPath = havePaths(in.Log)
		}
		return in, err
	}
	if in.Log, err = logs.Scan(paths, opts, take); err != nil || in.Refused == 0 {
		return in, err
	}
	opts.Agents, opts.Columns = false, pathColumn
	again, err := logs.Scan(paths, opts, func(log *logs.Log, r *logs.Record) error {
		retry(log, r)
		return nil
	})
	switch {
	case err != nil:
	case len(in.Retried) != in.Traffic.Len():
		err = errors.New("the logs changed while they were read")
	default:
		in.RetriesByPath = havePaths(again)
	}
	return in, err
}

// once reports whether a log can be read once only: standard input, a pipe as the shell's <(…) makes it, a device.
func once(path string) bool {
	if path == "-" {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// pathColumn is the path of a request without its query.
var pathColumn = []string{"endpoint"}

// havePaths reports whether every file of a log that was read with the path column has it.
func havePaths(log *logs.Log) bool {
	return !slices.ContainsFunc(log.Files, func(f logs.File) bool { return slices.Contains(f.Lacks, pathColumn[0]) })
}
