package contract

import (
	"iter"
	"strconv"
	"strings"
	"time"
)

// Message is what an HTTP response says of limits: its status and the values
// of the header fields, "" for one that is absent.
type Message struct {
	Status     int    // 0 if there was no response
	RetryAfter string // Retry-After
	Limit      string // X-RateLimit-Limit
	Remaining  string // X-RateLimit-Remaining
	Reset      string // X-RateLimit-Reset
	RateLimit  string // RateLimit
	Policies   string // RateLimit-Policy

	// Violated is the policy that refused, in the body: see [Message.Problem].
	Violated string
}

// Fields yields the header fields that are not absent, by name, in the order in
// which a server writes them.
func (m Message) Fields() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for _, f := range m.fields() {
			if *f.value != "" && !yield(f.name, *f.value) {
				return
			}
		}
	}
}

type field struct {
	name  string
	value *string
}

func (m *Message) fields() [6]field {
	return [...]field{
		{"Retry-After", &m.RetryAfter},
		{"X-RateLimit-Limit", &m.Limit},
		{"X-RateLimit-Remaining", &m.Remaining},
		{"X-RateLimit-Reset", &m.Reset},
		{"RateLimit", &m.RateLimit},
		{"RateLimit-Policy", &m.Policies},
	}
}

// Read takes a message from a response: its status, and the values of the
// header fields with a name, such as the Values method of an http.Header. Of
// several values it makes one list, as RFC 9110 has it in section 5.3; of a
// field that is no list this makes a malformed one.
func Read(status int, values func(name string) []string) Message {
	m := Message{Status: status}
	for _, f := range m.fields() {
		*f.value = strings.Trim(strings.Join(values(f.name), ", "), " \t")
	}
	return m
}

// Standing is how a request's key stands under one of several policies.
type Standing struct {
	Policy   Policy
	Decision Decision // of this policy alone
}

// Format writes a reply as a message, at now, the time since 1970. under are
// the policies that the request had to pass, numbered by the Layer: the
// RateLimit fields have an item of each. A hint that a decision does not give
// is left out, and so are a wait above 10⁹ s, Never for one, and the policy of a
// program that does not tell its limit.
//
// The effective window t of a policy in RateLimit is its Reset, in a refusal at
// most the Retry-After, which the draft wants no earlier than t.
func (s Style) Format(r Reply, now time.Duration, under ...Standing) Message {
	m := Message{Status: statusOf(r.Outcome)}
	if r.Outcome == Timeout {
		return m
	}
	d := r.Decision
	d.Admitted = d.Admitted || r.Outcome == OK
	window := int64(longest) // the longest t
	if h, ok := s.retryAfter(&d, now); ok {
		m.RetryAfter = strconv.FormatInt(h.seconds, 10)
		if h.instant {
			m.RetryAfter = time.Unix(h.seconds, 0).UTC().Format(imfFixdate)
		}
		window = int64(h.wait(now) / time.Second)
	}
	if d.Has&HintLimit != 0 {
		m.Limit = strconv.FormatInt(max(0, d.Limit), 10)
	}
	if d.Has&HintRemaining != 0 {
		m.Remaining = strconv.FormatInt(max(0, d.Remaining), 10)
	}
	if h, ok := s.reset(&d, now); ok {
		m.Reset = strconv.FormatInt(h.seconds, 10)
	}
	m.RateLimit = formatStandings(under, window)
	m.Policies = formatPolicies(under)
	if layer := int(d.Layer); r.Outcome == Throttled && layer >= 0 && layer < len(under) {
		m.Violated = under[layer].Policy.Name
	}
	return m
}

// Parse reads a message at now, the time since 1970, as strictly as the RFCs
// want: a field that is malformed is as good as absent.
//
// A status of 429 is Throttled, 503 Shed, none Timeout, any other OK. Of what
// several fields say, X-RateLimit comes first, which knows of no policies; else
// Limit and Remaining are the smallest of the policies that count requests, and
// Reset the longest. RetryAfter is that of the field of this name alone, which
// takes precedence over the windows of RateLimit: a client that is told none
// may make one of Reset.
//
// A number of seconds above 10⁹ is taken for a Unix time. One too large for an
// int64 is the largest.
func Parse(m Message, now time.Duration) Reply {
	r := Reply{Outcome: outcomeOf(m.Status)}
	d := &r.Decision
	if r.Outcome == Timeout {
		return r
	}
	d.Admitted = r.Outcome == OK
	if !d.Admitted {
		if wait, ok := parseRetryAfter(m.RetryAfter, now); ok {
			d.RetryAfter, d.Has = wait, d.Has|HintRetryAfter
		}
	}
	policies, _ := ParsePolicies(m.Policies)
	limits, _ := ParseLimits(m.RateLimit)
	smallest(policies, limits, now, d)
	if n, ok := digits(m.Limit); ok {
		d.Limit, d.Has = n, d.Has|HintLimit
	}
	if n, ok := digits(m.Remaining); ok {
		d.Remaining, d.Has = n, d.Has|HintRemaining
	}
	if n, ok := digits(m.Reset); ok {
		d.Reset, d.Has = hintOf(n).wait(now), d.Has|HintReset
	}
	return r
}

// smallest takes from the structured fields what all policies that count
// requests leave.
func smallest(policies []Policy, limits []ServiceLimit, now time.Duration, d *Decision) {
	units := map[string]string{}
	for _, p := range policies {
		units[p.Name] = p.Unit
		if p.Unit != "" {
			continue
		}
		if d.Has&HintLimit == 0 || p.Quota < d.Limit {
			d.Limit, d.Has = p.Quota, d.Has|HintLimit
		}
	}
	for _, l := range limits {
		if units[l.Name] != "" {
			continue
		}
		if d.Has&HintRemaining == 0 || l.Available < d.Remaining {
			d.Remaining, d.Has = l.Available, d.Has|HintRemaining
		}
		if wait := hintOf(l.Window).wait(now); l.Windowed && wait >= d.Reset {
			d.Reset, d.Has = wait, d.Has|HintReset
		}
	}
}

// parseRetryAfter reads delay-seconds or an HTTP-date.
func parseRetryAfter(text string, now time.Duration) (time.Duration, bool) {
	if n, ok := digits(text); ok {
		return hintOf(n).wait(now), true
	}
	if instant, ok := parseDate(text, now); ok {
		return until(instant, now), true
	}
	return 0, false
}

func statusOf(o Outcome) int {
	switch o {
	case OK:
		return 200
	case Throttled:
		return 429
	case Shed, StoreDown:
		return 503
	default:
		return 0
	}
}

func outcomeOf(status int) Outcome {
	switch status {
	case 0:
		return Timeout
	case 429:
		return Throttled
	case 503:
		return Shed
	default:
		return OK
	}
}
