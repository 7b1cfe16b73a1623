package peers

import (
	"errors"
	"syscall"
	"time"
)

// pause sleeps as exactly as the kernel can; the timers of Go are up to 1 ms late,
// which would send in bunches what is due one after the other.
func pause(d time.Duration) error {
	for d > 0 {
		left := syscall.NsecToTimespec(int64(d))
		err := syscall.Nanosleep(&left, &left)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
		d = time.Duration(left.Nano())
	}
	return nil
}
