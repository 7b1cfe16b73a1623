package metrics

import "time"

// Admission is a request that was admitted: when, and at what cost. Metrics that
// take lists of them do the same with less work.
type Admission struct {
	At   time.Duration
	Cost int64
}
