//go:build linux || darwin

package object

import (
	"os"

	"golang.org/x/sys/unix"
)

// hasRoom reports whether writing n bytes leaves half of the file system's free
// space.
func hasRoom(f *os.File, n int64) bool {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return false
	}
	return uint64(n) <= st.Bavail/2*uint64(st.Bsize)
}
