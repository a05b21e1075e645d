//go:build !unix

package directory

import (
	"errors"
	"io/fs"
	"os"
)

// ErrNoReader means that a pipe has no reader. This system has no named pipes.
var ErrNoReader = errors.New("nobody reads from it")

// openExisting opens a file of any type but a link.
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
