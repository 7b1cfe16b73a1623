package contract

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"
)

// largestInteger bounds the integers of structured fields (RFC 9651, section
// 3.3.1).
const largestInteger = 999_999_999_999_999

// DefaultPolicy is the name of a server's only policy.
const DefaultPolicy = "default"

// Policy is a quota policy, as RateLimit-Policy tells it: so many units in so
// much time.
type Policy struct {
	Name  string // what RateLimit and [Problem] call it; printable ASCII
	Quota int64  // q: units, >= 0
	Unit  string // qu: what the units are; "" is requests
	// Seconds is w: the time in which the whole quota comes back, >= 1; 0 if
	// that is not told.
	Seconds int64
}

// NewPolicy returns the policy of a limiter that admits capacity units at once
// and n units in each period in the long run: all of its quota comes back in
// capacity·period/n, which is the window of a limiter that has one. The fields
// know whole seconds only; where that is no whole number of them, or n is 0,
// the policy has no window.
//
// A name keeps its printable ASCII characters, others become "?". A quota of
// 10¹⁵ or more is told as 10¹⁵ − 1, without a window.
func NewPolicy(name string, capacity, n int64, period time.Duration) Policy {
	p := Policy{Name: printable(name), Quota: min(capacity, largestInteger)}
	if n <= 0 || period <= 0 || capacity <= 0 || capacity > largestInteger {
		return p
	}
	hi, lo := bits.Mul64(uint64(capacity), uint64(period))
	if hi >= uint64(n) {
		return p
	}
	ns, rest := bits.Div64(hi, lo, uint64(n))
	if rest == 0 && ns%uint64(time.Second) == 0 {
		p.Seconds = int64(ns / uint64(time.Second))
	}
	return p
}

// printable is a name as a string of structured fields can hold it.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, name)
}

// ServiceLimit is what is left under a policy, as RateLimit tells it.
type ServiceLimit struct {
	Name      string // of the policy
	Available int64  // r: units left, >= 0
	Window    int64  // t: the effective window, in seconds, >= 0
	Windowed  bool   // whether there is a window
}

// formatPolicies writes RateLimit-Policy, "" if no policy tells its limit.
func formatPolicies(under []Standing) string {
	var list httpsfv.List
	for i := range under {
		if under[i].Decision.Has&HintLimit == 0 {
			continue
		}
		p := &under[i].Policy
		item := httpsfv.NewItem(p.Name)
		item.Params.Add("q", p.Quota)
		if p.Unit != "" {
			item.Params.Add("qu", p.Unit)
		}
		if p.Seconds > 0 {
			item.Params.Add("w", p.Seconds)
		}
		list = append(list, item)
	}
	return marshalled(list)
}

// formatStandings writes RateLimit, with no window above the longest; "" if no
// policy says what remains.
func formatStandings(under []Standing, longest int64) string {
	var list httpsfv.List
	for i := range under {
		d := &under[i].Decision
		if d.Has&HintRemaining == 0 {
			continue
		}
		item := httpsfv.NewItem(under[i].Policy.Name)
		item.Params.Add("r", min(max(0, d.Remaining), largestInteger))
		if h, ok := (Style{}).reset(d, 0); ok {
			item.Params.Add("t", min(h.seconds, longest))
		}
		list = append(list, item)
	}
	return marshalled(list)
}

// marshalled is a list as text; "" if it is empty, or if a policy has a name or
// a number that a structured field can not hold.
func marshalled(list httpsfv.List) string {
	if len(list) == 0 {
		return ""
	}
	text, err := httpsfv.Marshal(list)
	if err != nil {
		return ""
	}
	return text
}

// ParsePolicies reads a RateLimit-Policy field: a list of strings, each with a
// quota q >= 0, and optionally a unit qu, a string, and a window w > 0. Other
// parameters are comments. An error says what is malformed; the draft wants
// such a field ignored as a whole.
func ParsePolicies(text string) ([]Policy, error) {
	var policies []Policy
	err := eachItem(text, func(name string, params *httpsfv.Params) (err error) {
		p := Policy{Name: name}
		if p.Quota, _, err = integer(params, "q", 0, true); err != nil {
			return err
		}
		if p.Seconds, _, err = integer(params, "w", 1, false); err != nil {
			return err
		}
		if unit, ok := params.Get("qu"); ok {
			if p.Unit, ok = unit.(string); !ok {
				return errors.New("qu must be a string")
			}
			if p.Unit == "requests" {
				p.Unit = ""
			}
		}
		policies = append(policies, p)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("RateLimit-Policy: %w", err)
	}
	return policies, nil
}

// ParseLimits reads a RateLimit field: a list of strings, each with what is
// available, r >= 0, and optionally an effective window of t >= 0 seconds.
// Other parameters are comments. These are the names of drafts 08 to 11; where
// r is absent, a and w stand for r and t, as the revision of August 2026 has
// them. An error says what is malformed; the draft wants such a field ignored
// as a whole.
func ParseLimits(text string) ([]ServiceLimit, error) {
	var limits []ServiceLimit
	err := eachItem(text, func(name string, params *httpsfv.Params) (err error) {
		l := ServiceLimit{Name: name}
		available, window := "r", "t"
		_, drafted := params.Get("r")
		if _, renamed := params.Get("a"); renamed && !drafted {
			available, window = "a", "w"
		}
		if l.Available, _, err = integer(params, available, 0, true); err != nil {
			return err
		}
		l.Window, l.Windowed, err = integer(params, window, 0, false)
		limits = append(limits, l)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("RateLimit: %w", err)
	}
	return limits, nil
}

// eachItem reads a list of strings with parameters.
func eachItem(text string, do func(name string, params *httpsfv.Params) error) error {
	list, err := httpsfv.UnmarshalList([]string{text})
	if err != nil {
		return err
	}
	for i, member := range list {
		item, ok := member.(httpsfv.Item)
		if !ok {
			return fmt.Errorf("member %d must be a string, got a list", i+1)
		}
		name, ok := item.Value.(string)
		if !ok {
			return fmt.Errorf("member %d must be a string, got %v", i+1, item.Value)
		}
		if pk, ok := item.Params.Get("pk"); ok {
			if _, ok := pk.([]byte); !ok {
				return fmt.Errorf("%q: pk must be a byte sequence", name)
			}
		}
		if err := do(name, item.Params); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return nil
}

// integer returns a parameter, which must be an integer that is not below
// least, and whether it is there.
func integer(params *httpsfv.Params, name string, least int64, required bool) (int64, bool, error) {
	value, given := params.Get(name)
	if !given {
		if required {
			return 0, false, fmt.Errorf("has no %s", name)
		}
		return 0, false, nil
	}
	n, ok := value.(int64)
	if !ok || n < least {
		return 0, false, fmt.Errorf("%s must be an integer >= %d, got %v", name, least, value)
	}
	return n, true, nil
}
