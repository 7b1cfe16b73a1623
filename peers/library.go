package peers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"time"

	"ratelab/limiters"
)

// libraryDecisions are compared of every library at least.
const libraryDecisions = 200_000

// libraries are the programs that run in process.
func libraries() []Peer {
	return []Peer{xTimeRate(), throttledMemory(), uberRatelimit(), httprateLocal(), ululeMemory(), gubernatorToken(), gubernatorLeaky(), goLimiterMemory()}
}

// moduleVersion finds out which version of a module this one is built with. It
// asks go, because a test does not know what it was built from.
func moduleVersion(path string) func() (string, error) {
	return func() (string, error) {
		ctx, cancel := context.WithTimeout(background, longestCase)
		defer cancel()
		out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}}", path).CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("go list -m %s: %w: %s", path, err, out)
		}
		return strings.TrimSpace(string(out)), nil
	}
}

// library is a Program that is made anew for every case.
type library func(c *Case) ([]limiters.Decision, error)

func (l library) Decide(c *Case) ([]limiters.Decision, error) { return l(c) }

func (library) Close() error { return nil }

func (l library) start([]string) (Program, error) { return l, nil }

// eachArrival answers the arrivals of a case one by one.
func eachArrival(c *Case, take func(a Arrival) (limiters.Decision, error)) ([]limiters.Decision, error) {
	answers := make([]limiters.Decision, len(c.Arrivals))
	for i, a := range c.Arrivals {
		var err error
		if answers[i], err = take(a); err != nil {
			return nil, fmt.Errorf("arrival %d at %s: %w", i, seconds(a.At), err)
		}
	}
	return answers, nil
}

// bubbleStart is when the clock of every bubble starts: the year 2000.
var bubbleStart = time.Duration(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano())

// inBubbles runs the arrivals at their times, where time.Now and time.Sleep
// have the bubble's clock. That clock does not go back: at a step back a new
// bubble begins, with whatever take has in it.
func inBubbles(c *Case, take func(a Arrival) (limiters.Decision, error)) (answers []limiters.Decision, err error) {
	answers = make([]limiters.Decision, len(c.Arrivals))
	for i := 0; i < len(c.Arrivals) && err == nil; {
		err = fmt.Errorf("the bubble at arrival %d did not run", i)
		c.bubble(func() {
			err = nil
			for now := bubbleStart; i < len(c.Arrivals) && c.Arrivals[i].At >= now; i++ {
				a := c.Arrivals[i]
				time.Sleep(a.At - now)
				now = a.At
				if got := time.Duration(time.Now().UnixNano()); got != now {
					err = fmt.Errorf("arrival %d: the bubble's clock is %s, not %s", i, seconds(got), seconds(now))
					return
				}
				if answers[i], err = take(a); err != nil {
					err = fmt.Errorf("arrival %d at %s: %w", i, seconds(a.At), err)
					return
				}
			}
		})
	}
	return answers, err
}

// rates are the texts of n rates: those that have given trouble, and random ones.
func rates(n int, r *rand.Rand) []string {
	out := []string{"3/s", "10/13s", "1/s", "1000/s", "100/m", "7/s", "1/h", "1000/d", "0.5/s", "999983/s"}
	for len(out) < n {
		length := [...]time.Duration{time.Millisecond, time.Second, time.Minute, time.Hour, day}[r.IntN(5)]
		if r.IntN(2) == 0 {
			length = length/2 + time.Duration(r.Int64N(int64(length)))
		}
		count := 1 + r.IntN(1000)
		if r.IntN(3) > 0 {
			count = 1 + r.IntN(20)
		}
		out = append(out, fmt.Sprintf("%d/%s", count, length))
	}
	return out[:n]
}

// windows are the texts of n windows, whole multiples of unit.
func windows(n int, unit time.Duration, r *rand.Rand) []string {
	out := []string{"1s", "1m", "10s", "1500ms", "1h", "100ms", "7s", "1d"}
	for len(out) < n {
		length := time.Duration(1+r.Int64N(1000)) * [...]time.Duration{time.Millisecond, 97 * time.Millisecond, time.Second, time.Minute}[r.IntN(4)]
		if r.IntN(2) == 0 {
			length += time.Duration(r.Int64N(int64(time.Millisecond)))
		}
		out = append(out, max(unit, length-length%unit).String())
	}
	return out[:n]
}

// count is a small number as a rule.
func count(least int, r *rand.Rand) int {
	switch r.IntN(6) {
	case 0:
		return least
	case 1:
		return least + 1
	case 2:
		return least + r.IntN(1000)
	}
	return least + r.IntN(12)
}

// specs makes n specs with a fixed seed.
func specs(n int, write func(i int, r *rand.Rand) string) []string {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	out := make([]string, n)
	for i := range out {
		out[i] = write(i, r)
	}
	return out
}

// background is what libraries are given that want a context, and longestCase
// how long those that wait may take for a case.
var background = context.Background()

const longestCase = time.Minute

// param is the text of a spec's parameter, "" if it is not given.
func param(text, name string) string {
	_, params, _ := strings.Cut(text, ":")
	for _, p := range strings.Split(params, ",") {
		if key, value, _ := strings.Cut(p, "="); key == name {
			return value
		}
	}
	return ""
}
