// Package browser looks at the pages that ratelab writes as a reader does: in a headless Chromium, wide and narrow, light
// and dark, with JavaScript and without. It is a module of its own, so that nothing of the driver reaches ours; make
// browser runs it on a quick notebook:
//
//	go test . -page ../results-quick/index.html -shots folder
package browser
