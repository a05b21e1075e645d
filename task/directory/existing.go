package directory

import (
	"errors"
	"io/fs"
	"os"
)

// ErrLink means that a name is a symbolic link, which is not followed.
var ErrLink = errors.New("is a symbolic link")

// ErrNotRegular means that a name is not a regular file.
var ErrNotRegular = errors.New("is not a regular file")

// OpenToWrite opens a file of any type but a link, and returns what it has opened. It
// never blocks: a pipe without a reader is [ErrNoReader]. Writes are appended.
func (d *Dir) OpenToWrite(name string) (*os.File, fs.FileInfo, error) {
	return d.openExisting(name, os.O_WRONLY|os.O_APPEND)
}

// OpenToRead opens a regular file, without following a link and without blocking.
func (d *Dir) OpenToRead(name string) (*os.File, fs.FileInfo, error) {
	return d.openRegular(name, os.O_RDONLY)
}

// OpenLock opens a lock file, which must be a regular file, or creates it.
func (d *Dir) OpenLock(name string) (*os.File, error) {
	f, _, err := d.openRegular(name, os.O_RDWR|os.O_CREATE)
	return f, err
}

// Old returns the regular file that is to be replaced, after checking that it is
// writable: nil if the name does not exist, [ErrNotRegular] if it is something else.
func (d *Dir) Old(name string) (fs.FileInfo, error) {
	info, err := d.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrNotRegular // a device must not even be opened
	}
	f, info, err := d.openRegular(name, os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	return info, f.Close() // nothing was written
}

// openRegular opens a file and rejects any that is not regular.
func (d *Dir) openRegular(name string, flag int) (*os.File, fs.FileInfo, error) {
	f, info, err := d.openExisting(name, flag)
	switch {
	case errors.Is(err, ErrLink), errors.Is(err, ErrNoReader):
		return nil, nil, ErrNotRegular
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		_ = f.Close() // opened only to examine it
		return nil, nil, ErrNotRegular
	}
	return f, info, nil
}
