package peers

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"time"

	"golang.org/x/time/rate"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

func xTimeRate() Peer {
	texts := rates(40, rand.New(rand.NewPCG(1, 1)))
	return Peer{
		Program: "golang.org/x/time/rate",
		Version: moduleVersion("golang.org/x/time"),
		Start:   library(decideXTimeRate).start,
		Specs: append(specs(len(texts), func(i int, r *rand.Rand) string {
			return fmt.Sprintf("x-time-rate:rate=%s,burst=%d", texts[i], count(0, r))
		}), "x-time-rate:rate=inf,burst=0", "x-time-rate:rate=0,burst=2", "x-time-rate:rate=10/s,burst=9007199254740991"),
		Decisions: libraryDecisions,
		Ways:      Ways{Back: 2 * day},
		Note: "AllowN decides; a refused request's wait is ReserveN's, asked of a copy. Reservations that are cancelled, " +
			"limits that are changed and waiting (Wait) are not modelled.",
	}
}

// decideXTimeRate calls AllowN, with a limiter for every key.
func decideXTimeRate(c *Case) ([]limiters.Decision, error) {
	s, err := limiters.Parse(c.Spec)
	if err != nil {
		return nil, err
	}
	limit := rate.Inf
	if param(c.Spec, "rate") != "inf" {
		if limit, err = perSecond(param(c.Spec, "rate")); err != nil {
			return nil, err
		}
	}
	burst, err := spec.ParseCount(param(c.Spec, "burst"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s, err)
	}
	keys := map[uint32]*rate.Limiter{}
	return eachArrival(c, func(a Arrival) (d limiters.Decision, err error) {
		l := keys[a.Key]
		if l == nil {
			l = rate.NewLimiter(limit, int(burst))
			keys[a.Key] = l
		}
		now := time.Unix(0, int64(a.At))
		d.Has = contract.HintRetryAfter
		var before rate.Limiter
		reflect.ValueOf(&before).Elem().Set(reflect.ValueOf(l).Elem())
		if d.Admitted = l.AllowN(now, int(a.Cost)); d.Admitted {
			return d, nil
		}
		d.RetryAfter = limiters.Never
		if r := before.ReserveN(now, int(a.Cost)); r.OK() {
			d.RetryAfter = r.DelayFrom(now)
		}
		return d, nil
	})
}

// perSecond is the float64 nearest to a rate.
func perSecond(text string) (rate.Limit, error) {
	if text == "0" {
		return 0, nil
	}
	r, err := spec.ParseRate(text)
	if err != nil {
		return 0, err
	}
	f, _ := new(big.Rat).SetFrac(
		new(big.Int).Mul(big.NewInt(r.N), big.NewInt(int64(time.Second))), big.NewInt(int64(r.P))).Float64()
	return rate.Limit(f), nil
}
