package page_test

import (
	"bytes"
	"fmt"
	"strings"

	"ratelab/plots/page"
)

func ExampleWrite() {
	var b bytes.Buffer
	err := page.Write(&b, page.Page{
		Title: "Bursts",
		Body:  `<main><h1>{{.Question}}</h1>{{template "verdict" .Verdict}}{{template "command" .Run}}</main>`,
		Data:  map[string]string{"Question": "Which bursts pass?", "Verdict": "holds", "Run": "ratelab run boundary-burst"},
	})
	fmt.Println(err, strings.Contains(b.String(), "<h1>Which bursts pass?</h1>"))
	// Output: <nil> true
}
