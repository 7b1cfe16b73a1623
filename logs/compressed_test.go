package logs

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compressed packs a text as gzip and zstd do.
func compressed(t testing.TB, text []byte) map[string][]byte {
	var g, z bytes.Buffer
	gw := gzip.NewWriter(&g)
	zw, err := zstd.NewWriter(&z)
	require.NoError(t, err)
	for _, w := range []io.WriteCloser{gw, zw} {
		_, err := w.Write(text)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	return map[string][]byte{"gzip": g.Bytes(), "zstd": z.Bytes()}
}

func TestCompressedLogsAreReadAsTheyWere(t *testing.T) {
	path := filepath.Join("testdata", "tour.log")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	want, err := Read([]string{path}, Options{})
	require.NoError(t, err)
	for name, packed := range compressed(t, text) {
		for how, packed := range map[string][]byte{"whole": packed, "two after each other": append(bytes.Clone(packed), packed...)} {
			got, err := Read([]string{"-"}, Options{Stdin: bytes.NewReader(packed)})
			require.NoError(t, err, "%s, %s", name, how)
			assert.Equal(t, name, got.Files[0].Compression)
			assert.Equal(t, Combined, got.Files[0].Format)
			if how == "whole" {
				assert.Equal(t, want.Records, got.Records)
			} else {
				assert.Len(t, got.Records, 2*len(want.Records))
			}
		}
		next, _, err := Open(write(t, "a", string(packed)))
		require.NoError(t, err)
		at, _, _, ok := next()
		assert.True(t, ok)
		assert.Equal(t, want.Records[0].At, int64(at))
	}
}

func TestACutOffLogSaysWhatCouldBeRead(t *testing.T) {
	text := strings.Repeat(benchmarkLine+"\n", 20_000)
	for name, packed := range compressed(t, []byte(text)) {
		for how, cut := range map[string]int{"in the middle": len(packed) * 9 / 10, "at the checksum": len(packed) - 2} {
			for reader, read := range map[string]func(opts Options) error{
				"read": func(opts Options) error { _, err := Read([]string{"-"}, opts); return err },
				"scan": func(opts Options) error {
					_, err := Scan([]string{"-"}, opts, func(*Log, *Record) error { return nil })
					return err
				},
			} {
				err := read(Options{Stdin: bytes.NewReader(packed[:cut])})
				var fault *InputError
				require.ErrorAs(t, err, &fault, "%s, %s, %s", name, how, reader)
				assert.Regexp(t, `^standard input: is cut off: its `+name+` data end too early; [1-9]\d* requests could be read before, the last of 2026-05-17T10:05:43Z$`, err.Error())
			}
		}
		damagedFile := bytes.Clone(packed)
		damagedFile[len(damagedFile)-5] ^= 0xff
		_, err := Read([]string{"-"}, Options{Stdin: bytes.NewReader(damagedFile)})
		var fault *InputError
		require.ErrorAs(t, err, &fault, name)
		assert.ErrorContains(t, err, "is damaged: its "+name+" data can not be decompressed")

		_, err = Read([]string{"-"}, Options{Stdin: bytes.NewReader(packed[:5])})
		require.ErrorAs(t, err, &fault, name)
		assert.EqualError(t, err, "standard input: is cut off: its "+name+" data end too early; no request could be read before")
	}
}

func TestALogThatIsCutOffWithinItsFirstLineSaysSo(t *testing.T) {
	line := make([]byte, 3000) // which can not be packed
	for i := range line {
		line[i] = "0123456789abcdef"[(i*i*2654435761>>11)&15]
	}
	for name, packed := range compressed(t, append(line, '\n')) {
		for _, cut := range []int{len(packed) / 2, len(packed) - 1} {
			_, err := Read([]string{"-"}, Options{Stdin: bytes.NewReader(packed[:cut])})
			var fault *InputError
			require.ErrorAs(t, err, &fault, name)
			assert.EqualError(t, err, "standard input: is cut off: its "+name+" data end too early; no request could be read before", name)
		}
		broken := errors.New("the disk is gone")
		_, err := Read([]string{"-"}, Options{Stdin: io.MultiReader(bytes.NewReader(packed[:len(packed)/2]), iotest.ErrReader(broken))})
		assert.EqualError(t, err, "read standard input: the disk is gone", name)
	}
}

func TestErrorsOfTheSystemAreNotTheInputs(t *testing.T) {
	broken := errors.New("the disk is gone")
	for name, packed := range compressed(t, []byte(strings.Repeat(benchmarkLine+"\n", 20_000))) {
		_, err := Read([]string{"-"}, Options{Stdin: io.MultiReader(bytes.NewReader(packed[:len(packed)/2]), iotest.ErrReader(broken))})
		assert.EqualError(t, err, "read standard input: the disk is gone", name)
		var fault *InputError
		assert.NotErrorAs(t, err, &fault)
	}
}

func TestFilesThatAreNoTextAreNamed(t *testing.T) {
	for start, want := range map[string]string{
		"BZh91AY":                 "is compressed with bzip2",
		"PK\x03\x04rest":          "is a zip archive",
		"\xff\xfet\x00,\x00":      "is written in UTF-16",
		"\x7fELF\x02\x01\x01\x00": "is binary: byte 7 is 0, which no log has; want text, or text compressed with gzip or zstd",
	} {
		_, err := Read([]string{"-"}, Options{Stdin: strings.NewReader(start)})
		var fault *InputError
		require.ErrorAs(t, err, &fault)
		assert.ErrorContains(t, err, want)
	}
}
