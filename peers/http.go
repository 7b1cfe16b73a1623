package peers

import (
	"bytes"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// httpConn is one HTTP/1.1 connection to a server, kept open as long as the
// server lets it. It reads only what arrives at once, so that it can tell an
// answer from none.
type httpConn struct {
	address string
	conn    net.Conn
	read    []byte
}

// send writes a GET request; it dials first if there is no connection.
func (c *httpConn) send(target string) error {
	if c.conn == nil {
		conn, err := net.DialTimeout("tcp", c.address, longest)
		if err != nil {
			return err
		}
		c.conn, c.read = conn, c.read[:0]
	}
	c.conn.SetDeadline(time.Now().Add(longest))
	_, err := c.conn.Write([]byte("GET " + target + " HTTP/1.1\r\nHost: peer\r\n\r\n"))
	return err
}

// status waits for the answer to what was sent and returns its status.
func (c *httpConn) status() (int, error) {
	for {
		if status, ok, err := c.answer(); ok || err != nil {
			return status, err
		}
		var buf [2048]byte
		n, err := c.conn.Read(buf[:])
		c.read = append(c.read, buf[:n]...)
		if err != nil {
			return 0, fmt.Errorf("waiting for an answer: %w", err)
		}
	}
}

// arrived returns the status if the whole answer is there already.
func (c *httpConn) arrived() (status int, ok bool, err error) {
	raw, err := c.conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return 0, false, err
	}
	var buf [2048]byte
	n := 0
	if ctl := raw.Read(func(fd uintptr) bool {
		n, err = syscall.Read(int(fd), buf[:])
		return true
	}); ctl != nil {
		return 0, false, ctl
	}
	switch {
	case err == syscall.EAGAIN:
	case err != nil:
		return 0, false, err
	case n == 0:
		return 0, false, fmt.Errorf("closed without an answer")
	default:
		c.read = append(c.read, buf[:n]...)
	}
	return c.answer()
}

// answer takes a whole answer from what was read.
func (c *httpConn) answer() (status int, ok bool, err error) {
	end := bytes.Index(c.read, []byte("\r\n\r\n"))
	if end < 0 {
		return 0, false, nil
	}
	head := string(c.read[:end])
	length, shut := 0, false
	for line := range strings.SplitSeq(head, "\r\n") {
		name, value, _ := strings.Cut(strings.ToLower(line), ": ")
		switch {
		case name == "content-length":
			if length, err = strconv.Atoi(value); err != nil {
				return 0, false, err
			}
		case name == "connection" && value == "close":
			shut = true
		}
	}
	if len(c.read) < end+4+length {
		return 0, false, nil
	}
	if _, err := fmt.Sscanf(head, "HTTP/1.1 %d", &status); err != nil {
		return 0, false, fmt.Errorf("no HTTP/1.1 answer: %q", head)
	}
	c.read = append(c.read[:0], c.read[end+4+length:]...)
	if shut {
		c.close()
	}
	return status, true, nil
}

// get sends a request and waits for the status of its answer.
func (c *httpConn) get(target string) (int, error) {
	if err := c.send(target); err != nil {
		return 0, err
	}
	return c.status()
}

func (c *httpConn) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}
