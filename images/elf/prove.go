package elf

import (
	"bytes"
	"debug/elf"
	"io"
	"slices"

	"stacksnap/task"
)

// maxCompared is how many bytes of code are compared if nothing else proves that a
// file is the one that was loaded.
const maxCompared = 1 << 20

// isLoaded reports whether r maps the file f, which candidate c has open. h is the
// header in memory, or nil. Machine and program headers must match. Then build-ids
// decide if there are any, because a file can be overwritten in place. Otherwise the
// mapping must be of the same inode, or the code must be equal: overlayfs and btrfs
// show other device numbers in maps than in stat.
func isLoaded(mem task.Memory, r task.Region, h *header, f *File, c candidate) bool {
	exact := c.exact || r.Inode != 0 && r.Inode == c.inode && r.Dev == c.dev
	if h == nil {
		return exact || sameBytes(mem, r, c)
	}
	if h.file.Machine != f.elf.Machine || !slices.Equal(h.progs, progHeaders(f.elf)) {
		return false
	}
	if h.ids.gnu != nil || f.ids.gnu != nil {
		return bytes.Equal(h.ids.gnu, f.ids.gnu)
	}
	if h.ids.goTool != nil || f.ids.goTool != nil {
		return bytes.Equal(h.ids.goTool, f.ids.goTool)
	}
	return sameStart(h, f, c.file) && (exact || sameBytes(mem, r, c))
}

// sameStart reports whether the ELF headers are equal, including the fields about
// sections.
func sameStart(h *header, f *File, r io.ReaderAt) bool {
	var b [headerSize]byte
	size := headerSize
	if f.elf.Class == elf.ELFCLASS32 {
		size = headerSize32
	}
	_, err := r.ReadAt(b[:size], 0)
	return err == nil && bytes.Equal(b[:size], h.bytes[:size])
}

// sameBytes compares the start of a mapping with the file.
func sameBytes(mem task.Memory, r task.Region, c candidate) bool {
	if r.Prot&task.Write != 0 || r.Offset >= uint64(c.size) {
		return false
	}
	size := min(uint64(r.End-r.Start), uint64(c.size)-r.Offset, maxCompared)
	ours, theirs := make([]byte, size), make([]byte, size)
	if _, err := c.file.ReadAt(ours, int64(r.Offset)); err != nil {
		return false
	}
	return task.ReadFull(mem, theirs, r.Start) == nil && bytes.Equal(ours, theirs)
}
