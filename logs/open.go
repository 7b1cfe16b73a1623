package logs

import (
	"fmt"
	"time"
)

// Open reads the arrivals of a file, to be replayed by a simulation: next returns them in time order, keys are the
// texts of the keys by number. The file is an arrivals CSV (columns t, key, cost) or a log in common or combined
// format or in JSON, recognised by itself; times are the file's own, a log's count from the Unix epoch.
//
// A CSV must be right in every row. A log may have lines that do not parse, as far as [Read] allows; they are left
// out.
func Open(path string) (next func() (at time.Duration, key uint32, cost int64, ok bool), keys []string, err error) {
	log, err := Read([]string{path}, Options{fixed: true})
	if err != nil {
		return nil, nil, err
	}
	if log.Bad > 0 && log.Files[0].Format == CSV {
		bad := log.BadLines[0]
		return nil, nil, &InputError{File: bad.File, Line: bad.Line, Err: fmt.Errorf("%s", bad.Reason)}
	}
	i := 0
	next = func() (time.Duration, uint32, int64, bool) {
		if i == len(log.Records) {
			return 0, 0, 0, false
		}
		r := &log.Records[i]
		i++
		return time.Duration(r.At), r.Key, r.Cost, true
	}
	return next, log.Keys.Texts(), nil
}
