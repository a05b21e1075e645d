//go:build unix && !solaris && !aix

package directory

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// ErrLocked means that another program has a file locked.
var ErrLocked = errors.New("is locked")

// Lock locks a file until it is closed or this program ends.
func Lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// hold locks a temporary file as one that is being written, and reports whether it
// still exists: another run may have deleted it before the lock.
func hold(f *os.File) bool {
	if errors.Is(Lock(f), ErrLocked) {
		return false
	}
	var is unix.Stat_t
	return unix.Fstat(int(f.Fd()), &is) == nil && is.Nlink > 0
}

// Sweep deletes temporary files that writers of this user left behind when they were
// killed: those that are not locked.
func (d *Dir) Sweep() {
	list, err := d.root.Open(".")
	if err != nil {
		return // no harm done
	}
	defer func() { _ = list.Close() }() // read-only
	names, _ := list.Readdirnames(maxSwept)
	for _, name := range names {
		if isTemporaryName(name) {
			d.sweep(name)
		}
	}
}

// maxSwept is how many files are examined. In a larger directory some may be missed.
const maxSwept = 10_000

func (d *Dir) sweep(name string) {
	f, _, err := d.openRegular(name, os.O_RDONLY)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // opened only to examine it
	var is, named unix.Stat_t
	if unix.Fstat(int(f.Fd()), &is) != nil || int(is.Uid) != os.Geteuid() || is.Nlink != 1 || Lock(f) != nil {
		return
	}
	err = unix.Fstatat(int(d.self.Fd()), name, &named, unix.AT_SYMLINK_NOFOLLOW)
	if err == nil && named.Dev == is.Dev && named.Ino == is.Ino {
		_ = d.Remove(name)
	}
}
