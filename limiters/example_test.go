package limiters_test

import (
	"fmt"
	"time"

	"ratelab/limiters"
)

func Example() {
	s, err := limiters.Parse("token-bucket:rate=2/s,burst=3")
	if err != nil {
		fmt.Println(err)
		return
	}
	l := s.New(1, nil)
	const key, cost = 0, 1
	for range 4 {
		d := l.Take(10*time.Second, key, cost)
		fmt.Println(d.Admitted, "remaining", d.Remaining, "retry after", d.RetryAfter, "reset", d.Reset)
	}
	// Output:
	// true remaining 2 retry after 0s reset 500ms
	// true remaining 1 retry after 0s reset 1s
	// true remaining 0 retry after 0s reset 1.5s
	// false remaining 0 retry after 500ms reset 1.5s
}
