package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHelpEndsWithExamplesThatRun types every line of every example as it is
// printed, in one folder that holds nothing but the log of the tour.
func TestHelpEndsWithExamplesThatRun(t *testing.T) {
	dir := t.TempDir()
	log, err := os.ReadFile(filepath.Join(root, "logs", "testdata", "tour.log"))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "logs", "testdata"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "logs", "testdata", "tour.log"), log, 0o600))

	commands := []string{"", "help"}
	for _, c := range newRoot().Commands() {
		commands = append(commands, c.Name())
	}
	for _, command := range commands {
		t.Run("ratelab "+command, func(t *testing.T) {
			status, help, errOut := ratelab(t, "", append(strings.Fields(command), "--help")...)
			require.Equal(t, 0, status)
			assert.Empty(t, errOut)
			_, example, found := strings.Cut(help, "\nExample:\n")
			require.True(t, found, help)
			lines := strings.Split(strings.TrimSuffix(example, "\n"), "\n")
			for _, line := range lines {
				require.Regexp(t, `^  \S`, line, "the example comes last")
				assert.Contains(t, line, strings.TrimSpace("ratelab "+command))
				cmd := process(t, strings.TrimSpace(line))
				cmd.Dir = dir
				out, err := cmd.Output()
				require.NoError(t, err, line)
				assert.NotEmpty(t, out, line)
			}
		})
	}
}
