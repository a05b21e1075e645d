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
	"path/filepath"
	"strings"
)

// Write makes a file of what write gives it. The file appears under its name
// when it is complete and on the disk. A new one is for its owner alone; one that
// takes the place of another keeps that one's mode, owner and group, or is refused
// where they cannot be kept. A symbolic link stays, and what it leads to is
// replaced, unless the link is another user's (but root's): then nothing is
// written. Another hard link to the old file keeps the old content. When anything
// fails, write among it, the name has what it had before.
//
// What is no regular file, such as a pipe, a terminal or /dev/stdout, is
// written as the bytes come.
//
// An error of the file system is an *[fs.PathError] with this path; one of
// write is wrapped.
func Write(path string, write func(io.Writer) error) error {
	final, straight, err := resolve(path)
	switch {
	case err != nil:
		return failure(path, err)
	case straight:
		return writeStraight(path, write)
	}
	return replace(path, final, write)
}

// Check returns the error that Write would come to for want of a folder or of
// the right to write, as far as that can be told before there is anything to
// write. It leaves nothing behind.
func Check(path string) error {
	final, straight, err := resolve(path)
	switch {
	case err != nil:
		return failure(path, err)
	case straight:
		return nil // a pipe would wait for its reader
	}
	p, err := openPlace(final)
	if err != nil {
		return failure(path, err)
	}
	defer p.close()
	b, err := p.begin()
	if err != nil {
		return failure(path, err)
	}
	b.drop()
	return nil
}

// resolve returns what symbolic links lead to, and whether bytes go there as they
// come.
func resolve(path string) (final string, straight bool, err error) {
	final, err = follow(path)
	if err != nil {
		return "", false, err
	}
	straight, err = isStraight(path)
	return final, straight, err
}

// isStraight tells whether bytes go to the path as they come. What is below
// /dev or /proc/self/fd may be a regular file that someone else has open and
// continues, as with a redirected /dev/stdout: it must not be replaced.
func isStraight(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.IsDir():
		return false, errors.New("is a directory")
	}
	clean := filepath.ToSlash(filepath.Clean(path))
	return !info.Mode().IsRegular() || isDescriptor(clean), nil
}

func isDescriptor(path string) bool {
	return path == "/dev/stdout" || path == "/dev/stderr" ||
		strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

func writeStraight(path string, write func(io.Writer) error) error {
	// To append matters where Linux opens a redirected descriptor's file anew.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return failure(path, err)
	}
	err = fill(f, path, write)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = failure(path, closeErr)
	}
	return err
}

// replace writes beside the file final and then gives the new one its name.
func replace(path, final string, write func(io.Writer) error) error {
	p, err := openPlace(final)
	if err != nil {
		return failure(path, err)
	}
	defer p.close()
	b, err := p.begin()
	if err != nil {
		return failure(path, err)
	}
	defer b.drop() // after a panic of write too
	if err := fill(b.File, path, write); err != nil {
		return err
	}
	if err := p.commit(b); err != nil {
		return failure(path, err)
	}
	return nil
}

// maxLinks is how many symbolic links are followed, as Linux does.
const maxLinks = 40

// follow returns what a symbolic link leads to, also when that does not exist
// yet. The parts are not cleaned: ".." after a linked folder is not its parent. A
// link that another user has made is refused: it could lead to what he may not
// write himself.
func follow(path string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil // an error comes again, where it is told
		}
		if uid, _, ok := owner(info); ok && uid != 0 && uid != os.Geteuid() {
			return "", fmt.Errorf("is a symbolic link of another user (uid %d), which is not followed", uid)
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(path) + string(filepath.Separator) + to
		}
		path = to
	}
	return path, nil
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
