package mach

import "stacksnap/task"

// maxStateWords is the size of the largest state that is read.
const maxStateWords = 68

// layoutOf describes how thread_get_state returns the registers of one architecture.
type layoutOf struct {
	flavor int32 // of thread_get_state
	words  int   // the flavor's count, in 32-bit words
	wide   bool  // registers have two words, the lower first
	// dwarf has the DWARF number of each register of the structure in order, or skip.
	dwarf []int8
	// signed means that pointers may carry a pointer authentication code.
	signed bool
}

const skip = -1

// The flavors and structures of osfmk/mach/i386/thread_status.h and _structs.h,
// osfmk/mach/arm/thread_status.h and _structs.h. The numbers are those of
// [task.Registers].
var (
	// x86_THREAD_STATE64: rax rbx rcx rdx rdi rsi rbp rsp r8–r15 rip, then rflags
	// cs fs gs.
	amd64Layout = layoutOf{flavor: 4, words: 42, wide: true,
		dwarf: []int8{0, 3, 2, 1, 5, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}

	// x86_THREAD_STATE32: eax ebx ecx edx edi esi ebp esp ss eflags eip, then cs ds
	// es fs gs.
	i386Layout = layoutOf{flavor: 1, words: 16,
		dwarf: []int8{0, 3, 1, 2, 7, 6, 5, 4, skip, skip, 8}}

	// ARM_THREAD_STATE64: x0–x28 fp lr sp pc, then cpsr and flags of one word each.
	arm64Layout = layoutOf{flavor: 6, words: 68, wide: true, signed: true,
		dwarf: []int8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
			17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32}}
)

// stateLayout returns the layout for an architecture, nil if its registers cannot be read.
func stateLayout(a task.Arch) *layoutOf {
	switch a {
	case task.AMD64:
		return &amd64Layout
	case task.I386:
		return &i386Layout
	case task.ARM64:
		return &arm64Layout
	}
	return nil
}

// decode converts the words of a state to registers. Registers whose words are missing are
// unknown. XNU signs pc, lr, sp and fp for a reader that itself uses pointer authentication, and
// lr may be signed by the program for any reader (osfmk/arm64/status.c,
// machine_thread_state_convert_to_user): mask selects the bits of the address.
func (l *layoutOf) decode(words []uint32, mask uint64, regs *task.Registers) {
	for i, d := range l.dwarf {
		v, found := l.word(words, i)
		if !found {
			return
		}
		if d == skip {
			continue
		}
		reg := task.Reg(d)
		if l.signed && isPointer(regs.Arch, reg) {
			v &= mask
		}
		regs.Set(reg, v)
	}
}

func (l *layoutOf) word(words []uint32, i int) (uint64, bool) {
	if !l.wide {
		if i >= len(words) {
			return 0, false
		}
		return uint64(words[i]), true
	}
	if 2*i+1 >= len(words) {
		return 0, false
	}
	return uint64(words[2*i]) | uint64(words[2*i+1])<<32, true
}

func isPointer(a task.Arch, r task.Reg) bool {
	lr, has := a.LR()
	return r == a.PC() || r == a.SP() || r == a.FP() || has && r == lr
}
