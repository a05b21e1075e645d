//go:build linux

package procfs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxProcFile bounds how much of one file of /proc is read. /proc/PID/maps is smaller even with
// as many mappings as the kernel allows by default.
const maxProcFile = 64 << 20

// Dir is an open directory of /proc. It refers to the same process or thread even after the
// number has been reused.
type Dir struct{ fd int }

// OpenDir opens a directory of /proc.
func OpenDir(path string) (Dir, error) {
	return openDirAt(unix.AT_FDCWD, path)
}

func openDirAt(fd int, path string) (Dir, error) {
	fd, err := unix.Openat(fd, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return Dir{fd}, err
}

// Close closes the directory.
func (d Dir) Close() { closeFD(d.fd) }

func closeFD(fd int) {
	if fd >= 0 {
		_ = unix.Close(fd)
	}
}

// open opens a file of the directory. It returns −1 with the error.
func (d Dir) open(name string) (int, error) {
	return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
}

// usualFile is what one read takes of a file of /proc: most are smaller, which give all that they have.
const usualFile = 4 << 10

// read reads a small file.
func (d Dir) read(name string) ([]byte, error) {
	fd, err := d.open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer closeFD(fd)
	all := make([]byte, 0, usualFile)
	for len(all) < maxProcFile {
		all = slices.Grow(all, usualFile/2)
		n, err := unix.Read(fd, all[len(all):min(cap(all), maxProcFile)])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return all, &os.PathError{Op: "read", Path: name, Err: err}
		case n == 0:
			return all, nil
		default:
			all = all[:len(all)+n]
		}
	}
	return all, nil
}

func (d Dir) readlink(name string) (string, error) {
	var b [unix.PathMax]byte
	n, err := unix.Readlinkat(d.fd, name, b[:])
	if err != nil {
		return "", err
	}
	return string(b[:n]), nil
}

// stat reads the stat file. It returns false if the process or thread no longer exists.
func (d Dir) stat() (Stat, bool) {
	b, err := d.read("stat")
	if err != nil {
		return Stat{}, false
	}
	s, err := parseStat(b)
	return s, err == nil
}

// exe returns the path of the program as the target sees it.
func (d Dir) exe() string {
	path, err := d.readlink("exe")
	if err != nil {
		return ""
	}
	path, _ = cutDeleted(path)
	return path
}

// Numbers lists the entries that are numbers.
func (d Dir) Numbers() []int {
	var all []int
	b := make([]byte, 32<<10)
	if rewind(d.fd) != 0 {
		return nil
	}
	for {
		n, errno := entries(d.fd, b)
		if errno != 0 || n == 0 {
			return all
		}
		for id, rest := nextNumber(b[:n]); id >= 0; id, rest = nextNumber(rest) {
			all = append(all, id)
		}
	}
}

// names yields the names of the entries that are numbers, each with a NUL behind it. A name is valid
// until the next one. The entries are read into b.
func (d Dir) names(b []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			n, errno := entries(d.fd, b)
			if errno != 0 || n == 0 {
				return
			}
			for name, rest := nextEntry(b[:n]); name != nil; name, rest = nextEntry(rest) {
				if '0' <= name[0] && name[0] <= '9' && !yield(name) {
					return
				}
			}
		}
	}
}

// nameOf returns what names yields as a string.
func nameOf(entry []byte) string {
	name, _, _ := bytes.Cut(entry, []byte{0})
	return string(name)
}

// readlinkRaw reads where a link leads into b. The name ends in NUL.
func readlinkRaw(dir int, name, b []byte) ([]byte, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_READLINKAT, uintptr(dir), uintptr(unsafe.Pointer(&name[0])),
		uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0)
	if errno != 0 {
		return nil, errno
	}
	return b[:n], 0
}

// rewind sets a directory or file back to its start.
func rewind(fd int) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_LSEEK, uintptr(fd), 0, unix.SEEK_SET)
	return errno
}

// entries reads as many directory entries as fit into b, 0 at the end.
func entries(fd int, b []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall(unix.SYS_GETDENTS64, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// The layout of struct linux_dirent64 (include/linux/dirent.h).
const (
	direntLen  = 16 // u16: the length of the whole entry
	direntName = 19
)

// NextThread takes the next thread id from directory entries of /proc/PID/task. It skips names
// that are not numbers, and returns 0 at the end. It allocates nothing.
func NextThread(b []byte) (tid int, rest []byte) {
	for n, rest := nextNumber(b); n >= 0; n, rest = nextNumber(rest) {
		if n > 0 {
			return n, rest
		}
	}
	return 0, nil
}

// nextNumber is NextThread for names that may be 0, such as descriptors; it returns −1 at the
// end.
func nextNumber(b []byte) (n int, rest []byte) {
	for name, rest := nextEntry(b); name != nil; name, rest = nextEntry(rest) {
		if v, digits := number(name, 10); digits > 0 && v <= 1<<30 {
			return int(v), rest
		}
	}
	return -1, nil
}

// nextEntry returns the name of the first of some directory entries, with a NUL behind it, and the
// entries after it. At the end, or where an entry is damaged, name is nil.
func nextEntry(b []byte) (name, rest []byte) {
	if len(b) <= direntName {
		return nil, nil
	}
	n := int(binary.LittleEndian.Uint16(b[direntLen:]))
	if n <= direntName || n > len(b) {
		return nil, nil
	}
	return b[direntName:n], b[n:]
}

// Rewind makes Entries start at the first entry again.
func (d Dir) Rewind() unix.Errno { return rewind(d.fd) }

// Entries reads as many directory entries as fit into b, 0 at the end. It allocates nothing.
func (d Dir) Entries(b []byte) (int, unix.Errno) { return entries(d.fd, b) }

// openRaw opens a file below a directory, given a path that ends in NUL; −1 when that fails.
func openRaw(dir int, path *byte) int {
	fd, _, errno := unix.RawSyscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(path)),
		unix.O_RDONLY|unix.O_CLOEXEC, 0, 0, 0)
	if errno != 0 {
		return -1
	}
	return int(fd)
}

// preadRaw reads from the start of a file, and returns 0 when that fails.
func preadRaw(fd int, b []byte) int {
	n, _, errno := unix.RawSyscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// readRaw reads once from the current position, and returns 0 when that fails.
func readRaw(fd int, b []byte) int {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	if errno != 0 {
		return 0
	}
	return int(n)
}

// openTask opens a file of a thread. dir is /proc/PID/task; name begins with a slash and ends in
// NUL. It returns −1 when that fails.
func openTask(dir, tid int, name string) int {
	var path [32]byte
	p := append(strconv.AppendInt(path[:0], int64(tid), 10), name...)
	return openRaw(dir, &p[0])
}

// readTask reads a file of a thread into b, and returns the part of b that it filled: nothing
// when the thread no longer exists.
func readTask(dir, tid int, name string, b []byte) []byte {
	fd := openTask(dir, tid, name)
	if fd < 0 {
		return nil
	}
	n := readRaw(fd, b)
	closeFD(fd)
	return b[:n]
}

// fdReader reads a file descriptor that something else closes.
type fdReader int

func (fd fdReader) Read(b []byte) (int, error) {
	n, err := unix.Read(int(fd), b)
	if err != nil {
		return 0, os.NewSyscallError("read", err)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// isGone reports whether err means that the process or thread no longer exists.
func isGone(err error) bool {
	return errors.Is(err, unix.ESRCH) || errors.Is(err, unix.ENOENT)
}

func isDenied(err error) bool { return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) }
