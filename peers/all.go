package peers

import "slices"

// All returns every peer: the libraries, then the servers.
func All() []Peer { return slices.Concat(libraries(), servers()) }
