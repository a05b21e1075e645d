// Package regular opens regular files for reading, and nothing else that a name
// given by a user or a target may stand for: opening a device can set it to work,
// and opening a pipe, or a file that another program holds a lease on, can block.
package regular

import (
	"errors"
	"io/fs"
	"os"
)

// ErrNot says that a name stands for something else than a regular file.
var ErrNot = errors.New("not a regular file")

// ErrFolder is an [ErrNot]: it is a folder.
var ErrFolder error = folderError{}

type folderError struct{}

func (folderError) Error() string        { return "a folder, not a regular file" }
func (folderError) Is(target error) bool { return target == ErrNot }

// ErrLeased says that another program holds a lease on the file (fcntl,
// F_SETLEASE): opening it would wait for that program, 45 seconds by default.
var ErrLeased = errors.New("another program holds a lease on it: try again")

// Open opens a file, and tells what it is. It never waits for another program.
func Open(name string) (*os.File, fs.FileInfo, error) {
	f, info, err := open(name)
	return f, info, named(name, err)
}

// named has an error name the file.
func named(name string, err error) error {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

// check refuses what is no regular file.
func check(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return ErrFolder
	case !info.Mode().IsRegular():
		return ErrNot
	}
	return nil
}
