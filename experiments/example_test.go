package experiments_test

import (
	"fmt"

	"ratelab/experiments"
)

func ExampleLookup() {
	e, err := experiments.Lookup("boundary-burst")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Question)
	_, err = experiments.Lookup("boundary-bust")
	fmt.Println(err != nil)
	// Output:
	// What passes when a burst straddles a page turn?
	// true
}
