//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sweep

import (
	"os"
	"syscall"
)

// locks says whether tryLock can take locks here.
const locks = true

// tryLock takes the lock of a file, unless another process has it. The operating system gives it back when the file is
// closed or the process dies.
func tryLock(file *os.File) bool { return lock(file, syscall.LOCK_NB) }

// waitLock takes the lock of a file as soon as nobody else has it.
func waitLock(file *os.File) bool { return lock(file, 0) }

func lock(file *os.File, how int) bool {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|how)
		if err != syscall.EINTR {
			return err == nil
		}
	}
}
