package theory

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestOutsideItsDomainAFunctionReturnsNaN(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	stream := OnOff{Rate: 10, On: 1, Off: 2}
	const s = time.Second
	values := map[string][]float64{}
	for _, bad := range []float64{0, -1, inf, nan} {
		limits := []int{3, 3}
		least, greatest := CounterErrorBounds(0.5, min(bad, -1))
		values["rate"] = append(values["rate"],
			TokenBucketLoss(bad, 3), TokenBucketFullShare(bad, 3), OneTokenAdmitShare(bad), TickBucketLoss(bad, 1, 3),
			TokenBucketAdmittedRate(bad, 1, 3), TokenBucketAdmittedRate(1, bad, 3),
			MD1Wait(bad), MD1KWait(bad, 3), MD1TickWait(bad),
			FixedWindowAdmitted(bad, 3), FixedWindowAdmitShare(bad, 3), ErlangB(bad, 3), SlidingLogAdmitShare(bad, 3), SlidingLogAllAdmitShare(bad, 3),
			SlidingCounterAdmitShare(Fits, CountAdmitted, 3, bad), SlidingCounterAdmitShare(Below, CountAll, 3, bad),
			CounterErrorPoissonVariance(bad, 0.5), CounterErrorPoissonRMS(bad), CounterErrorPoissonMeanAbs(bad),
			CounterErrorPoissonMeanAbsAt(bad, 0.5), CounterErrorPoissonMeanAbsNormal(bad),
			CounterErrorOnOffVariance(stream, bad, 0.5), CounterErrorOnOffMeanVariance(stream, bad),
			CounterErrorOnOffArrivalBias(stream, bad), CounterErrorOnOffArrivalBiasAt(stream, bad, 0.5), least, greatest,
			CounterErrorMeanSquare(func(s float64) float64 { return s }, min(bad, 0)),
			stream.CountMean(bad), stream.CountVariance(bad), stream.Dispersion(bad),
			OnOffWithDecay(bad, 2, 1, 1).Rate, OnOffWithDecay(1, 1+bad, 1, 1).Rate, OnOffWithDecay(1, 2, bad, 1).On, OnOffWithDecay(1, 2, 1, bad).Off,
			OnOffWithDuty(bad, 2, 1, 0.1).Rate, OnOffWithDuty(1, 1+bad, 1, 0.1).On, OnOffWithDuty(1, 2, bad, 0.1).Off, OnOffWithDuty(1, 2, 1, bad).Rate,
			FloodTokenBucket(bad, 1), FloodTokenBucket(1, bad),
			FleetFluid(bad, Equal(2), []float64{3, 3}), FleetFixedWindow(bad, Equal(2), limits), FleetSlidingLog(bad, Equal(2), limits),
			FleetSlidingLogAll(bad, Equal(2), limits), FleetSlidingCounter(Fits, CountAll, bad, Equal(2), limits),
			FleetTokenBucket(bad, Equal(2), 1, limits), FleetTokenBucket(1, Equal(2), bad, limits), FleetTickBucket(bad, Equal(2), 1, limits),
			FleetRoundRobinFixedWindow(bad, limits))
	}
	for _, bad := range []float64{-0.1, 1.1, nan} {
		least, greatest := CounterErrorBounds(bad, 3)
		values["share"] = append(values["share"], least, greatest, CounterErrorBurst(bad, 0.5), CounterErrorBurst(0.5, bad), CounterErrorBurstMean(bad),
			CounterErrorBurstMeanAbs(bad), CounterErrorPoissonVariance(3, bad), CounterErrorPoissonMeanAbsAt(3, bad),
			CounterErrorOnOffVariance(stream, 1, bad), CounterErrorOnOffArrivalBiasAt(stream, 1, bad), OnOffWithDuty(1, 2, 1, bad).Rate)
	}
	for _, bad := range []OnOff{{}, {Rate: 1}, {Rate: 1, On: 1, Off: -1}, {Rate: nan, On: 1, Off: 1}, {Rate: 1, On: inf, Off: 1}} {
		values["stream"] = append(values["stream"], bad.Duty(), bad.Decay(), bad.MeanRate(), bad.CountMean(1), bad.CountVariance(1), bad.Dispersion(1),
			CounterErrorOnOffVariance(bad, 1, 0.5), CounterErrorOnOffMeanVariance(bad, 1),
			CounterErrorOnOffArrivalBias(bad, 1), CounterErrorOnOffArrivalBiasAt(bad, 1, 0.5))
	}
	for _, bad := range []int{0, -1} {
		values["limit"] = append(values["limit"], TokenBucketLoss(1, bad), TokenBucketFullShare(1, bad), TokenBucketAdmittedRate(1, 1, bad),
			TickBucketLoss(1, 1, bad), TickBucketLoss(1, bad, 1), MD1KWait(1, bad),
			FixedWindowAdmitted(1, -1), ErlangB(1, -1), SlidingLogAllAdmitShare(1, -1), SlidingCounterAdmitShare(Fits, CountAll, bad, 1),
			FloodCounter(Fits, int64(bad)), CounterTwoWindowEnvelope(Fits, int64(bad)),
			LogEnvelope(int64(bad), s, s), FixedWindowEnvelope(int64(bad), s, s), FixedWindowEnvelopeOnClock(int64(bad), s, s),
			FirstRequestWindowEnvelopeOnClock(int64(bad), s, s), CounterEnvelope(Fits, int64(bad), s, s), CounterEnvelopeOnClock(Below, int64(bad), s, s),
			TokenBucketEnvelope(int64(bad), 1, s, s), TokenBucketEnvelope(1, int64(bad), s, s), TokenBucketEnvelopeOnClock(int64(bad), 1, s, s),
			TokenBucketEnvelopeOnClock(1, int64(bad), s, s), TickBucketEnvelopeOnClock(int64(bad), 1, s, s), TickBucketEnvelopeOnClock(1, int64(bad), s, s),
			QuotaUsedShare(bad, 3, Drop), QuotaUsedShare(3, bad, Drop), QuotaUsedShareCounter(Fits, bad, 3, Drop), QuotaUsedShareCounter(Fits, 3, bad, Drop),
			FleetSaturated(bad, 3), FleetSaturated(3, -1))
	}
	for _, bad := range []time.Duration{0, -1} {
		values["time"] = append(values["time"], LogEnvelope(3, bad, s), LogEnvelope(3, s, bad), FixedWindowEnvelope(3, bad, s), FixedWindowEnvelope(3, s, bad),
			FixedWindowEnvelopeOnClock(3, bad, s), FixedWindowEnvelopeOnClock(3, s, bad), FirstRequestWindowEnvelopeOnClock(3, bad, s),
			FirstRequestWindowEnvelopeOnClock(3, s, bad), CounterEnvelope(Fits, 3, bad, s), CounterEnvelope(Fits, 3, s, bad),
			CounterEnvelopeOnClock(Fits, 3, bad, s), CounterEnvelopeOnClock(Fits, 3, s, bad), TokenBucketEnvelope(3, 1, bad, s), TokenBucketEnvelope(3, 1, s, bad),
			TokenBucketEnvelopeOnClock(3, 1, bad, s), TokenBucketEnvelopeOnClock(3, 1, s, bad), TickBucketEnvelopeOnClock(3, 1, bad, s), TickBucketEnvelopeOnClock(3, 1, s, bad))
	}
	values["beyond"] = []float64{
		MD1Wait(1), MD1TickWait(1.5), CounterErrorPoissonMeanAbs(CounterErrorMaxMean + 1), CounterErrorPoissonMeanAbsAt(2e6, 0.5),
		SlidingCounterAdmitShare(Fits, CountAll, SlidingCounterMaxLimit+1, 1), SlidingCounterAdmitShare(Fits, CountAll, 1, SlidingCounterMaxMean+1),
		CounterEnvelope(Fits, 3, s, s+1), CounterEnvelopeOnClock(Fits, 3, s, s+1), FirstRequestWindowEnvelopeOnClock(3, s, s+1),
		TokenBucketEnvelopeOnClock(3, 2, 1, s), LogEnvelope(1<<53+1, s, s),
	}
	values["unknown name"] = []float64{
		SlidingCounterAdmitShare(Rule(7), CountAll, 3, 1), SlidingCounterAdmitShare(Fits, Count(7), 3, 1), CounterEnvelope(Rule(7), 3, s, s),
		CounterEnvelopeOnClock(Rule(7), 3, s, s), CounterTwoWindowEnvelope(Rule(7), 3), FloodCounter(Rule(7), 3), QuotaUsedShareCounter(Rule(7), 3, 1, Drop),
	}
	values["weights"] = []float64{
		FleetFixedWindow(1, nil, nil), FleetFixedWindow(1, Equal(2), []int{1}), FleetFixedWindow(1, []float64{0.5, 0.6}, []int{1, 1}),
		FleetFixedWindow(1, []float64{-0.5, 1.5}, []int{1, 1}), FleetFixedWindow(1, Equal(2), []int{1, -1}), FleetFluid(1, Equal(2), nil),
		FleetRoundRobinFixedWindow(1, nil), FleetRoundRobinFixedWindow(1, []int{1, -1}),
	}
	for _, bad := range []float64{0, -1, inf, nan} {
		values["fleet rate"] = append(values["fleet rate"],
			QuotaUsedShareRandom(bad, Equal(2), 3, Drop), ShardedKeyFixedWindow(bad, 3, 2, Drop),
			SyncedOvershootFluid(2, bad, 1, 0), SyncedOvershootFluid(2, 1, bad, 0), SyncedOvershootFluidMean(2, bad, 0), SyncedOvershootFluidWorst(2, bad, 0),
			SyncedIgnoreOvershootFluid(bad, 1, 0), SyncedIgnoreOvershootFluid(1, bad, 0), SyncedIgnoreOvershootFluidMean(bad, 0),
			SyncedOvershoot(2, 3, bad, 4), SyncedIgnoreOvershoot(3, bad, 0, 4), MM1Wait(bad), StoreLatency(1, bad, 2), StoreLatency(1, 2, bad),
			StoreLatencyExponential(1, bad, 2), StoreLatencyExponential(1, 2, bad), OutageOpen(bad, 1, 3), OutageClosed(bad, 3),
			OutageLocal(bad, 1, 3, Equal(1), []int{1}), OutageLocal(1, bad, 3, Equal(1), []int{1}), ChoicesTime(bad, 2), ChoicesTail(bad, 2, 1))
	}
	for _, bad := range []float64{-1, inf, nan} {
		values["delay"] = append(values["delay"], SyncedOvershootFluid(2, 1, 1, bad), SyncedOvershootFluidMean(2, 1, bad), SyncedOvershootFluidWorst(2, 1, bad),
			SyncedIgnoreOvershootFluid(1, 1, bad), SyncedIgnoreOvershootFluidMean(1, bad), SyncedIgnoreOvershoot(3, 1, bad, 4),
			RaceOvershoot(WriteAdd, 3, bad), RaceOvershoot(WriteSet, 3, bad), RaceOvershootAtMost(WriteSet, 3, bad, 1), RaceOvershootQuantile(WriteSet, 3, bad, 0.5),
			StoreLatency(bad, 1, 2), StoreLatencyExponential(bad, 1, 2), OutageOpen(1, bad, 3), HashRemapEnvelope(-1, 1))
	}
	for _, bad := range []int{0, -1} {
		values["fleet count"] = append(values["fleet count"],
			QuotaUsedShareRandom(1, Equal(bad), 3, Drop), QuotaUsedShareRandom(1, Equal(2), bad, Drop), ShardedKeyLimit(3, bad, Drop), ShardedKeyLimit(bad, 3, Drop),
			ShardedKeyFixedWindow(1, bad, 2, Drop), ShardedKeyFixedWindow(1, 3, bad, Drop), SyncedOvershootFluid(bad, 1, 1, 0), SyncedOvershootFluidMean(bad, 1, 0),
			SyncedOvershootFluidWorst(bad, 1, 0), SyncedOvershoot(bad, 3, 1, 4), SyncedOvershoot(2, bad, 1, 4), SyncedOvershoot(2, 3, 1, bad),
			SyncedIgnoreOvershoot(bad, 1, 0, 4), SyncedIgnoreOvershoot(3, 1, 0, bad), SyncedBound(bad, 3), LeaseGrantCalls(-1, 2), LeaseGrantCalls(3, bad),
			LeaseStrandedLimit(bad, 2), LeaseStrandedLimit(2, bad), LeaseStrandedMost(bad, 2), LeaseStrandedMost(2, bad), LeaseOutliving(bad, 2), LeaseOutliving(2, bad),
			LeaseStranded(bad, 2, 3), LeaseStranded(2, bad, 3), LeaseStranded(2, 3, bad), RaceOvershoot(WriteAdd, bad, 1), RaceOvershootAtMost(WriteAdd, bad, 1, 1),
			RaceOvershootAtMost(WriteAdd, 1, 1, -1), RaceOvershootQuantile(WriteAdd, bad, 1, 0.5), OutageClosed(1, -1), ChoicesTime(0.5, bad), ChoicesTail(0.5, bad, 1),
			ChoicesTail(0.5, 2, -1), HashRemapEnvelope(1, -1))
	}
	values["beyond, fleet"] = []float64{
		LeaseStranded(LeaseMaxServers+1, 2, 3), LeaseStranded(2, LeaseMaxBatch+1, 3), LeaseStranded(2, 3, LeaseMaxLimit+1), SyncedOvershoot(2, SyncedMaxLimit+1, 1, 4),
		MM1Wait(1), StoreLatency(1, 2, 2), StoreLatencyExponential(1, 3, 2), ChoicesTime(1, 2), ChoicesTail(1, 2, 1), RaceOvershootQuantile(WriteAdd, 1, 1, 1),
		RaceOvershoot(Write(7), 3, 1), RaceOvershootAtMost(Write(7), 3, 1, 1), RaceOvershootQuantile(Write(7), 3, 1, 0.5), ShardedKeyFixedWindow(1, 3, 2, Remainder(7)),
		QuotaUsedShareRandom(1, Equal(2), 3, Remainder(7)),
	}
	for _, bad := range []float64{0, -1, inf, nan} {
		values["client rate"] = append(values["client rate"], LimiterRefusal(bad, 1), LimiterAttempts(bad, 1), HerdOneKeyDrain(1, bad), FullJitterFirst(1, bad, 9, 1),
			FullJitterFirst(1, 1, bad, 1), RatioBudgetMost(bad, 1, 1), ThrottleSent(bad, 1, 2), ThrottleSent(1, bad, 2),
			ThrottleSent(1, 1, bad), ThrottleSentPerAccept(1, 1, bad), ThrottleRefusal(2, 1, bad), OverloadOffered(bad, 1), OverloadHealsBelow(bad, 1),
			OverloadRetriesBelow(bad, 1), OverloadRetriesBelow(1, bad), OverloadQueueInTime(bad, 1), OverloadQueueInTime(1, bad), DoorCollapse(1, bad),
			DoorGoodput(bad, 1, 1, 1, 2), DoorGoodput(1, 1, bad, 1, 2), DoorGoodput(1, 1, 1, 1, bad), DoorGoodputRefusals(bad, 1, 1, 1, 2),
			DoorGoodputRefusals(1, 1, bad, 1, 2), DoorGoodputRefusals(1, 1, 1, 1, bad))
	}
	for _, bad := range []float64{-1, inf, nan} {
		values["client number"] = append(values["client number"], BudgetFluid(0.5, bad).Attempts, BudgetKnee(bad), RatioBudgetMost(1, bad, 1), RatioBudgetMost(1, 1, bad),
			ThrottleRefusal(bad, 0, 2), ThrottleRefusal(1, bad, 2), DoorGoodput(1, 1, 1, bad, 2), DoorGoodputRefusals(1, 1, 1, bad, 2), JainIndex([]float64{1, bad}))
	}
	for _, bad := range []float64{-0.1, 1.1, nan} {
		values["probability"] = append(values["probability"], RetryAttempts(bad, 1), RetrySuccess(bad, 1), TokensPerSuccess(bad), BucketBudget(bad, 1, 1, 2).Success,
			GRPCBudget(bad, 1, 1, 2, 3).Attempts, BudgetFluid(bad, 1).Success, ActiveBudgetMost(bad))
	}
	for _, bad := range []int{0, -1} {
		values["client count"] = append(values["client count"], RetryAttempts(0.5, -1), RetrySuccess(0.5, -1), LimiterRefusal(0.5, -1), LimiterAttempts(0.5, -1),
			HerdPeakAtMost(bad, 2, 3), HerdPeakAtMost(2, bad, 3), HerdPeakAtMost(2, 3, -1), HerdPeakProbability(bad, 2, 3), HerdPeakProbability(2, 3, -1),
			HerdPeakMean(bad, 2), HerdPeakMean(2, bad), HerdEmptyBins(bad, 2), HerdEmptyBins(2, bad), HerdOneKeyReturns(-1, 2), HerdOneKeyReturns(2, bad),
			HerdOneKeyDrain(-1, 2), FullJitterFirst(-1, 1, 2, 1), BucketBudget(0.5, bad, 1, 2).Attempts, BucketBudget(0.5, 1, bad, 2).Attempts, BucketBudget(0.5, 1, 1, bad).Attempts,
			GRPCBudget(0.5, bad, 1, 2, 3).Attempts, GRPCBudget(0.5, 1, bad, 2, 3).Attempts, GRPCBudget(0.5, 1, 1, bad, 3).Attempts, GRPCBudget(0.5, 1, 1, 2, bad).Attempts,
			OverloadOffered(1, -1), OverloadHealsBelow(1, -1), DoorCollapse(bad, 1), DoorGoodput(1, bad, 1, 1, 2), DoorGoodputRefusals(1, bad, 1, 1, 2))
		assert.Nil(t, FullJitterProfile(-1, 1, 2, 3))
		assert.Nil(t, FullJitterProfile(1, bad, 2, 3))
		assert.Nil(t, FullJitterProfile(1, 2, bad, 3))
		assert.Nil(t, FullJitterProfile(1, 2, 2, bad))
	}
	values["beyond, clients"] = []float64{
		HerdPeakAtMost(HerdMaxBalls+1, 2, 3), HerdPeakAtMost(2, HerdMaxBalls+1, 1), FullJitterFirst(1, 2, 4, 2.1), FullJitterFirst(1, 4, 2, 1), FullJitterFirst(1, 4, 8, 0),
		BucketBudget(0.5, 1, 3, 2).Attempts, BucketBudget(0.5, 1, 1, BudgetMaxCap+1).Attempts, GRPCBudget(0.5, 3, 1, 2, 3).Attempts, ThrottleRefusal(1, 2, 2),
		TokensPerSuccess(1), ActiveBudgetMost(1), OverloadRetriesBelow(2, 2), DoorGoodputRefusals(1, 1, 1, 2, 2), JainIndex(nil), JainIndex([]float64{0, 0}),
	}
	assert.Nil(t, FullJitterProfile(1, 2, 2, FullJitterMaxHorizon+1))
	for _, shares := range []func([]float64, float64) []float64{MaxMinShares, ProportionalShares} {
		assert.Nil(t, shares(nil, 1))
		assert.Nil(t, shares([]float64{1, -1}, 1))
		assert.Nil(t, shares([]float64{1, nan}, 1))
		assert.Nil(t, shares([]float64{1}, -1))
		assert.Nil(t, shares([]float64{1}, inf))
	}
	for group, results := range values {
		for i, x := range results {
			assert.True(t, math.IsNaN(x), "%s: result %d is %v", group, i, x)
		}
	}
}
