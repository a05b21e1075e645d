//go:build unix

package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// IsNowhere reports whether a standard stream was closed when this program started. Go then
// opens /dev/null in its place, for reading and writing, whereas a redirection (>
// /dev/null) opens it for writing only.
func IsNowhere(f *os.File) bool {
	fd := int(f.Fd())
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return true
	}
	var st, null unix.Stat_t
	if flags&unix.O_ACCMODE != unix.O_RDWR || unix.Fstat(fd, &st) != nil || unix.Stat(os.DevNull, &null) != nil {
		return false
	}
	return st.Mode&unix.S_IFMT == unix.S_IFCHR && st.Rdev == null.Rdev
}
