package ratelab_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/plots/writeup"
)

// The texts that git keeps say what the results say that git keeps.
func TestWriteUpsSayWhatTheResultsSay(t *testing.T) {
	templates, err := filepath.Glob(filepath.Join("docs", "*.tmpl"))
	require.NoError(t, err)
	require.Len(t, templates, 2)
	for _, file := range templates {
		filled, err := writeup.Render(file, read(t, file), writeup.Source{Results: "results", Folder: "docs"})
		require.NoError(t, err)
		written := strings.TrimSuffix(file, ".tmpl")
		assert.True(t, string(filled) == read(t, written), "%s is not what the results say; bin/ratelab writeup %s writes it", written, file)
	}
}
