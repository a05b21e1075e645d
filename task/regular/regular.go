// Package regular opens regular files for reading, and rejects everything else that a
// name given by a user or a target may refer to: opening a device can have effects,
// and opening a pipe, or a file that another program holds a lease on, can block.
package regular

import (
	"errors"
	"io/fs"
	"os"
)

// ErrNot means that a name is not a regular file.
var ErrNot = errors.New("not a regular file")

// ErrDirectory is the [ErrNot] for a directory.
var ErrDirectory error = directoryError{}

type directoryError struct{}

func (directoryError) Error() string        { return "a folder, not a regular file" }
func (directoryError) Is(target error) bool { return target == ErrNot }

// ErrLeased means that another program holds a lease on the file (fcntl, F_SETLEASE):
// opening it would block until that program gives it up, 45 seconds by default.
var ErrLeased = errors.New("another program holds a lease on it: try again")

// Open opens a regular file. It never blocks on another program.
func Open(name string) (*os.File, fs.FileInfo, error) {
	f, info, err := open(name)
	return f, info, named(name, err)
}

// named makes an error name the file.
func named(name string, err error) error {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

// check rejects what is not a regular file.
func check(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return ErrDirectory
	case !info.Mode().IsRegular():
		return ErrNot
	}
	return nil
}
