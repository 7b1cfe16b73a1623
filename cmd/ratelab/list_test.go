package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/clients"
	"ratelab/fleet"
	"ratelab/limiters"
	"ratelab/workloads"
)

func TestEveryPartShowsAnExampleThatIsRight(t *testing.T) {
	parse := map[string]func(string) error{
		"limiters":      func(s string) error { _, err := limiters.Parse(s); return err },
		"workloads":     func(s string) error { _, err := workloads.Parse(s); return err },
		"clients":       func(s string) error { _, err := clients.Parse(s); return err },
		"budgets":       func(s string) error { _, err := clients.ParseBudget(s); return err },
		"hints":         func(s string) error { _, err := clients.ParseHints(s); return err },
		"balancers":     func(s string) error { _, err := fleet.ParseBalancer(s); return err },
		"coordinations": func(s string) error { _, err := fleet.ParseCoordination(s); return err },
		"services":      func(s string) error { _, err := fleet.ParseService(s); return err },
		"sheds":         func(s string) error { _, err := fleet.ParseShed(s); return err },
		"evictions":     func(s string) error { _, err := limiters.ParseEviction(s); return err },
	}
	seen := map[string]bool{}
	for _, p := range parts() {
		status, out, errOut := ratelab(t, "", "show", strings.TrimSuffix(p.Kind, "s")+"/"+p.Name)
		require.Equal(t, 0, status, errOut)
		for line := range strings.Lines(out) {
			assert.Equal(t, strings.TrimRight(line, " \n"), strings.TrimSuffix(line, "\n"), p.Name)
		}
		if parse[p.Kind] == nil {
			continue
		}
		seen[p.Kind] = true
		_, after, found := strings.Cut(out, "\nExample: ")
		require.True(t, found, p.Name)
		text, _, _ := strings.Cut(after, "\n")
		assert.NoError(t, parse[p.Kind](text), p.Name)
	}
	assert.Len(t, seen, len(parse))
}

func TestListsHaveNoBlanksAtTheEnd(t *testing.T) {
	status, out, _ := ratelab(t, "", "list")
	require.Equal(t, 0, status)
	for line := range strings.Lines(out) {
		assert.Equal(t, strings.TrimRight(line, " \n"), strings.TrimSuffix(line, "\n"))
	}
}
