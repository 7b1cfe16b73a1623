package table_test

import (
	"fmt"
	"os"

	"ratelab/plots/table"
)

func Example() {
	t, err := table.New(
		table.Column{Name: "limiter", Description: "algorithm"},
		table.Column{Name: "servers", Unit: "servers", Type: table.Integer},
		table.Column{Name: "admitted", Unit: "requests", Type: table.Number, Digits: 12},
	)
	for _, row := range [][]any{{"gcra", 1, 20.0}, {"gcra", 3, 60.0}, {"sliding-log", 3, 100.0 / 3}} {
		if err == nil {
			err = t.Append(row...)
		}
	}
	if err == nil {
		t, err = t.Where("servers", "3")
	}
	if err == nil {
		err = t.Write(os.Stdout)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// limiter,servers,admitted
	// gcra,3,60
	// sliding-log,3,33.3333333333
}
