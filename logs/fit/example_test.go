package fit_test

import (
	"fmt"
	"strings"
	"time"

	"ratelab/logs"
	"ratelab/logs/fit"
)

// Three pages of four requests each, a minute apart: a bucket of four tokens that fills up within the minute is enough.
func Example() {
	log := strings.NewReader("t,key\n" +
		"0,ann\n0.1,ann\n0.2,ann\n0.3,ann\n" +
		"60,ann\n60.1,ann\n60.2,ann\n60.3,ann\n" +
		"120,ann\n120.1,ann\n120.2,ann\n120.3,ann\n" +
		"61.5,ben\n")
	in, err := fit.Read([]string{"-"}, logs.Options{Stdin: log}, time.Minute)
	if err != nil {
		panic(err)
	}
	rates, err := fit.ParseRates([]string{"1/m", "4/m", "1/s", "10/s"})
	if err != nil {
		panic(err)
	}
	shares, err := fit.ParseShares("0.5,1")
	if err != nil {
		panic(err)
	}
	frontier := fit.FitFrontier(in.Traffic.Arrivals(nil), rates, shares, 0)
	for _, p := range frontier.Line(fit.Keys, shares[1]) {
		fmt.Println(p.Rate.Text, p.Burst)
	}
	knee, _ := frontier.Knee(fit.Keys, shares[1])
	fmt.Println("knee:", knee.Rate.Text)
	// Output:
	// 1/m 10
	// 4/m 4
	// 1/s 4
	// 10/s 1
	// knee: 4/m
}
