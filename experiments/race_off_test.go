//go:build !race

package experiments

// raced says that the race detector watches, which makes cells slow.
const raced = false
