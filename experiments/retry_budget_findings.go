package experiments

import "fmt"

func budgetFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	outside, err := budgetSeries(d, "amplification", "outside")
	if err != nil {
		return nil, err
	}
	success, err := budgetSeries(d, "success_share", "outside")
	if err != nil {
		return nil, err
	}
	limited, err := budgetSeries(d, "success_share", "limiter")
	if err != nil {
		return nil, err
	}
	first := func(clients string) float64 {
		return r.mean("amplification", "part", "start", "budget", "tokens", "clients", clients, "failure", "0.5")
	}
	bare, _ := budgetAt(outside, "3 retries", 0.5)
	bucket, found := budgetAt(outside, "bucket, 10%", 0.5)
	all, _ := budgetAt(success, "3 retries", 0.5)
	some, _ := budgetAt(success, "bucket, 10%", 0.5)
	with, _ := budgetAt(limited, "bucket, 10%", 0.5)
	without, has := budgetAt(limited, "3 retries", 0.5)
	if !found || !has {
		return nil, nothingMeasured("amplification", []string{"failure", "0.5"})
	}
	return r.say(
		fmt.Sprintf("%s: where half of all attempts fail, three retries make %.2f attempts of each call, a bucket that allows one retry for ten calls %.2f.", either(bucket < bare, "Yes", "No"), bare, bucket),
		fmt.Sprintf("The price is paid where something fails: %.0f%% of those calls then succeed instead of %.0f%%.", 100*some, 100*all),
		fmt.Sprintf("Behind a limiter with room for half of the calls, %.0f%% succeed with the bucket and %.0f%% without.", 100*with, 100*without),
		fmt.Sprintf("A budget for each client is as large as the number of clients: in the first ten seconds, with half failing, 1000 calls a second of 10 clients make %.2f attempts a call, of 1000 clients %.2f.", first("10"), first("1000")),
	)
}
