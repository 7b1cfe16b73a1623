package decide

import (
	"strconv"
	"time"

	"ratelab/limiters/contract"
	"ratelab/logs"
)

// HTTPHeader names the columns of [Options.Headers]: the status of an HTTP response that gives the answer, and its
// header fields, in lower case, as HTTP/2 has them. What the answer does not say is empty. See [contract.Style.Format];
// hints are in whole seconds.
const HTTPHeader = "status,retry-after,x-ratelimit-limit,x-ratelimit-remaining,x-ratelimit-reset,ratelimit,ratelimit-policy"

// appendMessage appends the columns of HTTPHeader, each after a comma.
func appendMessage(line []byte, now time.Duration, d contract.Decision, under []contract.Standing) []byte {
	reply := contract.Reply{Outcome: contract.OK, Decision: d}
	if !d.Admitted {
		reply.Outcome = contract.Throttled
	}
	m := contract.Style{}.Format(reply, now, under...)
	line = strconv.AppendInt(append(line, ','), int64(m.Status), 10)
	for _, value := range [...]string{m.RetryAfter, m.Limit, m.Remaining, m.Reset, m.RateLimit, m.Policies} {
		line = logs.AppendField(append(line, ','), value)
	}
	return line
}
