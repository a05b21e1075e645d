package command

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/klauspost/compress/zstd"

	"stacksnap/format/jsondoc"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/task/unpack"
)

func inFile(path string, err error) error {
	if err == nil || is[*os.PathError](err) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// errNoReport says that a file is no report that can be read.
var errNoReport = errors.New("no report that can be read")

// softLimit is from how many bytes of memory on garbage is collected more often while a
// report is read: most of what is read is soon that.
const softLimit = 176 << 20

// readReport reads a report by the first of the readers that knows it, compressed or not.
func readReport(path string, readers ...func(io.Reader) (*profile.Profile, error)) (*profile.Profile, error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(softLimit))
	for _, read := range readers {
		p, err := readBy(path, read)
		if !errors.Is(err, jsondoc.ErrNotDocument) && !errors.Is(err, pprof.ErrNotPprof) {
			return p, err
		}
	}
	return nil, errNoReport
}

func readBy(path string, read func(io.Reader) (*profile.Profile, error)) (*profile.Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := uncompressed(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	return read(r)
}

// uncompressed is what a stream has, by gzip, zstd or neither (RFC 1952, RFC 8878), no
// more than [unpack.New] allows.
func uncompressed(r *bufio.Reader) (io.Reader, error) {
	const enough = 64 << 20 // bytes that zstd may hold
	first, _ := r.Peek(4)   // what is shorter is not compressed
	packed := unpack.New(r)
	var z io.Reader
	var err error
	switch {
	case strings.HasPrefix(string(first), "\x1f\x8b"):
		z, err = gzip.NewReader(packed)
	case string(first) == "\x28\xb5\x2f\xfd":
		z, err = zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(enough))
	default:
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("uncompress: %w", err)
	}
	return packed.Bound(z), nil
}
