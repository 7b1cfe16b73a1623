package workloads

import (
	"fmt"
	"math"
	"time"

	"ratelab/internal/spec"
)

const day = 24 * time.Hour

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "trace",
			Doc:  "the arrivals of a file",
			Params: []spec.Param{
				{Name: "file", Unit: "file", Doc: "a CSV or a web server's log"},
				{Name: "start", Unit: "day|zero|asis", Default: "day", Doc: "where the file's first arrival comes to lie"},
			},
			More: "start=day moves the file back by the whole days before its first arrival, so that windows that divide a day keep their edges;\n" +
				"start=zero puts its first arrival at 0; start=asis moves nothing. The keys are the file's own. The name can not hold a comma.",
		},
		SetsKeys: true,
		Build: func(v *spec.Values, env Env) (Workload, error) {
			file, start := v.Text("file"), v.Choice("start", "day", "zero", "asis")
			if file == "" {
				v.Fail("file", "must be the name of a file, got \"\"")
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			if env.Open == nil {
				return nil, fmt.Errorf("workload %q: file %s: files can not be read here", v.Entry.Name, file)
			}
			w, err := env.Open(file)
			if err != nil {
				return nil, fmt.Errorf("workload %q: %w", v.Entry.Name, err)
			}
			return newTrace(w, file, start)
		},
		Examples: []string{"trace:file=access.log", "trace:file=access.log,start=zero", "trace:file=arrivals.csv,start=asis"},
	})
}

// trace gives the arrivals of w, moved back by shift.
type trace struct {
	w     Workload
	next  Arrival // as the file has it
	more  bool    // next is an arrival
	shift time.Duration
}

func newTrace(w Workload, file, start string) (*trace, error) {
	t := &trace{w: w}
	t.next, t.more = w.Next()
	first := t.next.At
	switch {
	case start == "zero":
		t.shift = first
	case start == "asis" && first < 0:
		return nil, fmt.Errorf(`workload "trace": start must be day or zero for file %s, whose first arrival lies %s before 0, got asis`,
			file, spec.FormatDuration(first)[1:])
	case start == "day":
		if first < math.MinInt64+day {
			return nil, fmt.Errorf(`workload "trace": file %s: its first arrival lies too far before 0, at %s`, file, spec.FormatDuration(first))
		}
		// Rounded towards the past, so that the first arrival comes to lie in [0, 1d).
		t.shift = first / day * day
		if first < t.shift {
			t.shift -= day
		}
	}
	return t, nil
}

func (t *trace) Next() (Arrival, bool) {
	if !t.more {
		return Arrival{}, false
	}
	a := t.next
	if t.shift < 0 && a.At > math.MaxInt64+t.shift {
		t.more = false
		return Arrival{}, false
	}
	a.At -= t.shift
	t.next, t.more = t.w.Next()
	return a, true
}
