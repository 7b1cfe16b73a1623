package conf

import (
	"fmt"
	"math"
	"time"
)

// haproxy writes a stick table. It counts in periods of whole ms, and estimates the count of the last period from two.
func haproxy(l Limit, c *Config) (string, error) {
	ms := int64((l.Window + time.Millisecond - 1) / time.Millisecond)
	if ms > math.MaxInt32/2 {
		return "", fmt.Errorf("HAProxy's tables keep a count for 24.8 days at most, and twice the window is longer: %s", l.Window)
	}
	if l.Burst > math.MaxUint32 {
		return "", fmt.Errorf("HAProxy counts to 2^32 at most, got a burst of %d", l.Burst)
	}
	c.say("it has no bucket: it refuses when it estimates more than %d requests in the last %d ms, the same at once and in the long run", l.Burst, ms)
	if rest := l.Window % time.Millisecond; rest != 0 {
		c.say("the window is rounded up to whole ms, from %s", l.Window)
	}
	c.say("the estimate takes the period before this one as even; refused requests count, so that who goes on too fast stays out")
	entries := int64(1024)
	for entries < 2*int64(l.Keys) {
		entries *= 2
	}
	kind, track := haproxyKey(l.Key)
	c.Text = fmt.Sprintf(`backend ratelab
  stick-table type %s size %d expire %dms store http_req_rate(%dms)
# in your frontend
  http-request track-sc0 %s table ratelab
  http-request deny deny_status 429 if { sc_http_req_rate(0) gt %d }
`, kind, entries, 2*ms, ms, track, l.Burst)
	return fmt.Sprintf("haproxy:limit=%d,period=%dms", l.Burst, ms), nil
}

// haproxyKey is a type of table and a sample of HAProxy that has what the keys of a log are.
func haproxyKey(key string) (kind, sample string) {
	const text = "string len 64"
	switch key {
	case "ip":
		return "ipv6", "src"
	case "endpoint":
		return text, "path"
	case "method":
		return text, "method"
	case "agent":
		return text, "req.hdr(user-agent)"
	case "host":
		return text, "req.hdr(host)"
	case "":
		return text, "str(all)"
	}
	return text, "req.hdr(x-api-key)" // whatever names the client
}
