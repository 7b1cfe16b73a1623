package scenario

import (
	"time"

	"ratelab/clients"
	"ratelab/limiters/contract"
)

// observer is who hears of the clients: the meter, and whoever else asked to.
func (c Config) observer(w *world) clients.Observer {
	if c.Observer == nil {
		return (*watcher)(w)
	}
	return observers{(*watcher)(w), c.Observer}
}

// observers hear one after the other.
type observers [2]clients.Observer

// Sent passes on that an attempt is sent.
func (o observers) Sent(now time.Duration, policy int, req contract.Request, attempt int64) {
	for _, each := range o {
		each.Sent(now, policy, req, attempt)
	}
}

// Heard passes on how an attempt ended.
func (o observers) Heard(now time.Duration, policy int, req contract.Request, r contract.Reply) {
	for _, each := range o {
		each.Heard(now, policy, req, r)
	}
}

// Ended passes on how a request ended.
func (o observers) Ended(now time.Duration, e clients.Ended) {
	for _, each := range o {
		each.Ended(now, e)
	}
}
