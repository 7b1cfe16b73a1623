package main

import (
	"container/list"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"ratelab/limiters"
	"ratelab/limiters/contract"
)

const (
	longestKey  = 256      // bytes of a key
	longestBody = 64 << 10 // bytes of a request's body that are read

	readTimeout  = 10 * time.Second // of a request
	writeTimeout = 10 * time.Second // of its answer
)

// gate is an HTTP handler that lets in whom its limiter admits.
type gate struct {
	header string // whose values are the keys; "" is the client's address
	style  contract.Style
	now    func() time.Duration // since 1970

	mu      sync.Mutex
	limiter limiters.Limiter
	policy  contract.Policy
	guests  guests

	forgotten limiters.Forgotten
}

func newGate(s limiters.Spec, seed uint64, most int64) *gate {
	g := &gate{
		policy: s.Policy(contract.DefaultPolicy),
		guests: guests{most: most, ids: map[string]*list.Element{}},
		now:    func() time.Duration { return time.Duration(time.Now().UnixNano()) },
	}
	g.limiter = s.New(seed, func(id uint32) string { return g.guests.names[id] })
	return g
}

// ServeHTTP answers one request.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var tooLong *http.MaxBytesError // which ends the connection after the answer
	if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, longestBody)); err != nil && !errors.As(err, &tooLong) {
		http.Error(w, "the body did not come in time, or not whole", http.StatusRequestTimeout)
		return
	}
	key := g.key(r)
	if len(key) > longestKey {
		http.Error(w, fmt.Sprintf("a key has at most %d bytes", longestKey), http.StatusRequestHeaderFieldsTooLarge)
		return
	}
	decision, now := g.decide(key)
	reply := contract.Reply{Outcome: contract.OK, Decision: decision}
	if !decision.Admitted {
		reply.Outcome = contract.Throttled
	}
	if decision.Delay > 0 && !hold(w, r, decision.Delay) {
		reply.Outcome = contract.Shed
	}
	answer(w, g.style.Format(reply, now, contract.Standing{Policy: g.policy, Decision: decision}))
}

// hold keeps a request waiting, and reports whether it may go on: not if the
// client left or the server ends. The hints that it is told count from when it
// came all the same.
func hold(w http.ResponseWriter, r *http.Request, delay time.Duration) bool {
	deadlines := http.NewResponseController(w)
	_ = deadlines.SetReadDeadline(time.Time{}) // it has said all, and is only listened to
	defer func() {
		_ = deadlines.SetReadDeadline(time.Now().Add(readTimeout))
		_ = deadlines.SetWriteDeadline(time.Now().Add(writeTimeout))
	}()
	wait := time.NewTimer(delay)
	defer wait.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-wait.C:
		return true
	}
}

// key says whose limit a request counts against.
func (g *gate) key(r *http.Request) string {
	switch {
	case strings.EqualFold(g.header, "Host"):
		return r.Host // net/http keeps it apart
	case g.header != "":
		return r.Header.Get(g.header)
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// decide answers one request of a key, now, and says when that is.
func (g *gate) decide(key string) (d contract.Decision, now time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now = g.now()
	id, gone := g.guests.id(key)
	if gone {
		g.forgotten.ByCapacity++
		if resting, ok := g.limiter.(limiters.Resting); !ok || !resting.AtRest(now, id) {
			g.forgotten.Early++
		}
		g.limiter.Forget(id)
	}
	return g.limiter.Take(now, id, 1), now
}

// forgot counts the keys that were forgotten so far.
func (g *gate) forgot() limiters.Forgotten {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.forgotten
}

// answer writes a message as a response.
func answer(w http.ResponseWriter, m contract.Message) {
	header := w.Header()
	for name, value := range m.Fields() {
		header[name] = []string{value} // spelt as documented
	}
	problem, refused := m.Problem()
	if !refused {
		header.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(m.Status)
		_, _ = io.WriteString(w, "admitted\n")
		return
	}
	header.Set("Content-Type", contract.ProblemType)
	w.WriteHeader(m.Status)
	_ = json.NewEncoder(w).Encode(problem) // a client that went away misses it
}

// guests numbers keys from 0, and holds no more than most of them: a new one
// then takes the number of the least recently seen. The limiter's own eviction
// "lru" forgets the same keys, but not their texts.
type guests struct {
	most  int64
	names []string // of the numbers
	ids   map[string]*list.Element
	order list.List // of numbers, the least recently seen first
}

// id returns a key's number, and whether another key had to be forgotten, which
// had that number.
func (u *guests) id(key string) (id uint32, gone bool) {
	if e, known := u.ids[key]; known {
		u.order.MoveToBack(e)
		return e.Value.(uint32), false
	}
	if int64(len(u.names)) < u.most {
		id = uint32(len(u.names))
		u.names = append(u.names, key)
		u.ids[key] = u.order.PushBack(id)
		return id, false
	}
	e := u.order.Front()
	id = e.Value.(uint32)
	delete(u.ids, u.names[id])
	u.names[id], u.ids[key] = key, e
	u.order.MoveToBack(e)
	return id, true
}
