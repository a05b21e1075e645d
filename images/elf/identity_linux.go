package elf

import (
	"io/fs"
	"syscall"
)

// identity tells a file from others while it is there.
func identity(info fs.FileInfo) (dev, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev), st.Ino
	}
	return 0, 0
}
