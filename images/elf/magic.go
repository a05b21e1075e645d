package elf

import "debug/elf"

// IsFile reports whether a file on this machine starts like an ELF file. It is false
// for an unreadable file.
func IsFile(path string) bool {
	c, err := openCandidate(path)
	if err != nil {
		return false
	}
	defer c.file.Close()
	var magic [len(elf.ELFMAG)]byte
	n, _ := c.file.ReadAt(magic[:], 0)
	return n == len(magic) && string(magic[:]) == elf.ELFMAG
}
