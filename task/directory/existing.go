package directory

import (
	"errors"
	"io/fs"
	"os"
)

// ErrLink says that a name stands for a symbolic link, which is not followed.
var ErrLink = errors.New("is a symbolic link")

// ErrNotRegular says that a name stands for something else than a regular file.
var ErrNotRegular = errors.New("is not a regular file")

// OpenToWrite opens what has a name, whatever it is but a link, and describes what it has
// opened. It never waits: a pipe without a reader is [ErrNoReader]. What is written goes to
// the end.
func (d *Dir) OpenToWrite(name string) (*os.File, fs.FileInfo, error) {
	return d.openExisting(name, os.O_WRONLY|os.O_APPEND)
}

// OpenToRead opens a regular file, without following a link and without waiting.
func (d *Dir) OpenToRead(name string) (*os.File, fs.FileInfo, error) {
	return d.openRegular(name, os.O_RDONLY)
}

// OpenLock opens the regular file that programs take turns by, and makes it when it is
// missing.
func (d *Dir) OpenLock(name string) (*os.File, error) {
	f, _, err := d.openRegular(name, os.O_RDWR|os.O_CREATE)
	return f, err
}

// Old describes the regular file that is to be replaced, and proves that it may be written
// to: nil where nothing has the name, [ErrNotRegular] where something else has it.
func (d *Dir) Old(name string) (fs.FileInfo, error) {
	info, err := d.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrNotRegular // a device is not even opened
	}
	f, info, err := d.openRegular(name, os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	return info, f.Close() // nothing was written
}

// openRegular refuses what is no regular file.
func (d *Dir) openRegular(name string, flag int) (*os.File, fs.FileInfo, error) {
	f, info, err := d.openExisting(name, flag)
	switch {
	case errors.Is(err, ErrLink), errors.Is(err, ErrNoReader):
		return nil, nil, ErrNotRegular
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		_ = f.Close() // it was only looked at
		return nil, nil, ErrNotRegular
	}
	return f, info, nil
}
