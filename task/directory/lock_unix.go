//go:build unix && !solaris && !aix

package directory

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// ErrLocked says that another program has a file locked.
var ErrLocked = errors.New("is locked")

// Lock locks a file until it is closed, also by the end of this program.
func Lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// hold marks a temporary file as one that is being written, and reports whether it is
// there still: another run may have come before the lock.
func hold(f *os.File) bool {
	if errors.Is(Lock(f), ErrLocked) {
		return false
	}
	var is unix.Stat_t
	return unix.Fstat(int(f.Fd()), &is) == nil && is.Nlink > 0
}

// Sweep removes what writers of this user have left behind that were killed: temporary
// files that nobody holds.
func (d *Dir) Sweep() {
	list, err := d.root.Open(".")
	if err != nil {
		return // nothing is lost by it
	}
	defer func() { _ = list.Close() }() // it was only read
	names, _ := list.Readdirnames(maxSwept)
	for _, name := range names {
		if isTemporaryName(name) {
			d.sweep(name)
		}
	}
}

// maxSwept bounds how many files are looked at: in a larger directory some may stay.
const maxSwept = 10_000

func (d *Dir) sweep(name string) {
	f, _, err := d.openRegular(name, os.O_RDONLY)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // it was only looked at
	var is, named unix.Stat_t
	if unix.Fstat(int(f.Fd()), &is) != nil || int(is.Uid) != os.Geteuid() || is.Nlink != 1 || Lock(f) != nil {
		return
	}
	err = unix.Fstatat(int(d.self.Fd()), name, &named, unix.AT_SYMLINK_NOFOLLOW)
	if err == nil && named.Dev == is.Dev && named.Ino == is.Ino {
		_ = d.Remove(name)
	}
}
