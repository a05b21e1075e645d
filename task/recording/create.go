package recording

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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

// fileMode is that of a recording.
const fileMode = 0o600

// ownFile is a file that was made here.
type ownFile struct {
	*os.File
	path string
}

// Name implements [Output].
func (f *ownFile) Name() string { return f.path }

// Remove implements [Output].
func (f *ownFile) Remove() error { return os.Remove(f.path) }

// replace makes a new file in place of a regular one.
func replace(path string) (*ownFile, error) {
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, failure(path, err)
	}
	defer func() { _ = folder.Close() }() // it was only read
	name := filepath.Base(path)
	if err := takeAway(folder, name); err != nil {
		return nil, failure(path, err)
	}
	file, err := makeNew(folder, name)
	if err != nil {
		return nil, failure(path, err)
	}
	return &ownFile{file, path}, nil
}

// makeNew makes a file where nothing is, not even a link: something may have come
// there since it was looked at.
func makeNew(folder *os.Root, name string) (*os.File, error) {
	return folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
}

var errNotRegular = errors.New("is not a regular file")

// takeAway removes the regular file of a name, if there is one that may be written.
func takeAway(folder *os.Root, name string) error {
	old, err := regular.Old(folder, name)
	if errors.Is(err, regular.ErrNot) {
		return errNotRegular
	}
	if old == nil {
		return err
	}
	return errors.Join(old.Close(), folder.Remove(name))
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
