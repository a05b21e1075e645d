package output

import (
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Compression is the compression of a file, as its extension.
type Compression string

// The compressions.
const (
	Plain Compression = ""
	Gzip  Compression = ".gz"
	Zstd  Compression = ".zst"
)

// CompressionOf returns the compression that a file's name ends in, and the name without
// that extension.
func CompressionOf(name string) (Compression, string) {
	for _, c := range []Compression{Gzip, Zstd} {
		if rest, ok := strings.CutSuffix(name, string(c)); ok {
			return c, rest
		}
	}
	return Plain, name
}

// Write compresses the output of write to w. The compressed stream is complete if there is
// no error.
func (c Compression) Write(w io.Writer, write func(io.Writer) error) error {
	to, err := c.writer(w)
	if err != nil {
		return err
	}
	if err := write(to); err != nil {
		return err
	}
	return to.Close()
}

func (c Compression) writer(w io.Writer) (io.WriteCloser, error) {
	switch c {
	case Gzip:
		return gzip.NewWriter(w), nil
	case Zstd:
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) // without goroutines
		if err != nil {
			return nil, fmt.Errorf("compress by zstd: %w", err)
		}
		return z, nil
	}
	return uncompressed{w}, nil
}

// uncompressed is a writer without compression.
type uncompressed struct{ io.Writer }

func (uncompressed) Close() error { return nil }
