// Package atomicfile writes files that are either whole or absent.
//
// The content goes to a temporary file in the folder of the target, is synced to disk, and is then renamed over the
// target. A reader, at any moment, sees the old content or the new content; a crash leaves at worst a stray
// temporary file named ".NAME.tmp-*". It works on Linux, macOS and Windows.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Write creates or replaces the file at path, mode 0644, with what write sends to its writer, which is buffered.
// If write returns an error, Write returns it, wrapped with the path, and the old file, if any, stays as it was. The
// folder must exist. A symbolic link at path is replaced, not followed.
func Write(path string, write func(io.Writer) error) (err error) {
	folder, name := filepath.Split(path)
	if folder == "" {
		folder = "."
	}
	if name == "" {
		return fmt.Errorf("write %q: want the name of a file, got a folder", path)
	}
	file, err := os.CreateTemp(folder, "."+name+".tmp-*")
	if err != nil {
		return fmt.Errorf("write %q: cannot create a file in folder %q: %w", path, folder, cause(err))
	}
	renamed := false
	defer func() { // also when write panics
		if !renamed {
			_ = file.Close() // a second Close is harmless
			_ = os.Remove(file.Name())
		}
	}()

	buffer := bufio.NewWriterSize(file, 1<<16)
	if err := write(buffer); err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	for _, step := range []func() error{
		buffer.Flush,
		func() error { return file.Chmod(0o644) }, // CreateTemp makes files that only their owner reads
		file.Sync,
		file.Close,
		func() error { return os.Rename(file.Name(), path) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("write %q: %w", path, cause(err))
		}
	}
	renamed = true
	if err := syncFolder(folder); err != nil {
		return fmt.Errorf("write %q: the file is in place, but syncing its folder failed: %w", path, cause(err))
	}
	return nil
}

// WriteBytes is Write with the content given whole.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// syncFolder makes the rename survive a power failure. Where an operating system or file system has no such thing,
// or the folder may be written but not read, it does nothing.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = folder.Close() }()
	if err := folder.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// cause drops the temporary file's random name from an error: the same fault must read the same on every run.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
