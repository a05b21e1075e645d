// Package output writes files whole or not at all, and keeps the newest of a
// row of them.
package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Write makes a file of what write gives it. The file appears under its name
// when it is complete and on the disk, in place of one that was there, whose
// mode and, if the name is a symbolic link, whose place it keeps; another hard
// link to the old file keeps the old content. When anything fails, write among
// it, the name has what it had before.
//
// What is no regular file, such as a pipe, a terminal or /dev/stdout, is
// written as the bytes come.
//
// An error of the file system is an *[fs.PathError] with this path; one of
// write is wrapped.
func Write(path string, write func(io.Writer) error) error {
	straight, err := isStraight(path)
	switch {
	case err != nil:
		return failure(path, err)
	case straight:
		return writeStraight(path, write)
	}
	return replace(path, write)
}

// Check returns the error that Write would come to for want of a folder or of
// the right to write, as far as that can be told before there is anything to
// write. It leaves nothing behind.
func Check(path string) error {
	straight, err := isStraight(path)
	switch {
	case err != nil:
		return failure(path, err)
	case straight:
		return nil // a pipe would wait for its reader
	}
	final := follow(path)
	if _, err := replaceable(final); err != nil {
		return failure(path, err)
	}
	f, err := create(filepath.Dir(final))
	if err != nil {
		return failure(path, err)
	}
	_ = f.Close()
	return os.Remove(f.Name())
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

// replace writes beside the file and then gives the new one its name.
func replace(path string, write func(io.Writer) error) error {
	final := follow(path)
	mode, err := replaceable(final)
	if err != nil {
		return failure(path, err)
	}
	f, err := create(filepath.Dir(final))
	if err != nil {
		return failure(path, err)
	}
	done := false
	defer func() { // after a panic of write too
		if !done {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err := fill(f, path, write); err != nil {
		return err
	}
	if err := commit(f, mode, final); err != nil {
		return failure(path, err)
	}
	done = true
	return nil
}

// maxLinks is how many symbolic links are followed, as Linux does.
const maxLinks = 40

// follow returns what a symbolic link leads to, also when that does not exist
// yet. The parts are not cleaned: ".." after a linked folder is not its parent.
func follow(path string) string {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(path) + string(filepath.Separator) + to
		}
		path = to
	}
	return path
}

// keepUmask is a mode that is left as it was created.
const keepUmask fs.FileMode = 0

// replaceable returns the mode that the new file takes over, and refuses what
// a plain writing would be refused.
func replaceable(path string) (fs.FileMode, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return keepUmask, nil
	}
	if err != nil {
		return keepUmask, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return keepUmask, err
	}
	return info.Mode().Perm(), nil
}

// create makes the file beside, under a name that no other takes. Not by
// os.CreateTemp, whose mode does not heed the umask.
func create(dir string) (*os.File, error) {
	for try := 0; ; try++ {
		name := fmt.Sprintf(".stacksnap-%d-%08x.tmp", os.Getpid(), rand.Uint32())
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
}

// commit makes a written file the one of that name. It is on the disk first:
// otherwise a crash of the system could leave the name with an empty file.
func commit(f *os.File, mode fs.FileMode, final string) error {
	if mode != keepUmask {
		if err := f.Chmod(mode); err != nil && runtime.GOOS != "windows" {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), final); err != nil {
		return err
	}
	syncDir(filepath.Dir(final))
	return nil
}

// syncDir makes the name last. Some file systems cannot, and the file is there
// all the same.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
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
