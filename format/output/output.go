// Package output writes files whole or not at all, and keeps the newest of a
// row of them.
package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Write makes a file of what write gives it. The file appears under its name
// when it is complete and on the disk. A new one is for its owner alone; one that
// takes the place of another keeps that one's mode, owner and group, or is refused
// where they cannot be kept. A symbolic link stays, and what it leads to is
// replaced, unless another user could have chosen where it leads, by the link or by a
// folder on the way: then nothing is written. Another hard link to the old file keeps the old content. When anything
// fails, write among it, the name has what it had before.
//
// What is no regular file, such as a pipe, a terminal or /dev/stdout, is
// written as the bytes come.
//
// An error of the file system is an *[fs.PathError] with this path; one of
// write is wrapped.
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

// Check returns the error that Write would return because a folder is missing or not
// writable, as far as that can be told beforehand. It leaves no file behind, and deletes
// temporary files that killed runs left in the folder.
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

// replace writes a new file and then gives it the name.
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

// fill gives write the file, and tells its own errors from the file's.
func fill(f *os.File, path string, write func(io.Writer) error) error {
	sink := &sink{w: f}
	buffer := bufio.NewWriterSize(sink, 64<<10)
	err := write(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	switch {
	case sink.err != nil: // whatever write made of it
		return failure(path, sink.err)
	case err != nil:
		return fmt.Errorf("%s was not written: %w", path, err)
	}
	return nil
}

// sink remembers why a writing failed.
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

// failure names the file that was asked for, not the one written beside it.
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
