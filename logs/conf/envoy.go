package conf

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
)

// leastFill is the shortest interval in which Envoy's local rate limit may be told to fill.
const leastFill = 50 * time.Millisecond

// envoy writes the local rate limit filter. Tokens and intervals are whole, so that a rate is written as many to an
// interval of usual length, or else as many as make it long enough.
func envoy(l Limit, c *Config) (string, error) {
	tokens, every := int64(0), time.Duration(0)
	for _, length := range []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour} {
		if n := per(l.Rate, length); n.IsInt() && n.Num().IsInt64() {
			tokens, every = n.Num().Int64(), length
			break
		}
	}
	if tokens == 0 {
		times := (leastFill + l.Rate.P - 1) / l.Rate.P
		if int64(times) > math.MaxInt64/l.Rate.N {
			return "", fmt.Errorf("the filter of Envoy has no such rate: %s", l.Rate)
		}
		tokens, every = l.Rate.N*int64(times), l.Rate.P*times
	}
	if tokens > math.MaxUint32 || l.Burst > math.MaxUint32 {
		return "", fmt.Errorf("the filter of Envoy counts tokens to 2^32 at most, got %d a fill and a burst of %d", tokens, l.Burst)
	}
	seconds := strings.TrimSuffix(strings.TrimRight(new(big.Rat).SetFrac64(int64(every), int64(time.Second)).FloatString(9), "0"), ".")
	c.say("one bucket for all clients of a process: one for each needs descriptors, of every known value, or dynamic ones where the version has them")
	c.say("the bucket is a float64 instant, and may refuse at the very instant of a refill; versions with a timer add %d whole tokens every %s s instead", tokens, seconds)
	c.Text = fmt.Sprintf(`- name: envoy.filters.http.local_ratelimit
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
    stat_prefix: ratelab
    token_bucket:
      max_tokens: %d
      tokens_per_fill: %d
      fill_interval: %ss
    filter_enabled:
      runtime_key: local_rate_limit_enabled
      default_value: {numerator: 100, denominator: HUNDRED}
    filter_enforced:
      runtime_key: local_rate_limit_enforced
      default_value: {numerator: 100, denominator: HUNDRED}
`, l.Burst, tokens, seconds)
	return fmt.Sprintf("envoy-local:rate=%s,burst=%d", l.Rate, l.Burst), nil
}
