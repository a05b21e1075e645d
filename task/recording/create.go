package recording

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"stacksnap/task/directory"
	"stacksnap/task/regular"
)

// Output is the file that a recording is written to.
type Output interface {
	io.WriteCloser
	Name() string  // its path
	Remove() error // deletes it, open or closed
}

// Saved is a recording that is being written to a file.
type Saved struct {
	*Writer
	file Output
	dir  *directory.Dir // of a file that Create has made; nil: it was not
}

// Create starts a recording in a new file, which only its owner can read from the
// start on, because it contains the target's memory. A regular file of that name is
// deleted first; anything else (a directory, a device, a pipe, a symbolic link) is an
// error. The file is written as the recording grows, so that a crash loses at most an
// incomplete snapshot.
func Create(path string, h Header) (*Saved, error) {
	file, err := replace(path)
	if err != nil {
		return nil, fmt.Errorf("write recording: %w", err)
	}
	saved, err := Save(file, h)
	if err != nil {
		_ = file.dir.Close() // the first error is returned
		return nil, err
	}
	saved.dir = file.dir
	return saved, nil
}

// Save starts a recording in an existing, empty file. On an error it deletes the
// file.
func Save(file Output, h Header) (*Saved, error) {
	w, err := NewWriter(file, h)
	if err != nil {
		_ = file.Close() // the first error is returned
		_ = file.Remove()
		return nil, err
	}
	return &Saved{Writer: w, file: file}, nil
}

// ownFile is a file that was created here.
type ownFile struct {
	*os.File
	dir  *directory.Dir // held open, so that the file is deleted from there
	name string
}

// Name implements [Output].
func (f *ownFile) Name() string { return f.dir.Join(f.name) }

// Remove implements [Output].
func (f *ownFile) Remove() error { return f.dir.Remove(f.name) }

// replace removes the regular file at path, if there is one, and creates a new one. It
// refuses what is not a regular file.
func replace(path string) (*ownFile, error) {
	dir, err := directory.Open(filepath.Dir(path))
	if err != nil {
		return nil, failure(path, err)
	}
	dir.Sweep()
	name := filepath.Base(path)
	old, err := dir.Old(name)
	if err == nil && old != nil {
		err = dir.Remove(name)
	}
	var file *os.File
	if err == nil {
		file, err = dir.Create(name) // fails if anything has the name, even a link
	}
	if err != nil {
		return nil, errors.Join(failure(path, err), dir.Close())
	}
	return &ownFile{file, dir, name}, nil
}

// failure makes an error name the path that was given.
func failure(path string, err error) error {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

// Close ends the recording properly, and closes the file. On an error, it deletes a
// file without a complete snapshot.
func (s *Saved) Close(e End) error {
	err := s.Writer.Close(e)
	if closeErr := s.file.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("write recording: %w", closeErr)
	}
	if err != nil && s.whole == 0 {
		_ = s.file.Remove() // the first error is returned
	}
	if s.dir != nil {
		_ = s.dir.Close() // nothing is written by it
	}
	return err
}

// Name returns the file's path.
func (s *Saved) Name() string { return s.file.Name() }

// Remove deletes the file of [Save], open or closed.
func (s *Saved) Remove() error { return s.file.Remove() }

// Opened is a recording that is read from a file.
type Opened struct {
	*Reader
	file *os.File
}

// Open opens a recording, which must be a regular file. The errors are those of
// [regular.Open] and of [NewReader].
func Open(path string) (*Opened, error) {
	file, _, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(file)
	if err != nil {
		_ = file.Close() // read-only
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Opened{r, file}, nil
}

// Close closes the file.
func (o *Opened) Close() error { return o.file.Close() }
