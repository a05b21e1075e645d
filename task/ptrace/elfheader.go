package ptrace

import (
	"encoding/binary"

	"stacksnap/task"
)

// elfHeaderSize is as much of an ELF file as archOf looks at.
const elfHeaderSize = 20

// archOf returns the architecture that an ELF file's header names: e_ident's
// class and byte order, e_machine (gABI, "ELF Header").
func archOf(header []byte) task.Arch {
	if len(header) < elfHeaderSize || string(header[:4]) != "\x7fELF" || header[5] != 1 {
		return task.UnknownArch
	}
	is64 := header[4] == 2
	switch machine := binary.LittleEndian.Uint16(header[18:]); {
	case machine == 62 && is64: // EM_X86_64
		return task.AMD64
	case machine == 183 && is64: // EM_AARCH64
		return task.ARM64
	case machine == 3: // EM_386
		return task.I386
	case machine == 40: // EM_ARM
		return task.ARM
	}
	return task.UnknownArch
}
