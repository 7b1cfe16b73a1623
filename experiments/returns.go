package experiments

import (
	"context"
	"errors"
	"strconv"
	"time"

	"ratelab/clients"
	"ratelab/experiments/scenario"
	"ratelab/internal/random"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// returns hears when clients come back, and when they are admitted.
type returns struct {
	again    []time.Duration // attempts that are not a request's first
	admitted []time.Duration
	left     int64 // that the latest to be admitted was told remains
}

// Sent notes who comes back.
func (r *returns) Sent(now time.Duration, _ int, _ contract.Request, attempt int64) {
	if attempt > 1 {
		r.again = append(r.again, now)
	}
}

// Heard notes who is admitted.
func (r *returns) Heard(now time.Duration, _ int, _ contract.Request, reply contract.Reply) {
	if reply.Outcome == contract.OK {
		r.admitted = append(r.admitted, now)
		r.left = reply.Decision.Remaining
	}
}

// Ended does nothing.
func (*returns) Ended(time.Duration, clients.Ended) {}

// bySecond counts returns in each second from from on.
func (r *returns) bySecond(from time.Duration, seconds int) []int {
	counts := make([]int, seconds)
	for _, at := range r.again {
		if second := int((at - from) / time.Second); at >= from && second < seconds {
			counts[second]++
		}
	}
	return counts
}

// busiest returns the most in a second, and the fewest in one that has any.
func busiest(counts []int) (most, fewest int) {
	for _, n := range counts {
		most = max(most, n)
		if n > 0 && (fewest == 0 || n < fewest) {
			fewest = n
		}
	}
	return most, fewest
}

// watchReturns simulates and tells when clients came back.
func watchReturns(ctx context.Context, lab Lab, c scenario.Config) (*returns, scenario.Result, error) {
	r := &returns{}
	c.Observer = r
	result, err := lab.Simulate(ctx, c)
	return r, result, err
}

// rounds plays a cell often, each time with all chance of its own, the phases
// of windows included: they are drawn from the seed alone.
func rounds(seed uint64, rep, n int, play func(seed uint64) error) error {
	r := random.Stream(seed, strconv.Itoa(rep), "rounds")
	for range n {
		if err := play(r.Uint64()); err != nil {
			return err
		}
	}
	return nil
}

// clientsCheck checks a factor that is a client's spec.
func clientsCheck(v string) error {
	_, err := clients.Parse(v)
	return err
}

func hintsCheck(v string) error {
	_, err := clients.ParseHints(v)
	return err
}

func limiterCheck(v string) error {
	_, err := limiters.Parse(v)
	return err
}

// upToSeconds checks that a factor's value is a whole number from 0 to most.
func upToSeconds(most int64) func(value string) error {
	return func(v string) error {
		if n, err := spec.ParseCount(v); err != nil || n < 0 || n > most {
			return errors.New("must be a whole number in 0.." + strconv.FormatInt(most, 10))
		}
		return nil
	}
}
