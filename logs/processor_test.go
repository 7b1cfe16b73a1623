//go:build unix

package logs

import (
	"syscall"
	"time"
)

// processorTime returns what this process has used of the processors, user and system.
func processorTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
