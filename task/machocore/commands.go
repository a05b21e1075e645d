package machocore

import (
	"bufio"
	"encoding/binary"
	"io"

	"stacksnap/task/internal/saved"
)

// The load commands of a core (mach-o/loader.h).
const (
	lcSegment    = 0x1
	lcThread     = 0x4
	lcUnixThread = 0x5
	lcIdent      = 0x8
	lcSegment64  = 0x19
	lcNote       = 0x31

	commandHead = 8 // cmd, cmdsize
	// maxKept is how many bytes of one command are read. A thread with every flavor
	// of its processor needs about 10 KB.
	maxKept = 64 << 10
)

// loadCommands calls visit with each load command of a core: its number, its offset
// in the file, and its bytes after cmd and cmdsize, valid until visit returns. It
// stops at a malformed command.
func loadCommands(p part, bad *saved.Problems, visit func(cmd uint32, at int64, body []byte)) {
	r := bufio.NewReaderSize(io.NewSectionReader(p, p.header.size, int64(p.header.cmdSize)), maxKept)
	at := p.header.size
	for i := range p.header.commands {
		head, err := r.Peek(commandHead)
		if err != nil {
			bad.Add(at, "the load commands end after %d of %d", i, p.header.commands)
			return
		}
		cmd, size := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
		if size < commandHead {
			bad.Add(at, "load command %d of %d has an impossible size of %d bytes", i+1, p.header.commands, size)
			return
		}
		kept, err := r.Peek(int(min(size, maxKept)))
		if err != nil {
			bad.Add(at, "load command %d of %d is cut short", i+1, p.header.commands)
		}
		visit(cmd, at, kept[commandHead:])
		if _, err := r.Discard(int(size)); err != nil {
			return
		}
		at += int64(size)
	}
}
