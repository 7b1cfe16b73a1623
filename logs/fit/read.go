package fit

import (
	"errors"
	"io"
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
	// RetriesByPath is false if the log has no paths, so that the requests of a key count as one.
	Retries       int
	Retried       []bool
	RetriesByPath bool
}

// ManyAgents is how many different user agents make it likely that many people share a key.
const ManyAgents = 10

// Read reads logs to be fitted. Retries come at most within after a refusal. Beside the requests memory goes with the
// keys and, if limits refused requests in the log, the paths; then files are read a second time.
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
	retry := func(log *logs.Log, r *logs.Record) error {
		path := uint32(0)
		if in.RetriesByPath = len(log.Columns) > 0; in.RetriesByPath {
			path = log.ID(r, 0)
		}
		retried := retries.Retry(r.Key, path, r.At, r.Status)
		if retried {
			in.Retries++
		}
		in.Retried = append(in.Retried, retried)
		return nil
	}
	agents, path, both := opts, opts, opts
	agents.Agents, both.Agents = true, true
	path.Columns, both.Columns = pathColumn, pathColumn
	var err error
	if slices.Contains(paths, "-") { // there is no second time
		in.Log, err = scan(paths, []logs.Options{both, path, agents, opts}, func(log *logs.Log, r *logs.Record) error {
			_ = retry(log, r)
			return take(log, r)
		})
		return in, err
	}
	if in.Log, err = scan(paths, []logs.Options{agents, opts}, take); err != nil || in.Refused == 0 {
		return in, err
	}
	if _, err = scan(paths, []logs.Options{path, opts}, retry); err == nil && len(in.Retried) != in.Traffic.Len() {
		err = errors.New("the logs changed while they were read")
	}
	return in, err
}

// pathColumn is the path of a request without its query.
var pathColumn = []string{"endpoint"}

// scan reads logs by the first of the options whose fields they have, which shows before the first request.
func scan(paths []string, options []logs.Options, each func(*logs.Log, *logs.Record) error) (*logs.Log, error) {
	stdin := &again{in: options[0].Stdin}
	for i, opts := range options {
		if opts.Stdin != nil {
			opts.Stdin = stdin
		}
		if i == len(options)-1 {
			stdin.forget()
		}
		begun := false
		log, err := logs.Scan(paths, opts, func(log *logs.Log, r *logs.Record) error {
			if !begun {
				begun = true
				stdin.forget()
			}
			return each(log, r)
		})
		var fault *logs.InputError
		if err == nil || begun || i == len(options)-1 || !errors.As(err, &fault) {
			return log, err
		}
		stdin.rewind()
	}
	return nil, errors.New("no options to read by")
}

// again is a reader that can begin again as long as it is not told to forget.
type again struct {
	in        io.Reader
	held      []byte
	at        int
	forgotten bool
}

func (a *again) Read(p []byte) (int, error) {
	if a.at < len(a.held) {
		n := copy(p, a.held[a.at:])
		a.at += n
		return n, nil
	}
	n, err := a.in.Read(p)
	if a.forgotten {
		a.held, a.at = nil, 0
	} else {
		a.held = append(a.held, p[:n]...)
		a.at = len(a.held)
	}
	return n, err
}

func (a *again) rewind() { a.at = 0 }

// forget lets go of what was read, once it has been read again.
func (a *again) forget() { a.forgotten = true }
