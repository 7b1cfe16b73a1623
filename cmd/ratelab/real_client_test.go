package main

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/clients"
	"ratelab/des"
	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/workloads"
)

// A Go program that obeys the headers of the demo server waits as long as the
// simulated client that obeys Retry-After, and then both are admitted.
func TestARealClientWaitsAsASimulatedOne(t *testing.T) {
	for _, limiter := range []string{
		"token-bucket:rate=1/s,burst=2",
		"gcra:rate=1/2s,burst=1",
		"fixed-window:limit=2,window=3s,origin=first",
		"sliding-log:limit=1,window=2s",
	} {
		t.Run(limiter, func(t *testing.T) {
			t.Parallel()
			d := startDemo(t, "--limiter "+limiter+" --key X-User")
			began := time.Now()
			var starts, ends []time.Duration // of the requests, since then
			var refused contract.Reply
			for range 100 {
				starts = append(starts, time.Since(began))
				reply := ask(t, d.url)
				ends = append(ends, time.Since(began))
				if reply.Outcome != contract.OK {
					refused = reply
					break
				}
			}
			require.Equal(t, contract.Throttled, refused.Outcome, "a machine that never asks twice in a second can not try this")
			wait := refused.Decision.RetryAfter

			// The server decided between a request's start and its end.
			early, late := simulatedWait(t, limiter, starts), simulatedWait(t, limiter, ends)
			assert.LessOrEqual(t, wait, max(early, late))
			assert.GreaterOrEqual(t, wait, min(early, late))
			assert.Zero(t, wait%time.Second, "headers have whole seconds")

			time.Sleep(wait)
			assert.Equal(t, contract.OK, ask(t, d.url).Outcome, "it waited long enough")
		})
	}
}

// ask sends one request as a real client, and reads the answer's headers.
func ask(t *testing.T, url string) contract.Reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	req.Header.Set("X-User", "ann")
	answer, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return contract.Parse(contract.Read(answer.StatusCode, answer.Header.Values), time.Duration(time.Now().UnixNano()))
}

// simulatedWait is how long a simulated client waits that sends at these times,
// is refused the last, and is admitted when it comes again.
func simulatedWait(t *testing.T, limiter string, at []time.Duration) time.Duration {
	t.Helper()
	spec, err := limiters.Parse(limiter)
	require.NoError(t, err)
	mix, err := clients.ParseMix("retry-after:attempts=2")
	require.NoError(t, err)
	w := &waiting{limiter: spec.New(1, nil)}
	w.people, err = clients.New(clients.Config{
		Mix: mix, Clients: 1, Workload: &listed{at}, Rounded: contract.Rounded, Stream: workloads.Streams(1, 0, ""), Observer: w,
	})
	require.NoError(t, err)
	sim := des.New()
	w.people.Start(sim, w)
	sim.Run(des.Never)
	require.EqualValues(t, len(at), w.people.Total().Ended[clients.Succeeded])
	return w.again - w.heard
}

// listed sends at given times.
type listed struct{ at []time.Duration }

func (l *listed) Next() (workloads.Arrival, bool) {
	if len(l.at) == 0 {
		return workloads.Arrival{}, false
	}
	a := workloads.Arrival{At: l.at[0], Cost: 1}
	l.at = l.at[1:]
	return a, true
}

// waiting is a server with a limiter, and sees when its client comes again.
type waiting struct {
	limiter      limiters.Limiter
	people       *clients.Population
	heard, again time.Duration
}

func (w *waiting) Send(s *des.Sim, req contract.Request) clients.Call {
	reply := contract.Reply{Decision: w.limiter.Take(s.Now(), req.Key, req.Cost)}
	if !reply.Decision.Admitted {
		reply.Outcome = contract.Throttled
	}
	w.people.Decided(req, reply.Decision.Admitted)
	w.people.Done(s, req.ID, reply)
	return 0
}

func (w *waiting) Cancel(clients.Call) bool { return false }

func (w *waiting) Sent(now time.Duration, _ int, _ contract.Request, attempt int64) {
	if attempt == 2 {
		w.again = now
	}
}

func (w *waiting) Heard(now time.Duration, _ int, _ contract.Request, r contract.Reply) {
	if r.Outcome == contract.Throttled {
		w.heard = now
	}
}

func (w *waiting) Ended(time.Duration, clients.Ended) {}
