package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The compressions that are read.
const (
	compressedGzip = "gzip"
	compressedZstd = "zstd"
)

// isGzip reports whether a file that begins so is compressed.
func isGzip(start []byte) bool { return len(start) >= 2 && start[0] == 0x1f && start[1] == 0x8b }

// unreadable are files of other kinds, by how they begin.
var unreadable = []struct{ start, what string }{
	{"BZh", "is compressed with bzip2; decompress it first, as in: bzip2 -dc FILE | ratelab … -"},
	{"\xfd7zXZ\x00", "is compressed with xz; decompress it first, as in: xz -dc FILE | ratelab … -"},
	{"\x04\x22\x4d\x18", "is compressed with lz4; decompress it first, as in: lz4 -dc FILE | ratelab … -"},
	{"PK\x03\x04", "is a zip archive; unpack it first, as in: unzip -p FILE | ratelab … -"},
	{"\xff\xfe", "is written in UTF-16; want UTF-8, as iconv -f UTF-16 writes it"},
	{"\xfe\xff", "is written in UTF-16; want UTF-8, as iconv -f UTF-16 writes it"},
}

// notText says what is wrong with a file that is not text, by how it begins.
func notText(start []byte) error {
	for _, u := range unreadable {
		if bytes.HasPrefix(start, []byte(u.start)) {
			return errors.New(u.what)
		}
	}
	if isTar(start) {
		return errors.New("is a tar archive; unpack it first, as in: tar -xOf FILE | ratelab … -")
	}
	if i := bytes.IndexByte(start, 0); i >= 0 {
		return fmt.Errorf("is binary: byte %d is 0, which no log has; want text, or text compressed with gzip or zstd", i)
	}
	return nil
}

// isTar reports whether a file begins with a header of an archive of tar (POSIX: ustar at byte 257).
func isTar(start []byte) bool { return len(start) > 262 && string(start[257:262]) == "ustar" }

// inflated reads a file that may be compressed, and keeps faults of the compressed data apart from those of the
// operating system.
type inflated struct {
	raw         rawReader
	text        io.Reader
	compression string // empty if there is none
	close       func()
}

// rawReader remembers why reading failed.
type rawReader struct {
	io.Reader
	failed error
}

func (r *rawReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		r.failed = err
	}
	return n, err
}

// inflate recognises the compression of a file by its first bytes.
func inflate(in io.Reader) (*inflated, error) {
	z := &inflated{raw: rawReader{Reader: in}}
	var magic [4]byte
	n, err := io.ReadFull(&z.raw, magic[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	all := io.MultiReader(bytes.NewReader(magic[:n]), &z.raw)
	switch {
	case isGzip(magic[:n]):
		z.compression = compressedGzip
		reader, err := gzip.NewReader(all)
		if err != nil {
			return nil, z.fault(err, nothingRead)
		}
		z.text, z.close = reader, func() { _ = reader.Close() }
	case string(magic[:n]) == "\x28\xb5\x2f\xfd":
		z.compression = compressedZstd
		reader, err := zstd.NewReader(all, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, z.fault(err, nothingRead)
		}
		z.text, z.close = reader, reader.Close
	default:
		z.text, z.close = all, func() {}
	}
	return z, nil
}

// fault names an error of reading for people, if it is one of the compressed data; done says what could be read.
func (z *inflated) fault(err error, done string) error {
	switch {
	case z.raw.failed != nil || z.compression == "":
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return damaged{fmt.Errorf("is cut off: its %s data end too early%s", z.compression, done)}
	}
	return damaged{fmt.Errorf("is damaged: its %s data can not be decompressed (%w)%s", z.compression, err, done)}
}

// nothingRead is what fault says where nothing was.
const nothingRead = "; no request could be read before"

// damaged is a fault of compressed data.
type damaged struct{ error }
