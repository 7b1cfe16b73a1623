package logs

import (
	"bytes"
	"strconv"
)

// forwarded chooses the key among the addresses of X-Forwarded-For. Each proxy appends the address that it was called
// from, so that the depth-th from the right is the one that the depth-th trusted proxy saw; what is left of it, clients
// may have made up.
type forwarded struct {
	file  *File
	field int // that has the list; -1 if it is the key's
	depth int // >= 1
}

// forwardedHeader is the header of HTTP that proxies append addresses to.
const forwardedHeader = "X-Forwarded-For"

// name is what the keys are called.
func (f *forwarded) name() string {
	return forwardedHeader + ", " + strconv.Itoa(f.depth) + " from the right"
}

// address returns the address at the depth. A list that is shorter has its first; without a list, it is the peer.
func (f *forwarded) address(list, peer []byte) []byte {
	end := len(list)
	for n := f.depth; ; n-- {
		comma := bytes.LastIndexByte(list[:end], ',')
		address := bytes.TrimSpace(list[comma+1 : end])
		if n == 1 || comma < 0 {
			if n > 1 || len(address) == 0 || string(address) == "-" {
				f.file.Unforwarded++
			}
			if len(address) == 0 || string(address) == "-" {
				return peer
			}
			return withoutPort(address)
		}
		end = comma
	}
}
