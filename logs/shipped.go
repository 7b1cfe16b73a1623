package logs

import _ "embed" // the logs that come with the program

//go:embed testdata/tour.log
var tour string

//go:embed testdata/shop.csv
var shop string

// Shipped are the names of the logs that come with the program: see testdata/README.md for how they were made.
var Shipped = []string{"tour", "shop"}

// ShippedText returns the text of a log that comes with the program, by its name; false if there is none.
func ShippedText(name string) (text string, ok bool) {
	switch name {
	case "tour":
		return tour, true
	case "shop":
		return shop, true
	}
	return "", false
}
