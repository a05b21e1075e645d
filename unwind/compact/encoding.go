package compact

import (
	"errors"
	"fmt"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Encoding is how one function's body is unwound: 4 bits of mode, and below
// them what the mode needs, by architecture.
type Encoding uint32

// What is above the mode, the same for all architectures: 0x80000000 not the
// start of a function, 0x40000000 has an LSDA, 0x30000000 which personality.
const (
	notStart   = 0x80000000
	modeMask   = 0x0f000000
	dwarfBits  = 0x00ffffff
	opcodeBits = modeMask | dwarfBits
)

// Opcode is the encoding without the bits that exception handling alone needs.
func (e Encoding) Opcode() Encoding { return e & opcodeBits }

// FDE returns the offset in __eh_frame of the function's FDE, and false where
// the encoding is not of DWARF's mode on that architecture. An offset of 0 means
// that it has to be searched for: the linker had no room for it.
func (e Encoding) FDE(a task.Arch) (uint32, bool) {
	dwarf := Encoding(x86DWARF)
	if a == task.ARM64 {
		dwarf = arm64DWARF
	}
	return uint32(e & dwarfBits), e.mode() == dwarf
}

// Describes reports whether this is the start of a function, of which the encoding itself
// says how its body is unwound.
func (e Encoding) Describes(a task.Arch) bool {
	_, elsewhere := e.FDE(a)
	return e&notStart == 0 && e.mode() != 0 && !elsewhere
}

func (e Encoding) mode() Encoding { return e & modeMask }

// Why there is no rule for code that the table covers.
var (
	// ErrDWARF: the function is described in __eh_frame; [Encoding.FDE] tells where.
	ErrDWARF = fmt.Errorf("the function is described by DWARF: %w", rule.ErrNone)
	// ErrNoInfo: the function is listed as having no unwind information.
	ErrNoInfo = fmt.Errorf("the function has no unwind information: %w", rule.ErrNone)
	// ErrInCall: the encoding is of a function that calls nothing and keeps its
	// return address in a register, and yet it stands in a call.
	ErrInCall = fmt.Errorf("the encoding is of a function that makes no calls: %w", rule.ErrNone)
	// ErrEncoding: a mode or register number that does not exist.
	ErrEncoding = errors.New("unknown compact unwind encoding")
)
