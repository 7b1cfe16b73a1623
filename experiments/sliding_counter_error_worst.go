package experiments

import (
	"context"

	"ratelab/experiments/adversary"
	"ratelab/experiments/sweep"
	"ratelab/limiters"
)

// counterErrorPatience is how many schedules in a row may come no nearer to
// more, for each request of a schedule, before a climb of the blind search gives
// up. At limit 10 one climb in a hundred then stops too early, at smaller limits
// none in hundreds; of two climbs, as a full run makes, the better is as good as
// sure.
//
// Limit 100 would take twenty times as long: a climb of 0.1 s finds all of its
// worst window in nine of ten cases. The tests of the adversary have it.
const counterErrorPatience = 100

// counterErrorByAdversary searches for the schedule of requests that gets the
// most through in a half-open interval as long as a window, from random ones on.
func counterErrorByAdversary(ctx context.Context, lab Lab, c sweep.Cell, out *sweep.Row) error {
	l, err := counterErrorLimiter(c)
	if err != nil {
		return err
	}
	search := adversary.Against(l, adversary.Window)
	search.Requests = int(3 * c.Int("limit"))
	search.Seed, search.Rep, search.Workers = c.Seed, c.Rep, 1 // cells run side by side
	search.Tries, search.Patience = 2, counterErrorPatience*int64(search.Requests)
	if lab.Quick {
		search.Tries = 1
	}
	search.Fresh = func() limiters.Limiter { return lab.Limiter(l, c.Seed) }
	found, err := adversary.Search(ctx, search)
	if err != nil {
		return err
	}
	out.Set("worst_window", found.Value())
	return nil
}
