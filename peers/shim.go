package peers

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

//go:embed clock/clockshim.c
var clockShim []byte

// server is a real program on loopback. It lives at the time it is told, with
// clocks that read from a file, through a preloaded library that gcc builds; or
// at the time of the machine.
type server struct {
	dir     string // everything it needs and writes; removed by close
	port    int
	command *exec.Cmd
	output  tail
	ended   chan error
	clock   []byte // the mapped file: wall and monotonic ns; nil at the time of the machine
}

// startDeadline is how long a server may take until it listens, and longest
// how long any of its answers may take.
const (
	startDeadline = 20 * time.Second
	longest       = 10 * time.Second
)

// newLiveServer makes the folder of a server that is to be started at the time
// of the machine.
func newLiveServer() (s *server, err error) {
	s = &server{}
	if s.dir, err = os.MkdirTemp("", "peers-"); err != nil {
		return nil, err
	}
	if s.port, err = freePort(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// newServer makes the folder, the clock and the shim of a server that is to
// be started at the time now. gcc must be there.
func newServer(now time.Duration) (s *server, err error) {
	if s, err = newLiveServer(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	source, library, file := s.path("clockshim.c"), s.path("clockshim.so"), s.path("clock")
	if err := os.WriteFile(source, clockShim, 0o600); err != nil {
		return nil, err
	}
	if out, err := exec.Command("gcc", "-O2", "-Wall", "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gcc of the clock: %w\n%s", err, out)
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(16); err != nil {
		return nil, err
	}
	if s.clock, err = syscall.Mmap(int(f.Fd()), 0, 16, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err != nil {
		return nil, fmt.Errorf("map the clock: %w", err)
	}
	s.set(now, now)
	return s, nil
}

func (s *server) path(name string) string { return filepath.Join(s.dir, name) }

func (s *server) address() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

// set sets the clocks of the server.
func (s *server) set(wall, monotonic time.Duration) {
	words := unsafe.Slice((*int64)(unsafe.Pointer(&s.clock[0])), 2)
	atomic.StoreInt64(&words[1], int64(monotonic))
	atomic.StoreInt64(&words[0], int64(wall))
}

// start runs the program in its own process group and waits until it listens.
// Standard error goes to stderr if that is not nil, else to what is shown when
// it fails.
func (s *server) start(stderr *os.File, program string, args ...string) error {
	s.command = exec.Command(program, args...)
	s.command.Dir = s.dir
	if s.clock != nil {
		s.command.Env = append(os.Environ(), "LD_PRELOAD="+s.path("clockshim.so"), "CLOCKFILE="+s.path("clock"))
	}
	s.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.command.Stdout, s.command.Stderr = &s.output, &s.output
	if stderr != nil {
		s.command.Stderr = stderr
	}
	s.command.WaitDelay = time.Second
	if err := s.command.Start(); err != nil {
		return err
	}
	s.ended = make(chan error, 1)
	go func() { s.ended <- s.command.Wait() }()
	for deadline := time.Now().Add(startDeadline); ; {
		c, err := net.DialTimeout("tcp", s.address(), time.Second)
		if err == nil {
			return c.Close()
		}
		select {
		case err := <-s.ended:
			s.ended <- err
			return fmt.Errorf("%s ended: %v\n%s", program, err, &s.output)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s does not listen after %s: %w\n%s", program, startDeadline, err, &s.output)
		}
	}
}

// close kills the server's process group and removes its folder.
func (s *server) close() error {
	var err error
	if s.ended != nil {
		err = syscall.Kill(-s.command.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			err = nil
		}
		select {
		case <-s.ended:
		case <-time.After(longest):
			err = fmt.Errorf("process %d does not end", s.command.Process.Pid)
		}
		s.ended = nil
	}
	if s.clock != nil {
		err = errors.Join(err, syscall.Munmap(s.clock))
		s.clock = nil
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// given are the ports that freePort has returned.
var given sync.Map

// freePort returns a TCP port of loopback that nobody listens on, and that was
// not given to another server.
func freePort() (int, error) {
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		port := l.Addr().(*net.TCPAddr).Port
		if err := l.Close(); err != nil {
			return 0, err
		}
		if _, taken := given.LoadOrStore(port, true); !taken {
			return port, nil
		}
	}
}

// tail keeps the last that was written to it, at least 4000 bytes if there
// were as many.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if len(t.kept) > 8000 {
		t.kept = bytes.Clone(t.kept[len(t.kept)-4000:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
