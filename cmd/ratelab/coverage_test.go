package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/experiments"
)

// TestCoverageNamesWhatThereIs knows every name on the page that says what the
// essays claim and what shows it.
func TestCoverageNamesWhatThereIs(t *testing.T) {
	known := make(map[string]bool)
	for _, p := range parts() {
		known[strings.TrimSuffix(p.Kind, "s")+"/"+p.Name] = true
	}
	for _, e := range experiments.All() {
		for _, c := range e.Claims {
			known["claim/"+e.Name+"/"+c.Text] = true
		}
	}
	for _, c := range newRoot().Commands() {
		known["command/"+c.Name()] = true
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "coverage.md"))
	require.NoError(t, err)
	named := make(map[string]bool)
	for _, span := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(string(page), -1) {
		name := span[1]
		if name == "claim/" || strings.HasPrefix(name, "ratelab ") { // how to read the page
			continue
		}
		assert.True(t, known[name], "nothing is called %q", name)
		named[name] = true
	}
	for _, e := range experiments.All() {
		assert.True(t, named["experiment/"+e.Name], "it does not name experiment/%s", e.Name)
	}
	kinds := make(map[string]int)
	for name := range named {
		kind, _, _ := strings.Cut(name, "/")
		kinds[kind]++
	}
	for _, kind := range []string{"experiment", "claim", "limiter", "workload", "client", "balancer", "coordination", "metric", "command"} {
		assert.Positive(t, kinds[kind], kind)
	}
}
