package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWritesAndReplaces(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "runs.csv")
	big := strings.Repeat("0123456789", 50_000) // larger than the buffer
	for _, content := range []string{"old", big, ""} {
		require.NoError(t, WriteBytes(path, []byte(content)))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, content, string(got))
		assert.Equal(t, []string{"runs.csv"}, names(t, folder))
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o644), info.Mode().Perm())
	}
}

func TestWritesIntoTheCurrentFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, WriteBytes("a.txt", []byte("x")))
	assert.Equal(t, []string{"a.txt"}, names(t, "."))
}

func TestAnErrorInTheMiddleKeepsTheOldContentAndLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "runs.csv")
	broken := errors.New("the generator broke")
	half := func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("half", 100_000))
		require.NoError(t, err)
		return broken
	}

	err := Write(path, half)
	require.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, "runs.csv")
	assert.Empty(t, names(t, folder))

	require.NoError(t, WriteBytes(path, []byte("old")))
	require.ErrorIs(t, Write(path, half), broken)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "old", string(got))
	assert.Equal(t, []string{"runs.csv"}, names(t, folder))
}

func TestAPanicLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	assert.PanicsWithValue(t, "oops", func() {
		_ = Write(filepath.Join(folder, "a"), func(io.Writer) error { panic("oops") })
	})
	assert.Empty(t, names(t, folder))
}

func TestAFolderThatCannotBeWrittenIsNamed(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))
	for name, where := range map[string]string{"missing": filepath.Join(folder, "missing"), "a file": plain} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(where, "runs.csv")
			err := WriteBytes(path, nil)
			require.Error(t, err)
			assert.Contains(t, err.Error(), filepath.Base(where))
			assert.Contains(t, err.Error(), "runs.csv")
			assert.NotContains(t, err.Error(), ".tmp-", "the temporary name differs from run to run")
		})
	}
	t.Run("read only", func(t *testing.T) {
		if runtime.GOOS == "windows" || os.Geteuid() == 0 {
			t.Skip("permissions of folders do not bind this user")
		}
		locked := filepath.Join(folder, "locked")
		require.NoError(t, os.Mkdir(locked, 0o555))
		err := WriteBytes(filepath.Join(locked, "runs.csv"), nil)
		require.ErrorIs(t, err, os.ErrPermission)
		assert.Contains(t, err.Error(), "locked")
	})
}

func TestAFolderIsNotReplaced(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "taken", "inside"), 0o755))
	require.Error(t, WriteBytes(filepath.Join(folder, "taken"), []byte("x")))
	assert.Equal(t, []string{"taken"}, names(t, folder))
	assert.ErrorContains(t, WriteBytes(folder+string(filepath.Separator), nil), "want the name of a file")
}
