package elf

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openRegular opens a regular file for reading, and nothing else: to open a
// device can set it to work, to open a pipe can block. So the file is looked at
// first, and the one that was looked at is opened.
func openRegular(name string) (candidate, error) {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return candidate{}, &os.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return candidate{}, &os.PathError{Op: "stat", Path: name, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return candidate{}, fmt.Errorf("%s: not a regular file", name)
	}
	file, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return candidate{}, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return candidate{
		file: os.NewFile(uintptr(file), name), size: st.Size, dev: uint64(st.Dev), inode: st.Ino,
	}, nil
}
