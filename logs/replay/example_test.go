package replay_test

import (
	"fmt"
	"strings"

	"ratelab/logs"
	"ratelab/logs/replay"
)

func ExampleRun() {
	log, err := logs.Read([]string{"-"}, logs.Options{Stdin: strings.NewReader("t,key\n0,ann\n0,ann\n1,ann\n1,ben\n")})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := replay.Run(log, replay.Options{Limiters: []string{"fixed-window:limit=1,window=1s"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Limiters {
		fmt.Println(r.Limiter, "refuses", r.Refused, "of", r.Requests)
	}
	// Output: fixed-window:limit=1,window=1s refuses 1 of 4
}
