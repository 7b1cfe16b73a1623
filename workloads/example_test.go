package workloads_test

import (
	"fmt"
	"time"

	"ratelab/workloads"
)

func Example() {
	s, err := workloads.Parse("sum:(steady:rate=2/s)+(burst-train:size=3,period=2s,phase=1s)")
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := s.New(workloads.Env{Stream: workloads.Streams(1, 0, "")})
	if err != nil {
		fmt.Println(err)
		return
	}
	for a, ok := w.Next(); ok && a.At < 2*time.Second; a, ok = w.Next() {
		fmt.Println(a.At, a.Cost)
	}
	// Output:
	// 0s 1
	// 500ms 1
	// 1s 1
	// 1s 1
	// 1s 1
	// 1s 1
	// 1.5s 1
}
