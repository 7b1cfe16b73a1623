package peers

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// Peer is a real program and the limiters that should decide as it does.
type Peer struct {
	Program string // as its authors call it
	// Modelled is the version that a limiter follows which is no dialect; a
	// dialect says so itself.
	Modelled string
	// Version finds out which version is there. An error says why the program
	// cannot be run here.
	Version func() (string, error)
	// Start makes the program ready for cases of these specs, which are all of
	// Specs.
	Start func(specs []string) (Program, error)
	Specs []string
	// Decisions are compared at least, in cases of CaseSize arrivals, 200 if 0.
	Decisions, CaseSize int
	Ways
	// Note says in words what the program does that the limiter does not model,
	// and what could not be tried.
	Note string
}

// Ways are what arrivals may do to a program.
type Ways struct {
	Resolution time.Duration // of the program's clock; 1 ns if 0
	Back       time.Duration // longest step back of the clock; 0 is none
	Rest       time.Duration // longest idleness; 400 days if 0
	Keys       int           // at most in a case; 4 if 0
	Onward     bool          // a case begins after the end of the one before it
	UnitCost   bool          // costs are 1 whatever the limiter knows
}

// Program is a real program that was started.
type Program interface {
	// Decide gives the arrivals to the program, in their order, under keys that
	// no case before it had. A hint that the program gives is set in Has.
	// A program that cannot be told the time sets the arrivals' times to those
	// at which it was asked.
	Decide(c *Case) ([]limiters.Decision, error)
	// Close stops the program and removes what it left.
	Close() error
}

// Arrival is one request.
type Arrival struct {
	At   time.Duration // Unix time
	Key  uint32
	Cost int64
}

// Case is what a program and its dialect are both asked.
type Case struct {
	Spec     string
	Index    int // of Spec in the peer's Specs
	Number   int // of the case, from 0
	Seed     uint64
	Arrivals []Arrival

	bubble func(func()) // runs in a bubble of testing/synctest
}

// KeyText is a key's text, which no other case of the peer has.
func (c *Case) KeyText(key uint32) string { return fmt.Sprintf("c%dk%d", c.Number, key) }

// Comparison is one row of the table.
type Comparison struct {
	Program, Version, Modelled string
	Specs                      []string
	Decisions, Differences     int
	Note                       string
	NotRun                     string // why, "" if it ran
	First                      string // the first difference, with all that is needed to see it again
}

// Compare runs the peer's cases. bubble must run a function in a bubble of
// testing/synctest, which only a test can make. What keeps the program from
// starting is told in NotRun; an error is a program that fails while it runs.
func (p Peer) Compare(bubble func(func())) (c Comparison, err error) {
	c = Comparison{Program: p.Program, Modelled: p.Modelled, Specs: p.Specs, Note: p.Note}
	name, _, _ := strings.Cut(p.Specs[0], ":")
	if d, ok := limiters.DialectOf(name); ok == (c.Modelled != "") {
		return c, fmt.Errorf("%s: the modelled version is said by the dialect or by the peer, not %q by both or none", p.Program, name)
	} else if ok {
		c.Modelled = d.Version
	}
	if c.Version, err = p.Version(); err != nil {
		c.NotRun = err.Error()
		return c, nil
	}
	program, err := p.Start(p.Specs)
	if err != nil {
		c.NotRun = err.Error()
		return c, nil
	}
	defer func() {
		if failed := program.Close(); err == nil && failed != nil {
			err = fmt.Errorf("%s: stopping it: %w", p.Program, failed)
		}
	}()
	start := firstStart
	for number := 0; c.Decisions < p.Decisions; number++ {
		index := number % len(p.Specs)
		spec, err := limiters.Parse(p.Specs[index])
		if err != nil {
			return c, err
		}
		one := &Case{Spec: p.Specs[index], Index: index, Number: number, bubble: bubble, Seed: seed(p.Program, number)}
		size := p.CaseSize
		if size == 0 {
			size = 200
		}
		one.Arrivals = p.arrivals(spec, start, size, rand.New(rand.NewPCG(one.Seed, 1)))
		if p.Onward {
			start = one.end() + max(p.Resolution, time.Nanosecond)
		}
		answers, err := program.Decide(one)
		if err != nil {
			return c, fmt.Errorf("%s: case %d, %s: %w", p.Program, number, one.Spec, err)
		}
		if len(answers) != len(one.Arrivals) {
			return c, fmt.Errorf("%s: case %d, %s: %d answers to %d arrivals", p.Program, number, one.Spec, len(answers), len(one.Arrivals))
		}
		l := spec.New(1, nil)
		for i, a := range one.Arrivals {
			ours := l.Take(a.At, a.Key, a.Cost)
			c.Decisions++
			field := differs(ours, answers[i])
			if field == "" {
				continue
			}
			c.Differences++
			if c.First == "" {
				c.First = fmt.Sprintf("%s %s, case %d (seed %d), %s: %s differs at arrival %d (line %d below)\nprogram: %s\nlimiter: %s\n%s",
					p.Program, c.Version, number, one.Seed, one.Spec, field, i, i+2, show(answers[i]), show(ours), one.csv(i))
			}
		}
	}
	return c, nil
}

