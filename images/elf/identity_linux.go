package elf

import (
	"io/fs"
	"syscall"
)

// identify tells a file from others while it is there, and from what it was before it
// was last written.
func identify(info fs.FileInfo) identity {
	id := identity{size: info.Size()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.dev, id.inode, id.changed = uint64(st.Dev), st.Ino, syscall.TimespecToNsec(st.Ctim)
	}
	return id
}
