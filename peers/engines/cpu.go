//go:build unix

package engines

import (
	"runtime"
	"syscall"
	"time"
)

// cpuOf returns the processor time that the process spends while do runs, the
// garbage collector's included.
func cpuOf(do func()) time.Duration {
	runtime.GC()
	before := cpu()
	do()
	return cpu() - before
}

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no way to fail
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
