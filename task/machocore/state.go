package machocore

import (
	"encoding/binary"

	"stacksnap/task"
)

// layout says where the general registers are in one flavor of thread state.
type layout struct {
	arch task.Arch
	word int        // bytes of a register
	regs []task.Reg // DWARF numbers in the order of the structure
}

// skip marks a word of a structure that is not a DWARF register.
const skip = task.Reg(0xff)

// The structures of mach/i386/_structs.h and mach/arm/_structs.h, up to their last
// general register.
var (
	// x86_thread_state64_t: rax rbx rcx rdx rdi rsi rbp rsp r8…r15 rip.
	x8664 = layout{task.AMD64, 8, []task.Reg{0, 3, 2, 1, 5, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}
	// x86_thread_state32_t: eax ebx ecx edx edi esi ebp esp ss eflags eip.
	x8632 = layout{task.I386, 4, []task.Reg{0, 3, 1, 2, 7, 6, 5, 4, skip, skip, 8}}
	// arm_thread_state64_t: x0…x28 fp lr sp pc.
	arm64 = layout{task.ARM64, 8, upTo(33)}
	// arm_thread_state_t: r0…r12 sp lr pc.
	arm32 = layout{task.ARM, 4, upTo(16)}
)

func upTo(n task.Reg) []task.Reg {
	regs := make([]task.Reg, n)
	for i := range regs {
		regs[i] = task.Reg(i)
	}
	return regs
}

// The flavors with general registers (mach/i386/thread_status.h,
// mach/arm/thread_status.h). A flavor's number has another meaning on another
// processor.
const (
	x86ThreadState32     = 1
	x86ThreadState64     = 4
	x86ThreadState       = 7 // unified: an x86_state_hdr_t {flavor, count}, then one of the two above
	x86ThreadFullState64 = 23

	armThreadState   = 1 // arm_thread_state_t, or unified: an arm_state_hdr_t, then one of the two below
	armThreadState64 = 6
	armThreadState32 = 9
)

// flavorLayout returns the layout of a flavor, and the state without the header of a
// unified one; nil for a flavor without general registers.
func flavorLayout(arch task.Arch, flavor uint32, state []byte) (*layout, []byte) {
	if arch == task.ARM || arch == task.ARM64 {
		return armLayout(flavor, state)
	}
	switch flavor {
	case x86ThreadState32:
		return &x8632, state
	case x86ThreadState64, x86ThreadFullState64:
		return &x8664, state
	case x86ThreadState:
		if inner, rest, ok := unified(state); ok && (inner == x86ThreadState32 || inner == x86ThreadState64) {
			return flavorLayout(arch, inner, rest)
		}
	}
	return nil, nil
}

// armStateWords is ARM_THREAD_STATE32_COUNT: flavor 1 with that many words is the
// plain 32-bit structure, with more it is the unified one.
const armStateWords = 17

func armLayout(flavor uint32, state []byte) (*layout, []byte) {
	switch {
	case flavor == armThreadState64:
		return &arm64, state
	case flavor == armThreadState32, flavor == armThreadState && len(state) <= armStateWords*4:
		return &arm32, state
	case flavor == armThreadState:
		if inner, rest, ok := unified(state); ok && inner == armThreadState64 {
			return &arm64, rest
		} else if ok && (inner == armThreadState32 || inner == armThreadState) {
			return &arm32, rest
		}
	}
	return nil, nil
}

// unified splits a unified state into its header's flavor and the state proper.
func unified(state []byte) (flavor uint32, rest []byte, ok bool) {
	if len(state) < 8 {
		return 0, nil, false
	}
	return binary.LittleEndian.Uint32(state), state[8:], true
}

// registers decodes the general registers of a state. It reports false if the state
// is too short.
func (l *layout) registers(state []byte) (*task.Registers, bool) {
	if len(state) < len(l.regs)*l.word {
		return nil, false
	}
	r := &task.Registers{Arch: l.arch}
	for i, reg := range l.regs {
		if reg != skip {
			r.Set(reg, word(state[i*l.word:], l.word))
		}
	}
	return r, true
}
