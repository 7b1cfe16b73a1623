package logs

import "slices"

// MostAgents is how many different user agents are told apart for one key.
const MostAgents = 16

// agents are hashes of the user agents of each key, in memory that is bounded by the keys.
type agents [][]uint64

// count takes in a user agent of a key.
func (a *agents) count(key uint32, agent []byte) {
	for int(key) >= len(*a) {
		*a = append(*a, nil)
	}
	of := (*a)[key]
	if len(of) == MostAgents {
		return
	}
	hash := uint64(14695981039346656037) // FNV-1a
	for _, c := range agent {
		hash = (hash ^ uint64(c)) * 1099511628211
	}
	if !slices.Contains(of, hash) {
		(*a)[key] = append(of, hash)
	}
}

// Agents returns how many different user agents a key's requests so far had, if Options.Agents asked for that;
// [MostAgents] means as many or more. Agents are told apart by a hash of 64 bits.
func (log *Log) Agents(key uint32) int {
	if int(key) >= len(log.agents) {
		return 0
	}
	return len(log.agents[key])
}
