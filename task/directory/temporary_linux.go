package directory

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// anonymous creates a file without a name (open(2), O_TMPFILE), if it can get one
// later.
func (d *Dir) anonymous() (*os.File, error) {
	fd, err := unix.Openat(int(d.self.Fd()), ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, fileMode)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), d.path)
	if err := unix.Access(descriptorPath(f), unix.F_OK); err != nil { // without /proc
		_ = f.Close() // it is empty
		return nil, err
	}
	hold(f)
	return f, nil
}

// link gives the file a new name.
func (t *Temporary) link(name string) error {
	if t.name != "" {
		return t.dir.root.Link(t.name, name)
	}
	err := unix.Linkat(unix.AT_FDCWD, descriptorPath(t.File), int(t.dir.self.Fd()), name, unix.AT_SYMLINK_FOLLOW)
	return wrap(t.dir.Join(name), err)
}

func descriptorPath(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }
