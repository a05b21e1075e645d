package jitdump

import (
	"bytes"
	"encoding/binary"

	"stacksnap/images/generated"
)

// Sizes, in bytes.
const (
	headerSize = 40
	recordHead = 16
	loadHead   = recordHead + 40 // of a JIT_CODE_LOAD, up to the name
	moveSize   = recordHead + 48
	debugHead  = recordHead + 16
	entryHead  = 16 // of a line, up to the name of its file
)

// The types of records.
const (
	codeLoad      = 0
	codeMove      = 1
	codeDebugInfo = 2
)

const (
	magic = 0x4a695444 // "JiTD", as a number of the writer
	// reservedOfV8 is what V8 writes to the field pad1 of the header (PerfJitLogger,
	// src/diagnostics/perf-jit.cc). Of the rest of its file the lines are not true: for
	// the code of Sparkplug they are of the bytecode, whose offsets are others, all
	// have the size of an ELF header added, and the name of the file may be what lies
	// in its place in memory.
	reservedOfV8 = 0xdeadbeef
)

// header is what of the file's header is used.
type header struct {
	order binary.ByteOrder
	size  uint32
	isV8  bool
}

// parseHeader takes headerSize bytes.
func parseHeader(b []byte) (header, bool) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if order.Uint32(b) == magic {
			h := header{order: order, size: order.Uint32(b[8:]), isV8: order.Uint32(b[16:]) == reservedOfV8}
			return h, h.size >= headerSize && h.size <= generated.MaxPart
		}
	}
	return header{}, false
}

// code is a piece of code as a JIT_CODE_LOAD or JIT_CODE_MOVE tells of it.
type code struct{ start, size, index uint64 }

// maxName is how much is seen of a name, in bytes.
const maxName = 4 << 10

// parseLoad takes a record, or as much of it as has maxName bytes of the name. It says
// false when the name has no end.
func parseLoad(b []byte, order binary.ByteOrder) (c code, name []byte, ok bool) {
	if len(b) < loadHead {
		return code{}, nil, false
	}
	c = code{start: order.Uint64(b[32:]), size: order.Uint64(b[40:]), index: order.Uint64(b[48:])}
	b = b[loadHead:]
	name, _, ended := bytes.Cut(b[:min(len(b), maxName)], []byte{0})
	return c, name, ended || len(name) == maxName
}

// parseMove takes a record.
func parseMove(b []byte, order binary.ByteOrder) (c code, old uint64, ok bool) {
	if len(b) < moveSize {
		return code{}, 0, false
	}
	return code{start: order.Uint64(b[40:]), size: order.Uint64(b[48:]), index: order.Uint64(b[56:])}, order.Uint64(b[32:]), true
}

// parseLines takes a JIT_CODE_DEBUG_INFO, and returns the address of the code that it
// is of. What follows a line that is not whole is left out, and so are all where there
// are more than most.
func parseLines(b []byte, order binary.ByteOrder, most uint64) (start uint64, lines []generated.Line) {
	if len(b) < debugHead {
		return 0, nil
	}
	start = order.Uint64(b[16:])
	n := order.Uint64(b[24:])
	if n > most {
		return start, nil
	}
	file := ""
	b = b[debugHead:]
	for range n {
		if len(b) < entryHead {
			break
		}
		name, rest, ok := bytes.Cut(b[entryHead:], []byte{0})
		if !ok {
			break
		}
		if string(name) != sameFile && string(name) != file {
			file = generated.Name(name)
		}
		lines = append(lines, lineOf(order.Uint64(b), order.Uint32(b[8:]), file))
		b = rest
	}
	return start, lines
}

// sameFile stands for the name that the line before has (struct debug_entry,
// tools/perf/util/jitdump.h).
const sameFile = "\xff"

// lineOf is nothing where the writer does not know the line. What the format calls a
// discriminator is a column for some writers, and for others it is none.
func lineOf(at uint64, line uint32, file string) generated.Line {
	if line == 0 || line > 1<<31-1 {
		return generated.Line{Start: at}
	}
	return generated.Line{Start: at, File: file, Line: int(line)}
}
