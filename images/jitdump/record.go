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
	loadHead   = recordHead + 40 // of a JIT_CODE_LOAD, without the name
	moveSize   = recordHead + 48
	debugHead  = recordHead + 16
	entryHead  = 16 // of a line, without the file name
)

// The record types.
const (
	codeLoad      = 0
	codeMove      = 1
	codeDebugInfo = 2
)

const (
	magic = 0x4a695444 // "JiTD" in the writer's byte order
	// reservedOfV8 is V8's value of the header field pad1 (PerfJitLogger,
	// src/diagnostics/perf-jit.cc). V8's lines are wrong: those of Sparkplug code are
	// for bytecode, whose offsets differ, all include the size of an ELF header, and
	// the file name may be unrelated memory.
	reservedOfV8 = 0xdeadbeef
)

// header is the used part of the file's header.
type header struct {
	order binary.ByteOrder
	size  uint32
	isV8  bool
}

// parseHeader decodes headerSize bytes.
func parseHeader(b []byte) (header, bool) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if order.Uint32(b) == magic {
			h := header{order: order, size: order.Uint32(b[8:]), isV8: order.Uint32(b[16:]) == reservedOfV8}
			return h, h.size >= headerSize && h.size <= generated.MaxPart
		}
	}
	return header{}, false
}

// code is the piece of code in a JIT_CODE_LOAD or JIT_CODE_MOVE.
type code struct{ start, size, index uint64 }

// maxName is how many bytes of a name are read.
const maxName = 4 << 10

// parseLoad decodes a record. maxName bytes of its name suffice. It reports
// false if the name is not terminated.
func parseLoad(b []byte, order binary.ByteOrder) (c code, name []byte, ok bool) {
	if len(b) < loadHead {
		return code{}, nil, false
	}
	c = code{start: order.Uint64(b[32:]), size: order.Uint64(b[40:]), index: order.Uint64(b[48:])}
	b = b[loadHead:]
	name, _, ended := bytes.Cut(b[:min(len(b), maxName)], []byte{0})
	return c, name, ended || len(name) == maxName
}

// parseMove decodes a record.
func parseMove(b []byte, order binary.ByteOrder) (c code, old uint64, ok bool) {
	if len(b) < moveSize {
		return code{}, 0, false
	}
	return code{start: order.Uint64(b[40:]), size: order.Uint64(b[48:]), index: order.Uint64(b[56:])}, order.Uint64(b[32:]), true
}

// parseLines decodes a JIT_CODE_DEBUG_INFO, and returns the address of its code. It
// stops at an incomplete line, and returns no lines if there are more than most.
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

// sameFile means the file name of the line before (struct debug_entry,
// tools/perf/util/jitdump.h).
const sameFile = "\xff"

// lineOf returns a Line without a file if the writer does not know the line. The
// format's discriminator is ignored: some writers use it for the column.
func lineOf(at uint64, line uint32, file string) generated.Line {
	if line == 0 || line > 1<<31-1 {
		return generated.Line{Start: at}
	}
	return generated.Line{Start: at, File: file, Line: int(line)}
}
