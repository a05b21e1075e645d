package compact

import (
	"errors"
	"fmt"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Encoding says how to unwind from one function's body: 4 bits of mode, and below
// them an operand whose meaning depends on the mode and the architecture.
type Encoding uint32

// The bits above the mode, the same on all architectures: 0x80000000 not the start of
// a function, 0x40000000 has an LSDA, 0x30000000 index of the personality routine.
const (
	notStart   = 0x80000000
	modeMask   = 0x0f000000
	dwarfBits  = 0x00ffffff
	opcodeBits = modeMask | dwarfBits
)

// Opcode returns the encoding without the bits that only exception handling uses.
func (e Encoding) Opcode() Encoding { return e & opcodeBits }

// FDE returns the offset in __eh_frame of the function's FDE. It reports false if the
// encoding's mode is not DWARF. Offset 0 means that the FDE must be searched for,
// because the linker had no room for the offset.
func (e Encoding) FDE(a task.Arch) (uint32, bool) {
	dwarf := Encoding(x86DWARF)
	if a == task.ARM64 {
		dwarf = arm64DWARF
	}
	return uint32(e & dwarfBits), e.mode() == dwarf
}

// Describes reports whether this is the start of a function and the encoding itself,
// not DWARF, says how to unwind from its body.
func (e Encoding) Describes(a task.Arch) bool {
	_, elsewhere := e.FDE(a)
	return e&notStart == 0 && e.mode() != 0 && !elsewhere
}

func (e Encoding) mode() Encoding { return e & modeMask }

// Why there is no rule for code that the table covers.
var (
	// ErrDWARF: the function is described in __eh_frame, at [Encoding.FDE].
	ErrDWARF = fmt.Errorf("the function is described by DWARF: %w", rule.ErrNone)
	// ErrNoInfo: the function is listed as having no unwind information.
	ErrNoInfo = fmt.Errorf("the function has no unwind information: %w", rule.ErrNone)
	// ErrInCall: the encoding is of a function that makes no calls and keeps its
	// return address in a register, and yet the frame is in a call.
	ErrInCall = fmt.Errorf("the encoding is of a function that makes no calls: %w", rule.ErrNone)
	// ErrEncoding: a mode or register number that does not exist.
	ErrEncoding = errors.New("unknown compact unwind encoding")
)
