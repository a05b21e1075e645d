package elf

import (
	"io/fs"
	"syscall"
)

// identify returns what distinguishes a file from others, and from itself before it
// was last written.
func identify(info fs.FileInfo) identity {
	id := identity{size: info.Size()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.dev, id.inode, id.changed = uint64(st.Dev), st.Ino, syscall.TimespecToNsec(st.Ctim)
	}
	return id
}
