//go:build !unix || solaris || aix

package directory

import (
	"errors"
	"os"
)

// ErrLocked says that another program has a file locked.
var ErrLocked = errors.New("is locked")

// Lock locks a file until it is closed: this system is not asked to.
func Lock(*os.File) error { return nil }

// hold marks a temporary file as one that is being written: this system is not asked to.
func hold(*os.File) bool { return true }

// Sweep removes what killed writers have left behind: here it is not known what is being
// written.
func (d *Dir) Sweep() {}
