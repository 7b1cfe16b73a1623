package limiters

import "ratelab/limiters/contract"

// Policy returns what a server tells of the limiter under a name, see
// [contract.NewPolicy]: its capacity, and the time in which all of it comes
// back at the long-run rate.
func (s Spec) Policy(name string) contract.Policy {
	rate, _ := s.Rate()
	return contract.NewPolicy(name, s.Capacity(), rate.N, rate.P)
}
