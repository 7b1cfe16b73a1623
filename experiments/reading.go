package experiments

import (
	"math"
	"strings"
)

// reading looks up the means that sentences are made of, and remembers the
// first that was not measured.
type reading struct {
	d   *Data
	err error
}

// mean is the mean of a metric at a point.
func (r *reading) mean(metric string, at ...string) float64 {
	mean, _, _ := r.d.Mean(metric, at...)
	if math.IsNaN(mean) && r.err == nil {
		r.err = nothingMeasured(metric, at)
	}
	return mean
}

// percent is a share in percent.
func (r *reading) percent(metric string, at ...string) float64 { return 100 * r.mean(metric, at...) }

// say returns the sentences, if all that they are made of was measured.
func (r *reading) say(sentences ...string) ([]string, error) {
	if r.err != nil {
		return nil, r.err
	}
	return sentences, nil
}

// andLast lists names in a sentence: a, b and c.
func andLast(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// either is what a sentence says if something is so, and what if it is not.
func either(so bool, yes, no string) string {
	if so {
		return yes
	}
	return no
}
