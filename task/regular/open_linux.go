package regular

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// open examines the file first, and then opens that very file.
func open(name string) (*os.File, fs.FileInfo, error) {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	seen := os.NewFile(uintptr(fd), name)
	defer func() { _ = seen.Close() }() // opened only to examine it
	return reopen(seen, name)
}

// Reopen opens a file that was opened with O_PATH (open(2)), under a name.
func Reopen(seen *os.File, name string) (*os.File, fs.FileInfo, error) {
	f, info, err := reopen(seen, name)
	return f, info, named(name, err)
}

func reopen(seen *os.File, name string) (*os.File, fs.FileInfo, error) {
	info, err := seen.Stat()
	if err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := unix.Open("/proc/self/fd/"+strconv.Itoa(int(seen.Fd())), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.EAGAIN) {
		return nil, nil, ErrLeased
	}
	if err != nil {
		return nil, nil, err
	}
	_ = unix.SetNonblock(file, false) // has no effect on a regular file
	return os.NewFile(uintptr(file), name), info, nil
}
