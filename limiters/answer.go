package limiters

import (
	"time"

	"ratelab/limiters/contract"
)

// answer fills in what every answer has; what remains is never shown below 0.
//
// Answers are filled in place: a Decision that is handed from function to
// function is copied each time, and the copies cost more than the decision.
func answer(d *Decision, admitted bool, limit, remaining int64) {
	d.Admitted = admitted
	d.Limit = limit
	d.Remaining = max(0, remaining)
	d.Has = contract.AllHints
}

// refusal is the RetryAfter of a refused request: the wait, unless the cost
// exceeds the capacity.
func refusal(cost, capacity int64, wait time.Duration) time.Duration {
	if cost > capacity {
		return Never
	}
	return wait
}
