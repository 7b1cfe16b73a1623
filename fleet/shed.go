package fleet

import (
	"time"

	"ratelab/internal/spec"
)

// shed says which calls a server turns away though its queue has room.
type shed interface {
	// refuses is asked when a call comes.
	refuses(q *station, c *callSlot) bool
	// admits is told that a call will wait.
	admits(q *station, c *callSlot)
	// expires is asked when the turn of a call that waited has come.
	expires(c *callSlot, now time.Duration) bool
}

var sheds = spec.Registry[func(v *spec.Values) shed]{Kind: "shed"}

// Sheds lists the ways to shed, sorted by name.
func Sheds() []spec.Entry { return sheds.Entries() }

// ShedSpec is a parsed way to shed, as in delay:target=5ms,interval=100ms. The
// zero value sheds only what finds the queue full.
type ShedSpec struct {
	text string
	shed shed
}

// ParseShed reads a spec, or none.
func ParseShed(text string) (ShedSpec, error) {
	if text == "none" {
		return ShedSpec{}, nil
	}
	v, read, err := sheds.Parse(text)
	if err != nil {
		return ShedSpec{}, err
	}
	way := read(v)
	if err := v.Err(); err != nil {
		return ShedSpec{}, err
	}
	return ShedSpec{text: v.String(), shed: way}, nil
}

// String writes the spec as ParseShed reads it.
func (s ShedSpec) String() string {
	if s.IsZero() {
		return "none"
	}
	return s.text
}

// IsZero reports whether only what finds the queue full is shed.
func (s ShedSpec) IsZero() bool { return s.shed == nil }

func (s ShedSpec) refuses(q *station, c *callSlot) bool {
	return s.shed != nil && s.shed.refuses(q, c)
}

func (s ShedSpec) admits(q *station, c *callSlot) {
	if s.shed != nil {
		s.shed.admits(q, c)
	}
}

func (s ShedSpec) expires(c *callSlot, now time.Duration) bool {
	return s.shed != nil && s.shed.expires(c, now)
}
