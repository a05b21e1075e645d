package ptrace

import (
	"encoding/binary"
	"errors"

	"stacksnap/task"
)

var errRegisters = errors.New("the kernel gave registers of an unknown layout")

// maxRegset is larger than the largest NT_PRSTATUS register set (arm64: 272).
const maxRegset = 512

// layout describes a register set as words of size bytes. The element i is the DWARF number of
// the register in word i, or skip.
type layout struct {
	arch  task.Arch
	host  task.Arch // of the kernel that gives this layout
	size  int
	dwarf []task.Reg
}

// layouts has the layout for each architecture of programs.
var layouts = [task.NumArchs]*layout{
	task.AMD64: &amd64Layout, task.ARM64: &arm64Layout, task.I386: &i386Layout, task.ARM: &armLayout,
}

// skip marks a word that the unwinder does not use.
const skip = ^task.Reg(0)

// decodeRegisters fills in r from the bytes of NT_PRSTATUS. A 64-bit kernel returns a 32-bit
// thread's registers in that architecture's own, shorter layout, so the length shows which it
// is.
func decodeRegisters(host task.Arch, b []byte, r *task.Registers) error {
	for _, l := range layouts {
		if l != nil && len(b) == l.size*len(l.dwarf) && l.host == host {
			l.decode(b, r)
			return nil
		}
	}
	return errRegisters
}

func (l *layout) decode(b []byte, r *task.Registers) {
	*r = task.Registers{Arch: l.arch}
	for i, reg := range l.dwarf {
		if reg == skip {
			continue
		}
		if l.size == 4 {
			r.Set(reg, uint64(binary.LittleEndian.Uint32(b[4*i:])))
		} else {
			r.Set(reg, binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
}
