package random

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// golden compares got with testdata/name, or writes it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// TestStreamGolden fixes the first words of some streams for ever: every
// published result depends on them.
func TestStreamGolden(t *testing.T) {
	var out strings.Builder
	for _, stream := range []struct {
		seed uint64
		path []string
	}{
		{0, nil},
		{1, nil},
		{1, []string{""}},
		{1, []string{"gaps"}},
		{1, []string{"keys"}},
		{1, []string{"0", "gaps", "client 7"}},
		{1, []string{"1", "gaps", "client 7"}},
		{1<<64 - 1, []string{"gaps"}},
	} {
		r := Stream(stream.seed, stream.path...)
		fmt.Fprintf(&out, "%d %q", stream.seed, stream.path)
		for range 4 {
			fmt.Fprintf(&out, " %016x", r.Uint64())
		}
		out.WriteByte('\n')
	}
	golden(t, "streams.golden", out.String())
}

func TestStreamPathsAreKeptApart(t *testing.T) {
	seen := map[uint64]string{}
	for _, path := range [][]string{
		nil, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"a", "b", ""}, {"", "a", "b"}, {"b", "a"},
		{"a\x01\x00\x00\x00\x00\x00\x00\x00b"},
	} {
		for _, seed := range []uint64{0, 1, 1 << 32} {
			name := fmt.Sprintf("%d %q", seed, path)
			first := Stream(seed, path...).Uint64()
			require.Emptyf(t, seen[first], "same stream as %s", name)
			seen[first] = name
		}
	}
}

func TestStreamIsNotShiftedByAnother(t *testing.T) {
	alone := Stream(1, "gaps")
	beside, other := Stream(1, "gaps"), Stream(1, "keys")
	for range 100 {
		other.Uint64()
		require.Equal(t, alone.Uint64(), beside.Uint64())
	}
}
