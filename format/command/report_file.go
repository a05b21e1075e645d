package command

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
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

// errNoReport is returned for a file that none of the readers recognises.
var errNoReport = errors.New("no report that can be read")

// softLimit is the soft memory limit, in bytes, while a report is read. Most of the memory
// that reading takes is soon garbage.
const softLimit = 176 << 20

// readReport reads a report with the first of the readers that recognises it. The file may
// be compressed.
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

// readBy calls read with the uncompressed content of a file.
func readBy[T any](path string, read func(io.Reader) (T, error)) (content T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return content, err
	}
	defer f.Close()
	r, err := uncompressed(bufio.NewReader(f))
	if err != nil {
		return content, err
	}
	return read(r)
}

// uncompressed returns the uncompressed content of a stream that may be compressed by gzip
// or zstd (RFC 1952, RFC 8878). It ends with an error beyond the limit of [unpack.New].
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

// writtenByUs returns the kind of a file that stacksnap wrote for people and cannot open,
// such as "a page"; empty if the file is none.
func writtenByUs(path string) string {
	const enough = 1 << 20 // bytes from which the kind is known
	text, _ := readBy(path, func(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, enough)) })
	switch begin := strings.ToLower(string(text[:min(len(text), 1<<10)])); {
	case strings.HasPrefix(begin, "<!doctype html") && strings.Contains(string(text), "stacksnap"):
		return "a page"
	case strings.HasPrefix(begin, "<?xml") && strings.Contains(begin, "<desc>stacksnap "):
		return "a flame graph"
	case ourText().Match(text):
		return "a text report"
	}
	return ""
}

// ourText matches a line that our text reports have, and reports of other tools do not.
func ourText() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(Tool: +stacksnap |Process: \S.* \[\d+\], [\d,]+ threads?|Processes: +[\d,]+, (one captured|captured at))`)
}
