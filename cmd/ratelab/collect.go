package main

import (
	"os"
	"runtime/debug"
)

// collectLess lets the heap grow to nine times what is alive before garbage is
// collected, unless GOGC says otherwise: what run and plot keep is little, what
// they drop is much. It returns what puts the earlier setting back.
func collectLess() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	earlier := debug.SetGCPercent(800)
	return func() { debug.SetGCPercent(earlier) }
}
