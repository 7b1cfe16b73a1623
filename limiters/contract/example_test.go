package contract_test

import (
	"fmt"
	"time"

	"ratelab/limiters/contract"
)

// What a client can know of a refusal: whole seconds, rounded up.
func ExampleParse() {
	no := contract.Reply{Outcome: contract.Throttled, Decision: contract.Decision{
		RetryAfter: 1200 * time.Millisecond, Limit: 100, Has: contract.HintRetryAfter | contract.HintLimit | contract.HintRemaining,
	}}
	heard := contract.Parse(contract.Style{}.Format(no, 0), 0)
	fmt.Println(heard.Outcome, heard.Decision.RetryAfter, heard.Decision.Limit, heard.Decision.Remaining)
	// Output: throttled 2s 100 0
}
