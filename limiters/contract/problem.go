package contract

import (
	"encoding/json"
	"fmt"
)

// ProblemType is the media type of a [Problem] (RFC 9457).
const ProblemType = "application/problem+json"

// Problem is the body of a refusal: what happened, and by which policies.
type Problem struct {
	Type     string   `json:"type"`
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Violated []string `json:"violated-policies"`
}

// The problem types of draft-ietf-httpapi-ratelimit-headers.
const (
	problemTypes    = "https://iana.org/assignments/http-problem-types#"
	quotaExceeded   = problemTypes + "quota-exceeded"
	reducedCapacity = problemTypes + "temporary-reduced-capacity"
)

// Problem returns the body that goes with the message; false if it is no
// refusal.
func (m Message) Problem() (Problem, bool) {
	p := Problem{Status: m.Status, Violated: []string{}}
	switch outcomeOf(m.Status) {
	case Throttled:
		p.Type, p.Title = quotaExceeded, "The quota of this key is spent"
		if m.Violated != "" {
			p.Violated = []string{m.Violated}
		}
	case Shed:
		p.Type, p.Title = reducedCapacity, "The server is under pressure"
	default:
		return Problem{}, false
	}
	return p, true
}

// ParseProblem reads the body of a refusal. The first violated policy is a
// message's Violated.
func ParseProblem(body []byte) (Problem, error) {
	var p Problem
	if err := json.Unmarshal(body, &p); err != nil {
		return Problem{}, fmt.Errorf("problem details: %w", err)
	}
	return p, nil
}
