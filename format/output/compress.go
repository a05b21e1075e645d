package output

import (
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Compression is how a file is compressed.
type Compression string

// The compressions that there are, by the extensions of their files.
const (
	Plain Compression = ""
	Gzip  Compression = ".gz"
	Zstd  Compression = ".zst"
)

// CompressionOf returns the compression that a file's name tells, and the name
// without it.
func CompressionOf(name string) (Compression, string) {
	for _, c := range []Compression{Gzip, Zstd} {
		if rest, ok := strings.CutSuffix(name, string(c)); ok {
			return c, rest
		}
	}
	return Plain, name
}

// Write compresses what write gives it. The compressed form is whole once there is
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

// uncompressed leaves bytes as they are.
type uncompressed struct{ io.Writer }

func (uncompressed) Close() error { return nil }
