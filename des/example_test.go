package des_test

import (
	"fmt"
	"time"

	"ratelab/des"
)

// client sends requests and gives up on those that take too long. Its tags say
// what happens, in the upper half, and to which request, in the lower half.
type client struct {
	latency  []time.Duration // of each request
	timeouts []des.Event     // of each request that waits for its reply
}

const (
	send uint64 = iota << 32
	reply
	timeout
)

func (c *client) Handle(s *des.Sim, tag uint64) {
	what, request := tag&^0xffffffff, tag&0xffffffff
	switch what {
	case send:
		s.After(c.latency[request], c, reply|request)
		c.timeouts[request] = s.After(30*time.Millisecond, c, timeout|request)
	case reply:
		if s.Cancel(c.timeouts[request]) {
			fmt.Println(s.Now(), "reply to request", request)
		} else {
			fmt.Println(s.Now(), "late reply to request", request)
		}
	case timeout:
		fmt.Println(s.Now(), "timeout of request", request)
	}
}

func Example() {
	c := &client{
		latency:  []time.Duration{10 * time.Millisecond, 70 * time.Millisecond, 20 * time.Millisecond},
		timeouts: make([]des.Event, 3),
	}
	s := des.New()
	for request := range uint64(3) {
		s.At(time.Duration(request)*5*time.Millisecond, c, send|request)
	}
	s.Run(time.Second)
	fmt.Println(s.Now(), "pending:", s.Len())
	// Output:
	// 10ms reply to request 0
	// 30ms reply to request 2
	// 35ms timeout of request 1
	// 75ms late reply to request 1
	// 1s pending: 0
}

// ticker is a handler that schedules itself.
type ticker struct{ period time.Duration }

func (t *ticker) Handle(s *des.Sim, tag uint64) {
	fmt.Println("tick at", s.Now())
	if tag == 3 {
		s.Stop()
	}
	s.After(t.period, t, tag+1)
}

// A run that is stopped goes on where it was.
func ExampleSim_Stop() {
	s := des.New()
	s.After(time.Minute, &ticker{time.Minute}, 1)
	s.Run(des.Never)
	fmt.Println("stopped at", s.Now())
	s.Run(5 * time.Minute)
	fmt.Println("horizon reached at", s.Now())
	// Output:
	// tick at 1m0s
	// tick at 2m0s
	// tick at 3m0s
	// stopped at 3m0s
	// tick at 4m0s
	// horizon reached at 5m0s
}

// Streams are named by a seed and a path, and independent of each other.
func ExampleStream() {
	gaps := des.Stream(1, "replication 0", "gaps")
	keys := des.Stream(1, "replication 0", "keys")
	again := des.Stream(1, "replication 0", "gaps")
	fmt.Println(gaps.Uint64() == again.Uint64(), gaps.Uint64() == keys.Uint64())
	// Output: true false
}
