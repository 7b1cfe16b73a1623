package clients

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzParseMix(f *testing.F) {
	for _, e := range Entries() {
		for _, example := range e.Examples {
			f.Add(example, "")
			f.Add(example+" * 0.75", "none * .25")
		}
	}
	for _, b := range Budgets() {
		for _, example := range b.Examples {
			f.Add("none:budget="+slashes(example), "none:users=1,think=1ns")
		}
	}
	f.Add("none * 1e9", "*")
	f.Add("none:budget=/", "none * -0")
	f.Fuzz(func(t *testing.T, a, b string) {
		texts := []string{a}
		if b != "" {
			texts = append(texts, b)
		}
		m, err := ParseMix(texts...)
		if err != nil {
			return
		}
		require.Len(t, m.Specs(), len(texts))
		for _, s := range m.Specs() {
			again, err := Parse(s.String())
			require.NoError(t, err)
			require.Equal(t, s.rule.attempts, again.rule.attempts)
			require.Equal(t, s.rule.policy, again.rule.policy)
			require.Equal(t, s.rule.budget.String(), again.rule.budget.String())
		}
	})
}

func FuzzParseHints(f *testing.F) {
	for _, e := range HintsEntries() {
		for _, example := range e.Examples {
			f.Add(example)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := ParseHints(text)
		if err != nil {
			return
		}
		again, err := ParseHints(h.String())
		require.NoError(t, err)
		require.Equal(t, h.String(), again.String())
	})
}
