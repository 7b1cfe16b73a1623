package workloads

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The worked example of doc.go is pairs_test.go, line by line. It registers
// itself in the tests, and so goes through the conformance suite.
func TestTheWorkedExampleIsAWorkload(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	file, err := os.ReadFile("pairs_test.go")
	require.NoError(t, err)
	var comment strings.Builder
	for line := range strings.Lines(string(file)) {
		if line == "\n" {
			comment.WriteString("//\n")
		} else {
			comment.WriteString("//\t" + line)
		}
	}
	assert.Contains(t, string(doc), "\n//\n"+comment.String()+"//\n")
	mustParse(t, "pairs:rate=1/s")
}

func TestPairsHaveTwiceTheDispersion(t *testing.T) {
	counts := make([]float64, 2000)
	for rep := range counts {
		counts[rep] = count(mustNew(t, "pairs:rate=100/s", testEnv(1, rep, nil)), 0, 1e9)
	}
	requireMean(t, 100, counts, "counts in 1s")
	requireVariance(t, 100, 200, counts, "variance of counts in 1s")
}
