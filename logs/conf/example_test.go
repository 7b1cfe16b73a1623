package conf_test

import (
	"fmt"
	"time"

	"ratelab/internal/spec"
	"ratelab/logs/conf"
)

func ExampleFor() {
	c, err := conf.For("redis-cell", conf.Limit{Rate: spec.Rate{N: 1, P: 3 * time.Second}, Burst: 67, Window: 201 * time.Second, Keys: 6})
	if err != nil {
		panic(err)
	}
	fmt.Print(c.Text)
	fmt.Println(c.Spec)
	fmt.Println(c.Says[0])
	// Output:
	// CL.THROTTLE <key> 66 20 60 1
	// redis-cell:rate=20/m,burst=66
	// max_burst 66 is beside the first: 67 pass at once
}
