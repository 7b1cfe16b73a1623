//go:build !linux

package peers

import "time"

// pause sleeps, up to 1 ms too long.
func pause(d time.Duration) error {
	time.Sleep(d)
	return nil
}
