package fleet

import "slices"

// choice is the servers that a balancer picks from, in order. A server that does not
// serve is left out, and comes back to its place.
type choice struct{ up []int }

func allServe(servers int) choice {
	s := choice{up: make([]int, servers)}
	for i := range s.up {
		s.up[i] = i
	}
	return s
}

// serve puts a server in or out. Nothing happens if it is there already.
func (s *choice) serve(server int, up bool) {
	i, there := slices.BinarySearch(s.up, server)
	switch {
	case up && !there:
		s.up = slices.Insert(s.up, i, server)
	case !up && there:
		s.up = slices.Delete(s.up, i, i+1)
	}
}

// all reports whether none of n is left out.
func (s *choice) all(n int) bool { return len(s.up) == n }

func (s *choice) has(server int) bool {
	_, there := slices.BinarySearch(s.up, server)
	return there
}
