//go:build !unix

package directory

import (
	"errors"
	"io/fs"
	"os"
)

// ErrNoReader says that nobody reads from a pipe yet: this system has none with names.
var ErrNoReader = errors.New("nobody reads from it")

// openExisting opens what a name stands for.
func (d *Dir) openExisting(name string, flag int) (*os.File, fs.FileInfo, error) {
	info, err := d.root.Lstat(name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, nil, ErrLink
	}
	f, err := d.root.OpenFile(name, flag, fileMode)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}
