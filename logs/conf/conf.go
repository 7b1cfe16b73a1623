// Package conf writes a limit as real programs are configured, and says what each will do otherwise.
//
// [For] writes a [Limit] for one program, as a text and as the spec of the dialect in package limiters that decides like
// it. What has to be rounded on the way is said in sentences. [Compare] takes a log through the canonical limiter and the
// dialect side by side, and counts the requests that they decide differently: what the rounding, the program's clock and
// its algorithm come to on this log.
package conf

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/logs"
)

// Limit is what is to be configured.
type Limit struct {
	Rate   spec.Rate     // of each key, > 0
	Burst  int64         // requests at once, >= 1
	Window time.Duration // of programs that count in windows: Burst in it; > 0
	Queue  bool          // what is above the rate is to wait, where the program can let it
	Key    string        // what the keys are, as logs.File has it: ip, user, endpoint, method, status, agent, host; "" is one for all
	Keys   int           // how many there are, >= 1
}

// Config is a limit as a program is configured.
type Config struct {
	Program string        // as --config names it
	Text    string        // whole lines
	Spec    limiters.Spec // the dialect with these settings
	Says    []string      // what the program does otherwise, and what was rounded
}

// Programs are the programs that For knows, in the order in which all are written.
var Programs = []string{"nginx", "haproxy", "envoy", "redis-cell", "go"}

// For writes a limit for one of Programs. It fails if the program can not have such a limit, and says why.
func For(program string, l Limit) (Config, error) {
	var c Config
	var dialect string
	var err error
	if l.Rate.N < 1 || l.Rate.P < 1 || l.Burst < 1 || l.Window < 1 || l.Keys < 1 {
		return c, fmt.Errorf("a limit to be configured needs a rate, a burst, a window and keys, got %+v", l)
	}
	switch program {
	case "nginx":
		dialect, err = nginx(l, &c)
	case "haproxy":
		dialect, err = haproxy(l, &c)
	case "envoy":
		dialect, err = envoy(l, &c)
	case "redis-cell":
		dialect, err = redisCell(l, &c)
	case "go":
		dialect, err = golang(l, &c)
	default:
		err = fmt.Errorf("unknown program %q%s; known: %s", program, spec.DidYouMean(program, Programs), strings.Join(Programs, ", "))
	}
	if err != nil {
		return Config{}, err
	}
	c.Program = program
	if l.Queue && program != "nginx" {
		c.say("it lets nothing wait: what the queue would hold is admitted at once, and what would overflow it is refused alike")
	}
	c.Spec, err = limiters.Parse(dialect)
	return c, err
}

func (c *Config) say(format string, args ...any) {
	c.Says = append(c.Says, fmt.Sprintf(format, args...))
}

// per returns the requests of a length, exactly.
func per(r spec.Rate, length time.Duration) *big.Rat {
	q := big.NewRat(r.N, int64(r.P))
	return q.Mul(q, new(big.Rat).SetInt64(int64(length)))
}

// decimal writes a number exactly if it has up to 9 decimals, or else with 6.
func decimal(q *big.Rat) string {
	if n, exact := q.FloatPrec(); exact && n <= 9 {
		return q.FloatString(n)
	}
	return q.FloatString(6)
}

// Difference says how a dialect decides a log beside the canonical limiter.
type Difference struct {
	Requests    int64
	OnlyRefused int64 // refused by the dialect alone
	OnlyPassed  int64 // admitted by the dialect alone
	Held        int64 // admitted by the dialect, and made to wait
	LongestHeld time.Duration
}

// Differ returns how many requests were decided differently.
func (d Difference) Differ() int64 { return d.OnlyRefused + d.OnlyPassed }

// Compare takes requests, in time order, through a limiter and a dialect side by side, each with a state of its own. A
// dialect that knows costs of 1 only is an error where there are others.
func Compare(records []logs.Record, keys []string, canonical, dialect limiters.Spec, seed uint64) (Difference, error) {
	var d Difference
	text := func(key uint32) string { return keys[key] }
	a, b := canonical.New(seed, text), dialect.New(seed, text)
	for i := range records {
		r := &records[i]
		if r.Cost != 1 && dialect.UnitCost() {
			return d, fmt.Errorf("%s knows requests of cost 1 only, got %d", dialect.Name(), r.Cost)
		}
		own, _ := a.Admit(time.Duration(r.At), r.Key, r.Cost)
		theirs, delay := b.Admit(time.Duration(r.At), r.Key, r.Cost)
		d.Requests++
		switch {
		case own && !theirs:
			d.OnlyRefused++
		case theirs && !own:
			d.OnlyPassed++
		}
		if theirs && delay > 0 {
			d.Held++
			d.LongestHeld = max(d.LongestHeld, delay)
		}
	}
	return d, nil
}
