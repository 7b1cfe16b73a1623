package advise_test

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"time"

	"ratelab/limiters"
	"ratelab/logs"
	"ratelab/logs/advise"
	"ratelab/logs/fit"
)

// A client asks for three at once every ten seconds. A window of two loses a third of it, a bucket of three nothing.
func ExampleNew() {
	log := "t,key\n" + strings.Repeat("0,ann\n", 3) + strings.Repeat("10,ann\n", 3)
	in, err := advise.Read([]string{"-"}, logs.Options{Stdin: strings.NewReader(log)}, time.Minute)
	if err != nil {
		panic(err)
	}
	opts := advise.Options{
		Candidates: []advise.Candidate{},
		World:      advise.World{Servers: 1},
		Goals:      advise.Goals{Tolerate: big.NewRat(1, 100)},
		Window:     time.Minute,
	}
	if opts.Fit.Shares, err = fit.ParseShares("1"); err != nil {
		panic(err)
	}
	for _, text := range []string{"sliding-log:limit=2,window=10s", "token-bucket:rate=1/s,burst=3"} {
		s, err := limiters.Parse(text)
		if err != nil {
			panic(err)
		}
		opts.Limiters = append(opts.Limiters, s)
	}
	report, err := advise.New(context.Background(), in, opts)
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Best().Limiter)
	fmt.Println(report.Reasons(report.Demands[0])[0])
	// Output:
	// token-bucket:rate=1/s,burst=3
	// none of the 6 requests remains without success (0.00 %), within the 1 % that are tolerated; 1 other would leave more
}
