package conf

import (
	"fmt"
	"math/big"
	"time"
)

// zoneState is what a key takes in a zone of limit_req on a machine of 64 bits, if its text is short.
const zoneState = 128

// nginx writes limit_req. Its rates are whole requests a second or a minute, which it keeps in thousandths of a request
// a second, and its burst is what may come beside the first.
func nginx(l Limit, c *Config) (string, error) {
	rate, n := "", new(big.Int)
	if second := per(l.Rate, time.Second); second.IsInt() {
		n.Set(second.Num())
		rate = n.String() + "r/s"
		c.say("the rate is exact")
	} else {
		minute := per(l.Rate, time.Minute)
		twice := new(big.Rat).Add(minute, big.NewRat(1, 2)) // the nearest whole number
		n.Quo(twice.Num(), twice.Denom())
		if n.Sign() == 0 {
			return "", fmt.Errorf("nginx knows no rate below 1r/m, and %s is nearer to none", l.Rate)
		}
		rate = n.String() + "r/m"
		if !minute.IsInt() {
			c.say("%s is no whole number of requests a second or a minute: %s is the nearest", l.Rate, rate)
		}
		milli := new(big.Int).Mul(n, big.NewInt(1000))
		rest := new(big.Int)
		milli.QuoRem(milli, big.NewInt(60), rest)
		if rest.Sign() != 0 {
			c.say("nginx keeps rates in thousandths of a request a second: %s is %s of them, one request in %s s", rate, milli, decimal(new(big.Rat).SetFrac(big.NewInt(1000), milli)))
		}
	}
	c.say("its clock is in ms, and what a request leaves over below a thousandth is lost")
	burst, dialect := "", fmt.Sprintf("nginx:rate=%s,burst=%d", rate, l.Burst-1)
	if l.Burst > 1 {
		burst = fmt.Sprintf(" burst=%d", l.Burst-1)
		c.say("burst=%d is beside the first: %d pass at once", l.Burst-1, l.Burst)
	}
	if !l.Queue {
		dialect += ",nodelay"
		if burst != "" {
			burst += " nodelay"
		}
	}
	megabytes := max(1, (2*int64(l.Keys)*zoneState+1<<20-1)>>20)
	c.Text = fmt.Sprintf(`# in http; %s is the key, and the zone holds %d clients
limit_req_zone %s zone=ratelab:%dm rate=%s;
limit_req_status 429;
# in http, server or location
limit_req zone=ratelab%s;
`, nginxKey(l.Key), megabytes<<20/zoneState, nginxKey(l.Key), megabytes, rate, burst)
	return dialect, nil
}

// nginxKey is a variable of nginx that has what the keys of a log are.
func nginxKey(key string) string {
	switch key {
	case "ip":
		return "$binary_remote_addr"
	case "user":
		return "$remote_user"
	case "endpoint":
		return "$uri"
	case "method":
		return "$request_method"
	case "agent":
		return "$http_user_agent"
	case "host":
		return "$host"
	case "":
		return "$server_name"
	}
	return "$http_x_api_key" // whatever names the client
}
