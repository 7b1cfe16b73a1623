package theory

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestGreedyFirstEqualsCountingRequestByRequest(t *testing.T) {
	for _, charge := range []Charge{ChargedOnAdmission, ChargedInOrder, ChargedAlways} {
		for _, sharedFirst := range []bool{false, true} {
			for user := int64(0); user < 4; user++ {
				for shared := user + 1; shared < 9; shared++ {
					for greedy := int64(0); greedy < 12; greedy++ {
						for others := int64(0); others < 5; others++ {
							for each := int64(0); each <= user; each++ {
								assert.Equal(t, countLayers(charge, sharedFirst, user, shared, greedy, others, each),
									LayersGreedyFirst(charge, sharedFirst, user, shared, greedy, others, each),
									"charge %d, shared first %v, limits %d and %d, greedy %d, %d others with %d", charge, sharedFirst, user, shared, greedy, others, each)
							}
						}
					}
				}
			}
		}
	}
}

// countLayers is the rule of each way to charge, applied to one request after another.
func countLayers(charge Charge, sharedFirst bool, user, shared, greedy, others, each int64) (s LayerSums) {
	spent, sharedSpent := make([]int64, others+1), int64(0)
	request := func(who int64) bool {
		ownRoom, sharedRoom := spent[who] < user, sharedSpent < shared
		switch charge {
		case ChargedOnAdmission:
			if ownRoom && sharedRoom {
				spent[who]++
				sharedSpent++
			}
		case ChargedInOrder:
			if ownRoom && (!sharedFirst || sharedRoom) {
				spent[who]++
			}
			if sharedRoom && (sharedFirst || ownRoom) {
				sharedSpent++
			}
		case ChargedAlways:
			if ownRoom {
				spent[who]++
			}
			if sharedRoom {
				sharedSpent++
			}
		}
		switch {
		case !ownRoom && !(sharedFirst && !sharedRoom):
			s.RefusedUser++
		case !sharedRoom:
			s.RefusedShared++
		}
		return ownRoom && sharedRoom
	}
	for range greedy {
		if request(0) {
			s.Greedy++
		}
	}
	for who := int64(1); who <= others; who++ {
		for range each {
			if request(who) {
				s.Others++
			}
		}
	}
	for _, n := range spent {
		s.UserSpent += float64(n)
	}
	s.SharedSpent = float64(sharedSpent)
	return s
}

func TestALoopGetsTheBurstAndThenTheRate(t *testing.T) {
	assert.EqualValues(t, 20, LoopAdmitted(20, 2, time.Second, 100*time.Millisecond, 20), "a token more comes before the burst is spent")
	assert.EqualValues(t, 20+2*60-1, LoopAdmitted(20, 2, time.Second, 100*time.Millisecond, 600), "until 59.9 s")
	assert.EqualValues(t, 20+2*60, LoopAdmitted(20, 2, time.Second, 100*time.Millisecond, 601), "at 60 s too")
	assert.EqualValues(t, 300, LoopAdmitted(20, 2, time.Second, 500*time.Millisecond, 300), "no faster than the rate")
	for n := int64(1); n < 100; n++ { // token by token, in twentieths
		level, got := int64(3*20), 0.0
		for i := range n {
			if i > 0 {
				level = min(3*20, level+7)
			}
			if level >= 20 {
				level -= 20
				got++
			}
		}
		assert.Equal(t, got, LoopAdmitted(3, 7, 20*time.Millisecond, time.Millisecond, n), "%d", n)
	}
}

func TestABillIsTheBurstAndWhatTheSpanBrings(t *testing.T) {
	assert.InDelta(t, 1.4, BucketBill(20, 2, time.Second, time.Minute, 0.01), 1e-15)
	assert.GreaterOrEqual(t, BucketBill(20, 2, time.Second, time.Minute, 1), TokenBucketEnvelope(20, 2, time.Second, time.Minute))
}

func TestLayersOutsideTheirDomain(t *testing.T) {
	for _, v := range []float64{
		LayersGreedyFirst(ChargedAlways, true, 5, 5, 1, 1, 1).Greedy, LayersGreedyFirst(ChargedAlways, true, 5, 9, 1, 1, 6).UserSpent,
		LayersGreedyFirst(-1, true, 5, 9, 1, 1, 1).Others, LayersGreedyFirst(ChargedInOrder, true, 5, 9, -1, 1, 1).SharedSpent,
		BucketBill(0, 1, 1, 1, 1), BucketBill(1, 1, 1, 0, 1), BucketBill(1, 1, 1, 1, -1),
		LoopAdmitted(1, 1, 10, 11, 5), LoopAdmitted(1, 1, 10, 1, 0),
	} {
		assert.NotEqual(t, v, v, "want NaN")
	}
}
