package logs_test

import (
	"fmt"
	"strings"

	"ratelab/logs"
)

func ExampleRead() {
	const text = `10.0.0.1 - - [01/Jan/2026:00:00:01 +0000] "GET /a HTTP/1.1" 200 512
10.0.0.2 - - [01/Jan/2026:01:00:01 +0100] "GET /b HTTP/1.1" 429 0
`
	log, err := logs.Read([]string{"-"}, logs.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range log.Records {
		fmt.Println(logs.FormatSeconds(r.At), log.Keys.Text(r.Key))
	}
	// Output:
	// 1767225601 10.0.0.1
	// 1767225601 10.0.0.2
}
