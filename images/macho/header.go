package macho

import (
	"encoding/binary"
	"fmt"

	"stacksnap/task"
)

const (
	headerSize32 = 28
	headerSize64 = 32
	// maxCommands bounds sizeofcmds. Real ones are below 64 KB.
	maxCommands = 2 << 20
)

// FormatError describes a malformed part of a Mach-O file.
type FormatError struct {
	What string
}

func (e *FormatError) Error() string { return "not a valid Mach-O: " + e.What }

func malformed(format string, args ...any) error {
	return &FormatError{What: fmt.Sprintf(format, args...)}
}

// header is a mach_header or mach_header_64.
type header struct {
	order        binary.ByteOrder
	is64         bool
	cpu, subtype uint32
	filetype     FileType
	ncmds        uint32
	sizeofcmds   uint32
	flags        uint32
}

// parseHeader reads the header from the first headerSize64 bytes of a file, or
// from fewer of a 32-bit one.
func parseHeader(b []byte) (header, error) {
	h, ok := header{}, false
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if len(b) < headerSize32 {
			break
		}
		if magic := order.Uint32(b); magic == magic32 || magic == magic64 {
			h.order, h.is64, ok = order, magic == magic64, true
			break
		}
	}
	if !ok {
		return h, malformed("no magic number")
	}
	c := cursor{data: b[4:], order: h.order}
	h.cpu, h.subtype = c.u32(), c.u32()
	h.filetype = FileType(c.u32())
	h.ncmds, h.sizeofcmds, h.flags = c.u32(), c.u32(), c.u32()
	if h.sizeofcmds > maxCommands {
		return h, malformed("load commands of %d bytes", h.sizeofcmds)
	}
	return h, nil
}

// size returns the header's own size, at which the load commands begin.
func (h *header) size() int {
	if h.is64 {
		return headerSize64
	}
	return headerSize32
}

var armVariants = map[uint32]string{
	5: "armv4t", 6: "armv6", 7: "armv5", 9: "armv7", 10: "armv7f", 11: "armv7s", 12: "armv7k",
	14: "armv6m", 15: "armv7m", 16: "armv7em",
}

// variantOf names a CPU type and subtype as Apple's tools do.
func variantOf(cpu, subtype uint32) string {
	subtype &= subtypeMask
	switch {
	case cpu == cpuARM64 && subtype == subtypeARM64E:
		return "arm64e"
	case cpu == cpuARM6432:
		return "arm64_32"
	case cpu == cpuX86_64 && subtype == subtypeX86_64H:
		return "x86_64h"
	case cpu == cpuARM && armVariants[subtype] != "":
		return armVariants[subtype]
	case cpu == cpuARM:
		return "arm"
	}
	if a := task.ArchOfMachO(cpu); a != task.UnknownArch {
		return a.String()
	}
	return fmt.Sprintf("cpu %d/%d", cpu, subtype)
}
