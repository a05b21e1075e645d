// Package output writes files completely or not at all, and keeps the newest of a series.
package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Write writes a file with the output of write. The file gets its name when it is complete
// and on disk. A new file is accessible only by its owner. A file that replaces another one
// keeps its mode, owner and group; if that is impossible, Write returns an error. A
// symbolic link is kept and its target is replaced, unless another user could have chosen
// the target, by the link or by a directory on the way: then Write returns an error.
// Another hard link to the old file keeps the old content. After any error, of write too,
// the path has its old content.
//
// A path that is no regular file, such as a pipe, a terminal or /dev/stdout, is written
// directly.
//
// An error of the file system is an *[fs.PathError] with this path; one of write is
// wrapped.
func Write(path string, write func(io.Writer) error) error {
	p, err := find(path)
	if err != nil {
		return failure(path, err)
	}
	defer p.close()
	straight, err := p.open()
	switch {
	case err != nil:
		return failure(path, err)
	case straight != nil:
		return writeStraight(straight, path, write)
	}
	return p.replace(path, write)
}

// Check returns the error that Write would return because a directory is missing or not
// writable, as far as that can be known beforehand. It leaves no file behind, and deletes
// temporary files that killed programs left in the directory.
func Check(path string) error {
	p, err := find(path)
	if err != nil {
		return failure(path, err)
	}
	defer p.close()
	if err := p.look(); err != nil {
		return failure(path, err)
	}
	if p.stream != "" || p.old != nil && !p.old.Mode().IsRegular() {
		return nil // a pipe would wait for its reader
	}
	p.dir.Sweep()
	t, err := p.begin()
	if err != nil {
		return failure(path, err)
	}
	t.Drop()
	return nil
}

func writeStraight(f *os.File, path string, write func(io.Writer) error) error {
	err := fill(f, path, write)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = failure(path, closeErr)
	}
	return err
}

// replace writes a temporary file and renames it to the name.
func (p *place) replace(path string, write func(io.Writer) error) error {
	t, err := p.begin()
	if err != nil {
		return failure(path, err)
	}
	defer t.Drop() // after a panic of write too
	if err := fill(t.File, path, write); err != nil {
		return err
	}
	if err := p.commit(t); err != nil {
		return failure(path, err)
	}
	return nil
}

// fill passes the file to write, and distinguishes errors of write from those of the file.
func fill(f *os.File, path string, write func(io.Writer) error) error {
	sink := &sink{w: f}
	buffer := bufio.NewWriterSize(sink, 64<<10)
	err := write(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	switch {
	case sink.err != nil: // even if write ignored it
		return failure(path, sink.err)
	case err != nil:
		return fmt.Errorf("%s was not written: %w", path, err)
	}
	return nil
}

// sink remembers the first error of writing.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}

// failure returns err with the path that the user gave instead of that of the temporary
// file.
func failure(path string, err error) error {
	var inner *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &inner):
		err = inner.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: "write", Path: path, Err: err}
}
