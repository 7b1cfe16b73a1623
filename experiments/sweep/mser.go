package sweep

const (
	mserBatch = 5 // values in a batch
	mserLast  = 5 // batches at the end that no truncation may reach
	mserLeast = 2 * mserLast
)

// MSER5 returns how many values at the start of a series are its warm-up, by the marginal standard error rule on means
// of batches of five: of the n batches it drops the d that make Σ(zᵢ − z̄)²/(n − d)² over the rest smallest, the first
// of equal ones (White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for simulation",
// Winter Simulation Conference 2000). The last five batches are never all that is left, because a few batches that
// happen to be alike would always win (Hoad, Robinson and Davies, "Automating warm-up length estimation", Journal of the
// Operational Research Society 61, 2010). Values beyond the last whole batch are not looked at.
//
// Counts at a limit are mostly alike, so that even many batches at the end may be equal by chance, and win with 0. The
// resolution is the difference between batches that does not matter: its square is added to the variance of what is
// left. With 0 the rule is as published.
//
// It fails, with ok false, where d is above n/2: then the series is too short for its warm-up, or has no steady state. It
// fails too with fewer than ten batches. The rule is a heuristic: it finds no warm-up in a series that drifts as slowly
// as it varies (Wang and Glynn, "On the marginal standard error rule and the testing of initial transient deletion
// methods", ACM TOMACS 27, 2016).
func MSER5(series []float64, resolution float64) (warmup int, ok bool) {
	n := len(series) / mserBatch
	if n < mserLeast {
		return 0, false
	}
	best, least := 0, 0.0
	mean, squares := 0.0, 0.0 // of the batches from d on
	for d := n - 1; d >= 0; d-- {
		sum := 0.0
		for _, v := range series[d*mserBatch : (d+1)*mserBatch] {
			sum += v
		}
		z, left := sum/mserBatch, float64(n-d)
		change := z - mean
		mean += change / left
		squares += float64(change * (z - mean))
		if statistic := (squares + float64(left*float64(resolution*resolution))) / float64(left*left); n-d == mserLast || n-d > mserLast && statistic <= least {
			best, least = d, statistic
		}
	}
	return best * mserBatch, 2*best <= n
}
