//go:build unix

package directory

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and group of another.
func keepOwner(f *os.File, of fs.FileInfo) error {
	st, ok := of.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return f.Chown(int(st.Uid), int(st.Gid))
}
