//go:build unix

package directory

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrNoReader means that a pipe has no reader, or that the file is a socket.
var ErrNoReader error = unix.ENXIO

// openExisting opens a file of any type but a link, and examines the descriptor,
// because the name may be another file's by then.
func (d *Dir) openExisting(name string, flag int) (*os.File, fs.FileInfo, error) {
	path := d.Join(name)
	if name == ".." || strings.Contains(name, "/") {
		return nil, nil, wrap(path, unix.EINVAL)
	}
	fd, err := unix.Openat(int(d.self.Fd()), name, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, fileMode)
	if isLink(err) {
		return nil, nil, ErrLink
	}
	if err != nil {
		return nil, nil, wrap(path, err)
	}
	_ = unix.SetNonblock(fd, false) // needed only for opening
	f := os.NewFile(uintptr(fd), path)
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// isLink reports whether O_NOFOLLOW found a link. FreeBSD's error differs from
// POSIX's.
func isLink(err error) bool { return errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) }
