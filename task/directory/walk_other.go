//go:build !unix

package directory

import (
	"io/fs"
	"os"
)

// walk creates the missing directories of a path. On this system nothing is checked.
func walk(path string, makes bool) (*os.File, error) {
	if makes {
		return nil, os.MkdirAll(path, dirMode)
	}
	return nil, nil
}

// Refuse returns nil: on this system nothing is checked.
func (d *Dir) Refuse(string, fs.FileInfo) error { return nil }

// RefuseShared returns nil: on this system nothing is checked.
func (d *Dir) RefuseShared() error { return nil }

// RefuseLeft returns nil: on this system nothing is checked.
func (d *Dir) RefuseLeft(fs.FileInfo) error { return nil }
