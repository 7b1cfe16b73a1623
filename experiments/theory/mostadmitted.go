package theory

import "time"

// MostAdmitted returns the largest number of these arrivals, whose times do not decrease, that anybody who knows all of them can
// admit, at once or not at all, such that no half-open interval of length window > 0 holds more than limit >= 1.
//
// To admit each as soon as the constraint lets one in is best. A choice a_1 <= a_2 <= … meets the constraint iff
// a_k >= a_{k-limit} + window for all k. With g the earliest choice, g_k <= a_k by induction: a_k comes after a_{k-1}, so after
// g_{k-1}, and not before a_{k-limit} + window >= g_{k-limit} + window; g_k is the first arrival of which both are true. So a has
// no more members than g. It is what a sliding log decides, and no code of it.
//
// Of arrivals that are worth something and others that are not, the most of worth that can be admitted is MostAdmitted of the former
// alone: to leave out one of the others never breaks the constraint.
func MostAdmitted(times []time.Duration, limit int, window time.Duration) int {
	var chosen []time.Duration
	for _, t := range times {
		if k := len(chosen); k < limit || t-chosen[k-limit] >= window {
			chosen = append(chosen, t)
		}
	}
	return len(chosen)
}
