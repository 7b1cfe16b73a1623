package advise

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ratelab/logs"
	"ratelab/logs/fit"
)

// Input is a log that was read.
type Input struct {
	Fit     *fit.Input    // the log, and what fit makes of it
	Keys    []string      // the texts of its keys
	Raw     []logs.Record // all requests
	New     []logs.Record // those that are no retries; equal to Raw if there are none
	Refused int           // those of Raw that a limit had refused
}

// Read reads logs whole. Retries come at most within after a refusal.
func Read(paths []string, opts logs.Options, within time.Duration) (*Input, error) {
	opts.Columns, opts.Agents, opts.Optional = []string{"endpoint"}, true, true
	log, err := logs.Read(paths, opts)
	if err != nil {
		return nil, err
	}
	if len(log.Records) == 0 {
		return nil, &logs.InputError{Err: errors.New("the log holds no request")}
	}
	in := &Input{Fit: &fit.Input{Log: log, Traffic: &fit.Traffic{}, RetriesByPath: true}, Keys: log.Keys.Texts(), Raw: log.Records}
	for _, f := range log.Files {
		if slices.Contains(f.Lacks, "endpoint") {
			in.Fit.RetriesByPath = false
		}
	}
	retries := logs.Retries{Within: within}
	for i := range log.Records {
		r := &log.Records[i]
		if err := in.Fit.Traffic.Add(r.Key, r.At, r.Cost); err != nil {
			return nil, &logs.InputError{Err: err}
		}
		if logs.StatusRefused(r.Status) {
			in.Refused++
		}
		retried := retries.Retry(r.Key, log.ID(r, 0), r.At, r.Status)
		if retried {
			in.Fit.Retries++
		} else {
			in.New = append(in.New, *r)
		}
		in.Fit.Retried = append(in.Fit.Retried, retried)
	}
	in.Fit.Refused = in.Refused
	if in.Fit.Retries == 0 {
		in.New = in.Raw
	}
	return in, nil
}

// Unfit says why rates can not be read from the log at all, or nothing.
func (in *Input) Unfit() string { return in.Fit.Traffic.Arrivals(nil).Unfit() }

func isAre(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// TooFew says that the log has too few requests to find limits in, or nothing: of fewer than [fit.LeastRequests], not one would be the
// hundredth that is tolerated.
func (in *Input) TooFew() string {
	if n := len(in.Raw); n < fit.LeastRequests {
		return fmt.Sprintf("%s %s too few to find a limit in: want %d or more, of which 1 %% is one request", plural(int64(n), "request"), isAre(int64(n)), fit.LeastRequests)
	}
	return ""
}
