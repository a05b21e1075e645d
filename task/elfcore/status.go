package elfcore

import (
	"encoding/binary"
	"sync"
	"time"

	"stacksnap/task"
)

// thread is an NT_PRSTATUS note.
type thread struct {
	id           task.ThreadID
	user, system time.Duration
	regs         task.Registers
	call         int64 // number of the system call, −1 for none; AMD64 only
	signal       signal
}

// skip marks a word of a register structure that is not a DWARF register.
const skip = task.Reg(0xff)

// orders have the DWARF number of each word of pr_reg, the user_regs_struct or
// user_pt_regs of <sys/user.h>.
var orders = sync.OnceValue(func() map[task.Arch][]task.Reg {
	return map[task.Arch][]task.Reg{
		// r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp
		task.AMD64: {15, 14, 13, 12, 6, 3, 11, 10, 9, 8, 0, 2, 1, 4, 5, skip, 16, skip, skip, 7},
		// ebx ecx edx esi edi ebp eax ds es fs gs orig_eax eip cs eflags esp
		task.I386:  {3, 1, 2, 6, 7, 5, 0, skip, skip, skip, skip, skip, 8, skip, skip, 4},
		task.ARM64: inOrder(task.ARM64.NumRegisters()), // x0…x30 sp pc
		task.ARM:   inOrder(task.ARM.NumRegisters()),   // r0…r15
	}
})

func inOrder(n int) []task.Reg {
	regs := make([]task.Reg, n)
	for i := range regs {
		regs[i] = task.Reg(i)
	}
	return regs
}

// The offsets in an elf_prstatus (linux/elfcore.h) of 64- and 32-bit
// processes: after the signal's words come pid, ppid, pgrp, sid, and the
// timevals utime, stime, cutime, cstime.
var (
	status64 = statusLayout{pid: 32, times: 48, regs: 112}
	status32 = statusLayout{pid: 24, times: 40, regs: 72}
)

type statusLayout struct{ pid, times, regs int }

// The three words of pr_info are followed by the short pr_cursig; orig_rax is the word of pr_reg
// with that index.
const (
	cursig  = 12
	origRAX = 15
)

// parseStatus decodes an elf_prstatus. It returns false if it is too short, or if orders lacks
// the architecture.
func parseStatus(arch task.Arch, size int, b []byte) (thread, bool) {
	l := status64
	if size == 4 {
		l = status32
	}
	regs, known := orders()[arch]
	if !known || len(b) < l.regs+len(regs)*size {
		return thread{}, false
	}
	t := thread{
		call:   -1,
		signal: signal{number: int32(binary.LittleEndian.Uint16(b[cursig:]))},
		id:     task.ThreadID(binary.LittleEndian.Uint32(b[l.pid:])),
		user:   timeval(b[l.times:], size),
		system: timeval(b[l.times+2*size:], size),
		regs:   task.Registers{Arch: arch},
	}
	if arch == task.AMD64 {
		t.call = int64(word(b[l.regs+origRAX*size:], size))
	}
	for i, reg := range regs {
		if reg != skip {
			t.regs.Set(reg, word(b[l.regs+i*size:], size))
		}
	}
	return t, true
}

// timeval decodes { seconds, microseconds }; an impossible one becomes 0.
func timeval(b []byte, size int) time.Duration {
	const maxSeconds = 1 << 32
	s, us := word(b, size), word(b[size:], size)
	if s > maxSeconds || us >= 1e6 {
		return 0
	}
	return time.Duration(s)*time.Second + time.Duration(us)*time.Microsecond
}
