//go:build !unix || solaris || aix

package directory

import (
	"errors"
	"os"
)

// ErrLocked means that another program has a file locked.
var ErrLocked = errors.New("is locked")

// Lock does nothing on this system.
func Lock(*os.File) error { return nil }

// hold does nothing on this system.
func hold(*os.File) bool { return true }

// Sweep does nothing: on this system it is not known which files are still being
// written.
func (d *Dir) Sweep() {}
