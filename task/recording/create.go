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

// Output is what a recording is written to.
type Output interface {
	io.WriteCloser
	Name() string  // a path that leads to it
	Remove() error // takes it away, open or closed
}

// Saved is a recording that is being written to a file.
type Saved struct {
	*Writer
	file Output
}

// Create begins a recording in a file that it makes, and that only its owner may
// read from the first byte on: it holds memory of the target. An existing regular
// file of that name is taken away before, its owner and mode with it; anything
// else (a directory, a device, a pipe, a symbolic link) is left alone, with an
// error. The file is written as the recording grows, so that a crash leaves all
// snapshots that were whole.
func Create(path string, h Header) (*Saved, error) {
	file, err := replace(path)
	if err != nil {
		return nil, fmt.Errorf("write recording: %w", err)
	}
	return Save(file, h)
}

// Save begins a recording in a file that is there and empty. On an error it takes
// the file away.
func Save(file Output, h Header) (*Saved, error) {
	w, err := NewWriter(file, h)
	if err != nil {
		_ = file.Close() // the error before tells more
		_ = file.Remove()
		return nil, err
	}
	return &Saved{w, file}, nil
}

// ownFile is a file that was made here.
type ownFile struct {
	*os.File
	dir  *directory.Dir // held open: the file is taken away from there
	name string
}

// Name implements [Output].
func (f *ownFile) Name() string { return f.dir.Join(f.name) }

// Remove implements [Output].
func (f *ownFile) Remove() error { return f.dir.Remove(f.name) }

// replace makes a new file in place of a regular one.
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
		file, err = dir.Create(name) // where nothing is, not even a link
	}
	if err != nil {
		return nil, errors.Join(failure(path, err), dir.Close())
	}
	return &ownFile{file, dir, name}, nil
}

// failure names the file that was asked for.
func failure(path string, err error) error {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

// Close ends the recording in order, and closes the file. One that could not be
// written and has no whole snapshot is taken away: it tells nothing.
func (s *Saved) Close(e End) error {
	err := s.Writer.Close(e)
	if closeErr := s.file.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("write recording: %w", closeErr)
	}
	if err != nil && s.whole == 0 {
		_ = s.file.Remove() // the error before tells more
	}
	return err
}

// Name is a path that leads to the file.
func (s *Saved) Name() string { return s.file.Name() }

// Remove takes the file away.
func (s *Saved) Remove() error { return s.file.Remove() }

// Opened is a recording that is read from a file.
type Opened struct {
	*Reader
	file *os.File
}

// Open opens a recording, a regular file. Its errors are those of [regular.Open] and
// of [NewReader].
func Open(path string) (*Opened, error) {
	file, _, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(file)
	if err != nil {
		_ = file.Close() // it was only read
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Opened{r, file}, nil
}

// Close closes the file.
func (o *Opened) Close() error { return o.file.Close() }
