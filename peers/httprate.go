package peers

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/httprate"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

func httprateLocal() Peer {
	texts := windows(40, time.Nanosecond, rand.New(rand.NewPCG(4, 1)))
	return Peer{
		Program: "github.com/go-chi/httprate",
		Version: moduleVersion("github.com/go-chi/httprate"),
		Start:   library(decideHTTPRate).start,
		Specs: append(specs(len(texts), func(i int, r *rand.Rand) string {
			return fmt.Sprintf("httprate:limit=%d,window=%s", count(1, r), texts[i])
		}), "httprate:limit=0,window=1s", "httprate:limit=49,window=98s", "httprate:limit=1000,window=7s"),
		Decisions: libraryDecisions,
		Ways:      Ways{Back: 2 * day},
		Note: "Made at a whole multiple of its window since the epoch, in a bubble of testing/synctest; a step back goes on in a new bubble. " +
			"With its counter in memory; a counter in Redis and limits given with a request are not modelled.",
	}
}

// headers is a ResponseWriter for a limiter that sets headers only.
type headers struct{ header http.Header }

func (h headers) Header() http.Header         { return h.header }
func (h headers) Write(b []byte) (int, error) { return len(b), nil }
func (h headers) WriteHeader(int)             {}

// number reads a header that must be there.
func (h headers) number(name string) (int64, error) {
	n, err := strconv.ParseInt(h.header.Get(name), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("header %s: %w", name, err)
	}
	return n, nil
}

// decideHTTPRate calls OnLimit, as the middleware does, and reads the headers.
func decideHTTPRate(c *Case) ([]limiters.Decision, error) {
	limit, err := spec.ParseCount(param(c.Spec, "limit"))
	if err != nil {
		return nil, err
	}
	window, err := spec.ParseDuration(param(c.Spec, "window"))
	if err != nil {
		return nil, err
	}
	var l *httprate.RateLimiter
	c.bubble(func() { // its windows count from here
		time.Sleep(window - bubbleStart%window)
		l = httprate.NewRateLimiter(int(limit), window)
	})
	request, err := http.NewRequest(http.MethodGet, "/", nil)
	if err != nil {
		return nil, err
	}
	return inBubbles(c, func(a Arrival) (d limiters.Decision, err error) {
		h := headers{http.Header{}}
		d.Admitted = !l.OnLimit(h, request.WithContext(httprate.WithIncrement(background, int(a.Cost))), c.KeyText(a.Key))
		var reset, retry int64
		if d.Limit, err = h.number("X-RateLimit-Limit"); err != nil {
			return d, err
		}
		if d.Remaining, err = h.number("X-RateLimit-Remaining"); err != nil {
			return d, err
		}
		if reset, err = h.number("X-RateLimit-Reset"); err != nil {
			return d, err
		}
		d.Reset = time.Duration(reset)*time.Second - a.At
		if !d.Admitted {
			if retry, err = h.number("Retry-After"); err != nil {
				return d, err
			}
			d.RetryAfter = time.Duration(retry) * time.Second
		}
		d.Has = contract.AllHints
		return d, nil
	})
}
