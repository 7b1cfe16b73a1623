package fleet

import "slices"

// serving is the servers that take requests, in order. A server that does not
// serve is left out, and comes back to its place.
type serving struct{ up []int }

func allServe(servers int) serving {
	s := serving{up: make([]int, servers)}
	for i := range s.up {
		s.up[i] = i
	}
	return s
}

// serve puts a server in or out. Nothing happens if it is there already.
func (s *serving) serve(server int, up bool) {
	i, there := slices.BinarySearch(s.up, server)
	switch {
	case up && !there:
		s.up = slices.Insert(s.up, i, server)
	case !up && there:
		s.up = slices.Delete(s.up, i, i+1)
	}
}

// all reports whether none of n is left out.
func (s *serving) all(n int) bool { return len(s.up) == n }

func (s *serving) has(server int) bool {
	_, there := slices.BinarySearch(s.up, server)
	return there
}
