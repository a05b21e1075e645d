package apple

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"stacksnap/format/apple/crash"
	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task/regular"
)

// ErrNotReport is returned for a file that is not a report of Apple's tools, or is
// one of an unknown kind.
var ErrNotReport = crash.ErrNotReport

// Open reads a report of any of Apple's tools, and recognises the kind by the content. It
// returns a profile of each process, in the order of the report; only a report of spindump
// has several. The error wraps [ErrNotReport] if the file is no such report.
func Open(name string) ([]*profile.Profile, error) {
	f, _, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read-only
	return Read(f)
}

// Read reads a report from a stream, as [Open] does from a file.
func Read(from io.Reader) ([]*profile.Profile, error) {
	r := bufio.NewReaderSize(from, notation.HeadSize)
	head, err := r.Peek(notation.HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	k := kindOf(head)
	if k == nil {
		return nil, crash.ErrNotReport
	}
	return k.read(r)
}

// kind is a kind of report.
type kind struct {
	is   func(head []byte) bool
	read func(*bufio.Reader) ([]*profile.Profile, error)
}

// kindOf recognises the kind of a report by its start, nil if it is none.
func kindOf(head []byte) *kind {
	for _, k := range []kind{
		{isSample, alone(readSample)}, {crash.IsIPS, alone(crash.ReadIPS)}, {isSpindump, readSpindump}, {crash.IsText, alone(crash.ReadText)},
	} {
		if k.is(head) {
			return &k
		}
	}
	return nil
}

// alone adapts a function that reads a report of one process.
func alone(read func(*bufio.Reader) (*profile.Profile, error)) func(*bufio.Reader) ([]*profile.Profile, error) {
	return func(r *bufio.Reader) ([]*profile.Profile, error) {
		p, err := read(r)
		if err != nil {
			return nil, err
		}
		return []*profile.Profile{p}, nil
	}
}

// Is reports whether a file begins like a report.
func Is(name string) bool {
	f, _, err := regular.Open(name)
	if err != nil {
		return false
	}
	defer f.Close() // read-only
	head := make([]byte, notation.HeadSize)
	n, _ := io.ReadFull(f, head) // a short file is fine
	return kindOf(head[:n]) != nil
}

// isSample reports whether head begins like a report of sample(1).
func isSample(head []byte) bool {
	for line := range bytes.Lines(head) {
		if bytes.HasPrefix(line, []byte(analysisOf)) {
			return true
		}
	}
	return false
}
