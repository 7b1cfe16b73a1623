package scenario

import "math"

// Value is one metric of a run; its unit and meaning stand in the dictionary
// of des/metrics.
type Value struct {
	Name  string
	Value float64 // NaN if the run gives no answer
}

// Result is what one replication measured, in the dictionary's order.
type Result []Value

// Get returns a metric, or NaN if the run did not measure it.
func (r Result) Get(name string) float64 {
	for _, v := range r {
		if v.Name == name {
			return v.Value
		}
	}
	return math.NaN()
}
