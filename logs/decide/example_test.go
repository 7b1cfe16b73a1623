package decide_test

import (
	"fmt"
	"os"
	"strings"

	"ratelab/logs/decide"
)

func ExampleRun() {
	err := decide.Run("-", os.Stdout, decide.Options{
		Limiter: "token-bucket:rate=2/s,burst=1",
		Stdin:   strings.NewReader("t,key\n0,ann\n0,ann\n0,ben\n"),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// t,key,cost,admitted,delay,retry_after,limit,remaining,reset
	// 0,ann,1,true,0,,1,0,0.5
	// 0,ann,1,false,0,0.5,1,0,0.5
	// 0,ben,1,true,0,,1,0,0.5
}
