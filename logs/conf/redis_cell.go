package conf

import (
	"fmt"
	"math/big"
	"time"
)

// redisCell writes a command of redis-cell: CL.THROTTLE key max_burst count period quantity, the period in whole
// seconds, and the burst beside the first.
func redisCell(l Limit, c *Config) (string, error) {
	count := per(l.Rate, time.Second)
	seconds := new(big.Int).Set(count.Denom()) // the fewest that bring a whole number
	requests := new(big.Int).Set(count.Num())
	for _, usual := range []int64{1, 60, 3600, 86400} {
		if n := per(l.Rate, time.Duration(usual)*time.Second); n.IsInt() {
			requests, seconds = n.Num(), big.NewInt(usual)
			break
		}
	}
	if !requests.IsInt64() || !seconds.IsInt64() || seconds.Int64() > int64(1<<63-1)/int64(time.Second) {
		return "", fmt.Errorf("redis-cell has no such rate: %s", l.Rate)
	}
	interval := new(big.Int).Mul(seconds, big.NewInt(int64(time.Second)))
	interval, rest := interval.QuoRem(interval, requests, new(big.Int))
	switch {
	case interval.Sign() == 0:
		return "", fmt.Errorf("redis-cell knows no rate above 1000000000/s, got %s", l.Rate)
	case rest.Sign() != 0:
		c.say("one request every %s ns, rounded down: a little faster", interval)
	}
	if l.Burst > 1 {
		c.say("max_burst %d is beside the first: %d pass at once", l.Burst-1, l.Burst)
	}
	c.say("a key's debt is forgotten up to 1 ms early; hints are whole seconds")
	c.Text = fmt.Sprintf("CL.THROTTLE <key> %d %s %s 1\n", l.Burst-1, requests, seconds)
	return fmt.Sprintf("redis-cell:rate=%s,burst=%d", l.Rate, l.Burst-1), nil
}