// seed is the same for a case in every run.
func seed(program string, number int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", program, number)
	return h.Sum64()
}

// end is the latest time of a case.
func (c *Case) end() (at time.Duration) {
	for _, a := range c.Arrivals {
		at = max(at, a.At)
	}
	return at
}

// differs names the first field in which the program's answer is not the
// limiter's; "" if there is none. A hint that the limiter gives and the program
// does not is a difference; one that only the program gives is not looked at.
func differs(ours, theirs limiters.Decision) string {
	lacking := ours.Has &^ theirs.Has
	switch {
	case ours.Admitted != theirs.Admitted:
		return "admitted"
	case ours.Delay != theirs.Delay:
		return "delay"
	case lacking != 0:
		return "which hints are given"
	case ours.Has&contract.HintRetryAfter != 0 && ours.RetryAfter != theirs.RetryAfter:
		return "retry_after"
	case ours.Has&contract.HintLimit != 0 && ours.Limit != theirs.Limit:
		return "limit"
	case ours.Has&contract.HintRemaining != 0 && ours.Remaining != theirs.Remaining:
		return "remaining"
	case ours.Has&contract.HintReset != 0 && ours.Reset != theirs.Reset:
		return "reset"
	}
	return ""
}

func show(d limiters.Decision) string {
	var b strings.Builder
	fmt.Fprintf(&b, "admitted=%t delay=%s", d.Admitted, seconds(d.Delay))
	hint := func(has contract.Hints, name, value string) {
		if d.Has&has != 0 {
			fmt.Fprintf(&b, " %s=%s", name, value)
		}
	}
	hint(contract.HintRetryAfter, "retry_after", seconds(d.RetryAfter))
	hint(contract.HintLimit, "limit", fmt.Sprint(d.Limit))
	hint(contract.HintRemaining, "remaining", fmt.Sprint(d.Remaining))
	hint(contract.HintReset, "reset", seconds(d.Reset))
	return b.String()
}

// csv is the input of `ratelab decide` up to and with an arrival.
func (c *Case) csv(last int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ratelab decide --limiter %q arrivals.csv, with these lines in it:\nt,key,cost\n", c.Spec)
	for _, a := range c.Arrivals[:last+1] {
		fmt.Fprintf(&b, "%s,k%d,%d\n", seconds(a.At), a.Key, a.Cost)
	}
	return b.String()
}

// seconds writes a duration as decimal seconds, exactly.
func seconds(d time.Duration) string {
	if d == limiters.Never {
		return "never"
	}
	sign, whole, ns := "", d/time.Second, d%time.Second
	if d < 0 {
		sign, whole, ns = "-", -whole, -ns
	}
	text := fmt.Sprintf("%s%d.%09d", sign, whole, ns)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
