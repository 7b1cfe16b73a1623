package metrics

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDictionaryHoldsTheseNamesInThisOrder(t *testing.T) {
	expected := strings.Fields(`
		offered admitted refused refused_by_user refused_by_ip refused_by_endpoint refused_by_global
		admit_share admitted_rate
		max_window_admitted overshoot excess_mean excess_share admitted_over_rate
		delay_mean delay_p50 delay_p90 delay_p99 delay_p999 delay_max
		level_min level_max level_mean level_full_share`)
	for _, kind := range []string{"error_open_time_", "error_open_arrivals_", "error_closed_"} {
		for _, suffix := range strings.Fields("mean mean_abs rms min max p01 p05 p50 p95 p99") {
			expected = append(expected, kind+suffix)
		}
	}
	expected = append(expected, strings.Fields(`throughput_deficit false_refusals false_admissions decisions_differ keys_live_max keys_forgotten keys_forgotten_early
		store_ops_per_request store_ops_rate store_hot_shard_share store_wait_mean store_wait_p50 store_wait_p90 store_wait_p99 store_wait_p999 store_wait_max
		messages_per_request wasted_charges late_answers failed_open failed_closed failed_local
		lease_grants stranded_tokens expired_tokens unused_share idle_sibling_refusals zero_share_servers
		offered_store_down admitted_store_down restarts lost_messages doubled_messages clock_spread
		requests attempts succeeded gave_up unfinished success_share amplification attempts_per_success units_per_success hints_obeyed hint_honesty
		time_to_success_mean time_to_success_p50 time_to_success_p90 time_to_success_p99 time_to_success_p999 time_to_success_max
		gave_up_exhausted gave_up_hopeless gave_up_over_budget gave_up_withheld gave_up_crowded
		heard_throttled heard_shed heard_timeout heard_store_down lost_replies
		refusal_latency_mean refusal_latency_p50 refusal_latency_p90 refusal_latency_p99 refusal_latency_p999 refusal_latency_max
		peak_attempts peak_attempts_aligned peak_retries peak_retries_aligned synchronisation
		goodput served wasted_work_share utilisation shed dropped_abandoned queue_length_mean queue_length_max
		queue_delay_mean queue_delay_p50 queue_delay_p90 queue_delay_p99 queue_delay_p999 queue_delay_max
		useful_share_tier_0 useful_share_tier_1 useful_share_tier_2 stuck recovered time_to_recover`)...)
	var names []string
	for _, info := range Dictionary() {
		names = append(names, info.Name)
	}
	assert.Equal(t, expected, names)
}

func TestDictionaryEntriesAreWholeSentencesWithUnits(t *testing.T) {
	units := []string{"requests", "requests/s", "tokens", "s", "1", "keys", "operations", "operations/s", "servers", "messages"}
	for _, info := range Dictionary() {
		assert.Contains(t, units, info.Unit, info.Name)
		assert.Regexp(t, `^[A-Za-z(][^\n]+\.$`, info.Description, info.Name)
		assert.NotContains(t, info.Description, "  ", info.Name)
	}
}

func TestDescribe(t *testing.T) {
	info, ok := Describe("delay_p999")
	require.True(t, ok)
	assert.Equal(t, Info{"delay_p999", "s", "Delay that 99.9 % of admitted requests do not exceed, within 1/128."}, info)
	info, ok = Describe("time_to_success_mean_retry_after_2")
	require.True(t, ok)
	assert.Equal(t, Info{"time_to_success_mean_retry_after_2", "s", "(Of clients retry_after_2.) Mean time from a request's beginning to its success, over those that began in the span and succeeded."}, info)
	info, _ = Describe("attempts_per_success")
	assert.Equal(t, "Attempts / requests that succeeded.", info.Description, "it is no policy's")
	_, ok = Describe("delay_p9999")
	assert.False(t, ok)
}

// TestStatisticsAreTheDictionarys compares what the distributions emit with the
// entries of the dictionary under the same prefix, in order.
func TestStatisticsAreTheDictionarys(t *testing.T) {
	emitters := map[string]func(string, func(string, float64)){
		"delay":               new(Delay).Statistics,
		"store_wait":          new(Delay).Statistics,
		"time_to_success":     new(Delay).Statistics,
		"refusal_latency":     new(Delay).Statistics,
		"queue_delay":         new(Delay).Statistics,
		"level":               NewLevel(1, 1, Span{}).Statistics,
		"error_open_time":     new(Errors).Statistics,
		"error_open_arrivals": new(Errors).Statistics,
		"error_closed":        new(Errors).Statistics,
	}
	for prefix, statistics := range emitters {
		var emitted, listed []string
		statistics(prefix, func(name string, _ float64) { emitted = append(emitted, name) })
		for _, info := range Dictionary() {
			if strings.HasPrefix(info.Name, prefix+"_") {
				listed = append(listed, info.Name)
			}
		}
		assert.Equal(t, listed, emitted)
	}
}
