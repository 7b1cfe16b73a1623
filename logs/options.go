package logs

import (
	"fmt"
	"io"
	"strings"

	"ratelab/internal/spec"
)

// Options say how to read logs. The zero value recognises the format and the fields by itself.
type Options struct {
	Format Format // of all files; "" is Auto
	// LogFormat is a log_format of nginx or a LogFormat of Apache, as it is in their configuration, for logs in LogFormat.
	LogFormat string
	// Time, Key, Cost, Status and Took name the fields, where a format has names for them: a column of a CSV, the path of
	// a JSON field with points between its names (request.remote_ip), a variable of a log format. Key may also be ip,
	// user, endpoint (the path without its query), method, status, agent or host, in any log of a web server that has
	// it; in common and combined format these are all there is.
	//
	// Empty, the field is looked for: by the names that servers use; in a CSV it is t, key, cost, status, took, and
	// without t the only column that has a usual name of one with times (File.TimeByName). Without a key, all requests
	// have the key "", and File.MayBeKeys names columns of a CSV that may be one; without a cost, all cost 1.
	Time, Key, Cost, Status string
	// Took is the field with how long a request took, NAME or NAME:UNIT with s, ms, us or ns. Without a unit it is what
	// the name ends with (duration_ms), or seconds.
	Took string
	// Columns are further fields to be kept, to be found in Log.Columns, named like Key. Every file must have them.
	Columns []string
	// Agents counts the user agents of each key: see Log.Agents.
	Agents bool
	// Optional lets files lack Columns and user agents: their texts are empty then, no agent is counted, and File.Lacks
	// names them.
	Optional bool
	// ForwardedDepth > 0 takes the client's address from X-Forwarded-For, the so-manieth from the right. In combined
	// format the header stands in quotes behind the user agent, where nginx's main format has it.
	ForwardedDepth int
	// Stamp is which moment the times of the log are; "" is what is known of the format. Of a completion, a request
	// arrived so much earlier as it took, if the log says that.
	Stamp Stamp
	// Sort lets Scan read logs whose lines are in any order: it sorts all requests first, in a temporary file if they
	// are many. [Read] always sorts.
	Sort  bool
	Stdin io.Reader // what the file "-" is
	// fixed says that whoever reads can choose neither format nor columns, so that no error advises it.
	fixed  bool
	window int // requests that Scan lets wait; 0 is inWindow
}

// waiting returns how many requests of each file Scan lets wait.
func (o *Options) waiting(files int) int {
	if o.window > 0 {
		return o.window
	}
	return max(inWindow/files, 1<<12)
}

// Stamp is which moment of a request a log's times are.
type Stamp string

// The moments that servers write down.
const (
	StampUnknown    Stamp = ""           // taken as when requests arrived
	StampStart      Stamp = "start"      // when the request arrived
	StampCompletion Stamp = "completion" // when it had been answered
)

// ParseStamp reads the name of a stamp; no name is StampUnknown.
func ParseStamp(name string) (Stamp, error) {
	known := []string{string(StampStart), string(StampCompletion)}
	switch stamp := Stamp(name); stamp {
	case StampUnknown, StampStart, StampCompletion:
		return stamp, nil
	}
	return "", fmt.Errorf("unknown stamp %q%s; known: %s", name, spec.DidYouMean(name, known), strings.Join(known, ", "))
}

// splitTook takes NAME or NAME:UNIT apart.
func splitTook(took string) (name string, unit int64, err error) {
	i := strings.LastIndexByte(took, ':')
	if i < 0 {
		return took, unitOf(took), nil
	}
	for _, u := range []struct {
		name string
		unit int64
	}{{"s", second}, {"ms", millisecond}, {"us", 1000}, {"ns", 1}} {
		if took[i+1:] == u.name {
			return took[:i], u.unit, nil
		}
	}
	return "", 0, fmt.Errorf("--took: unknown unit %q; known: s, ms, us, ns", took[i+1:])
}
