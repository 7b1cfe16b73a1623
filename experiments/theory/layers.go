package theory

import (
	"math"
	"time"
)

// Charge says who pays in a stack of limits.
type Charge int

// The ways to charge.
const (
	ChargedOnAdmission Charge = iota // all layers pay for what all admit, none for the rest
	ChargedInOrder                   // each layer pays, up to the one that refuses
	ChargedAlways                    // each layer pays for what it would admit alone
)

// LayerSums is what two limits, one of each user and one shared by all, admit, spend and refuse, in requests.
type LayerSums struct {
	Greedy, Others             float64 // admitted
	UserSpent, SharedSpent     float64 // charged to all users' limits together, and to the shared one
	RefusedUser, RefusedShared float64 // by the first layer, in order, that refuses
}

// LayersGreedyFirst returns what comes of one user who sends greedy >= 0 requests and of others >= 0 users who then send each >= 0,
// no more than their limit: all within one window of both limits, user >= 0 requests for each user and shared > user for all. With
// sharedFirst the shared limit is asked first. Outside the domain all fields are NaN.
//
// The greedy user's own limit lets min(greedy, user) pass. Charged on admission, or asked behind that limit, the shared one pays for
// these alone; in front, or charged always, it spends min(greedy, shared) on that user.
func LayersGreedyFirst(charge Charge, sharedFirst bool, user, shared, greedy, others, each int64) LayerSums {
	const most = 1 << 26 // products are exact
	if charge < ChargedOnAdmission || charge > ChargedAlways || min(user, greedy, others, each) < 0 || each > user || user >= shared ||
		max(shared, greedy, others) > most {
		v := math.NaN()
		return LayerSums{v, v, v, v, v, v}
	}
	polite, served := others*each, min(greedy, user)
	sharedSees := greedy // of the greedy user's requests
	if charge == ChargedOnAdmission || charge == ChargedInOrder && !sharedFirst {
		sharedSees = served
	}
	passed := min(polite, shared-min(sharedSees, shared))

	s := LayerSums{Greedy: float64(served), Others: float64(passed)}
	s.UserSpent, s.SharedSpent = s.Greedy+s.Others, s.Greedy+s.Others
	if charge == ChargedAlways || charge == ChargedInOrder && !sharedFirst {
		s.UserSpent = float64(served + polite)
	}
	if charge == ChargedAlways || charge == ChargedInOrder && sharedFirst {
		s.SharedSpent = float64(min(greedy+polite, shared))
	}
	byUser := greedy - served
	if charge != ChargedOnAdmission && sharedFirst {
		byUser = min(greedy, shared) - served
	}
	s.RefusedUser, s.RefusedShared = float64(byUser), float64(greedy+polite-served-passed-byUser)
	return s
}

// BucketBill returns the most that a token bucket of burst b >= 1 and tokens per per lets be spent in a span δ > 0, if a request costs
// price: (b + rδ)·price. Any half-open span; TokenBucketEnvelope is the whole number below.
func BucketBill(burst, tokens int64, per, delta time.Duration, price float64) float64 {
	if !lengths(burst, per, delta) || tokens < 1 || !(price >= 0) {
		return math.NaN()
	}
	return (float64(burst) + float64(float64(tokens)*float64(delta)/float64(per))) * price
}

// LoopAdmitted returns how many of n >= 1 requests that come every pause > 0 from 0 on a token bucket admits, which is full at 0 and has
// burst >= 1: min(n, b + ⌊r·(n-1)·pause⌋). NaN for a pause longer than per/tokens: the bucket then spills.
func LoopAdmitted(burst, tokens int64, per, pause time.Duration, n int64) float64 {
	if !lengths(burst, per, pause) || tokens < 1 || n < 1 || int64(pause) > int64(per)/tokens || n > math.MaxInt64/int64(pause) {
		return math.NaN()
	}
	return min(float64(n), floorMulDiv(burst, tokens, (n-1)*int64(pause), int64(per)))
}
