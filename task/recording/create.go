package recording

import (
	"fmt"
	"os"
)

// Saved is a recording that is being written to a file.
type Saved struct {
	*Writer
	file *os.File
}

// Create begins a recording in a file, which only its owner may read: it holds
// memory of the target. An existing regular file is written over; anything else
// of that name (a directory, a device, a pipe) is left alone, with an error. The
// file is written as the recording grows, so that a crash leaves all snapshots
// that were whole.
func Create(path string, h Header) (*Saved, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("write recording: %s is not a regular file", path)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("write recording: %w", err)
	}
	w, err := NewWriter(file, h)
	if err != nil {
		_ = file.Close() // the error before tells more
		_ = os.Remove(path)
		return nil, err
	}
	return &Saved{w, file}, nil
}

// Close ends the recording in order, and closes the file.
func (s *Saved) Close(e End) error {
	err := s.Writer.Close(e)
	if closeErr := s.file.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("write recording: %w", closeErr)
	}
	return err
}

// Opened is a recording that is read from a file.
type Opened struct {
	*Reader
	file *os.File
}

// Open opens a recording. Its errors are those of [NewReader].
func Open(path string) (*Opened, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
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
