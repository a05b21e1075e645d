//go:build !unix

package directory

import (
	"io/fs"
	"os"
)

// walk makes what is missing of a path: this system has no owners that are known here.
func walk(path string, makes bool) (*os.File, error) {
	if makes {
		return nil, os.MkdirAll(path, dirMode)
	}
	return nil, nil
}

// Refuse implements the check of names on systems with owners: here there is none.
func (d *Dir) Refuse(string, fs.FileInfo) error { return nil }

// RefuseShared implements the check of directories on systems with owners.
func (d *Dir) RefuseShared() error { return nil }

// RefuseLeft implements the check of files on systems with owners.
func (d *Dir) RefuseLeft(fs.FileInfo) error { return nil }
