package unwind

import (
	"bytes"
	"sync"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// sigreturn recognises, by its instructions, the code that Linux signal handlers
// return to. Unwind information for it is often wrong or absent: the vdso's on ARM64
// skips the interrupted function, Go and musl have none. I386 and ARM have an older
// system call beside rt_sigreturn, for handlers without SA_SIGINFO. It is a
// [rule.Source].
type sigreturn struct{ buffers sync.Pool } // of *[16]byte

// trampoline is code that calls sigreturn or rt_sigreturn.
type trampoline struct {
	code  []byte
	start *rule.RegisterList // the rule at its first instruction, where the handler returns to
	// interiors has the rules at the instructions after the first. Only a thread's own
	// pc can be there.
	interiors []interior
}

type interior struct {
	offset int
	rule   *rule.RegisterList
}

var trampolines = map[task.Arch][]trampoline{
	task.AMD64: {
		{[]byte{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}, amd64Sigreturn, []interior{{7, amd64Sigreturn}}}, // mov $15, %rax; syscall
		{[]byte{0xb8, 15, 0, 0, 0, 0x0f, 0x05}, amd64Sigreturn, []interior{{5, amd64Sigreturn}}},             // mov $15, %eax; syscall
	},
	task.ARM64: {
		{[]byte{0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4}, arm64Sigreturn, []interior{{4, arm64Sigreturn}}}, // mov x8, #139; svc #0
	},
	task.I386: {
		// pop %eax; mov $119, %eax; int $0x80
		{[]byte{0x58, 0xb8, 119, 0, 0, 0, 0xcd, 0x80}, i386Sigreturn(4), []interior{{1, i386Popped}, {6, i386Popped}}},
		// mov $173, %eax; int $0x80
		{[]byte{0xb8, 173, 0, 0, 0, 0xcd, 0x80}, i386RTSigreturn, []interior{{5, i386RTSigreturn}}},
	},
	task.ARM: {
		{[]byte{119, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef}, armFrame, []interior{{4, armFrame}}},       // mov r7, #119; svc #0
		{[]byte{119, 0x70, 0xa0, 0xe3, 119, 0, 0, 0xef}, armFrame, []interior{{4, armFrame}}},     // mov r7, #119; svc #119
		{[]byte{173, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef}, armRTFrame, []interior{{4, armRTFrame}}},   // mov r7, #173; svc #0
		{[]byte{173, 0x70, 0xa0, 0xe3, 173, 0, 0, 0xef}, armRTFrame, []interior{{4, armRTFrame}}}, // mov r7, #173; svc #173
		{[]byte{119, 0x27, 0, 0xdf}, armFrame, []interior{{2, armFrame}}},                         // the same in Thumb
		{[]byte{119, 0x27, 119, 0xdf}, armFrame, []interior{{2, armFrame}}},
		{[]byte{173, 0x27, 0, 0xdf}, armRTFrame, []interior{{2, armRTFrame}}},
		{[]byte{173, 0x27, 173, 0xdf}, armRTFrame, []interior{{2, armRTFrame}}},
	},
}

// The rules of these: on I386 after sigreturn's code has popped its argument, and for
// rt_sigreturn; on ARM for each layout of the frame.
var (
	i386Popped, i386RTSigreturn = i386Sigreturn(0), i386Sigreturn(160)
	armFrame, armRTFrame        = armSigreturn(20), armSigreturn(148)
)

// Rule implements [rule.Source].
func (s *sigreturn) Rule(q rule.Query) (rule.Rule, error) {
	b, ok := s.buffers.Get().(*[16]byte)
	if !ok {
		b = new([16]byte)
	}
	defer s.buffers.Put(b)
	pc := q.PC
	if !q.First {
		pc++ // the handler returns to the first instruction
	}
	for i := range trampolines[q.Arch] {
		if l := trampolines[q.Arch][i].at(&q, pc, b[:]); l != nil {
			return l.Rule(), nil
		}
	}
	return rule.Rule{}, rule.ErrNone
}

// at returns the rule at pc, nil if pc is not in the trampoline.
func (t *trampoline) at(q *rule.Query, pc task.Addr, b []byte) *rule.RegisterList {
	if t.begins(q.Code, pc, b) {
		return t.start
	}
	if !q.First {
		return nil
	}
	for _, s := range t.interiors {
		if t.begins(q.Code, pc-task.Addr(s.offset), b) {
			return s.rule
		}
	}
	return nil
}

func (t *trampoline) begins(code task.Memory, a task.Addr, b []byte) bool {
	p := b[:len(t.code)]
	return task.ReadFull(code, p, a) == nil && bytes.Equal(p, t.code)
}

// amd64Sigreturn: sp points to a struct ucontext, whose uc_mcontext (struct
// sigcontext, arch/x86/include/uapi/asm/sigcontext.h) is at 40.
//
//	r8 … r15 = *(sp + 40) …; rdi, rsi, rbp, rbx, rdx, rax, rcx = *(sp + 104) …
//	cfa = *(sp + 160); pc = *(sp + 168)
var amd64Sigreturn = func() *rule.RegisterList {
	const sp = 7
	l := &rule.RegisterList{CFA: rule.At(sp, 160), RA: rule.At(sp, 168), Flags: rule.Signal}
	for i, reg := range []task.Reg{8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2} {
		l.Saved = append(l.Saved, saved(reg, sp, 40+8*i))
	}
	return l
}()

// arm64Sigreturn: sp points to a struct rt_sigframe: 128 bytes of siginfo, then a
// struct ucontext, whose uc_mcontext (struct sigcontext,
// arch/arm64/include/uapi/asm/sigcontext.h) is at 176.
//
//	x0 … x30 = *(sp + 312) …; cfa = *(sp + 560); pc = *(sp + 568)
var arm64Sigreturn = func() *rule.RegisterList {
	const sp = 31
	l := &rule.RegisterList{CFA: rule.At(sp, 560), RA: rule.At(sp, 568), Flags: rule.Signal}
	for i := range 31 {
		l.Saved = append(l.Saved, saved(task.Reg(i), sp, 312+8*i))
	}
	return l
}()

// i386Sigreturn: a struct sigcontext_32 (arch/x86/include/uapi/asm/sigcontext.h) is at
// sp + at. It is the second word of a struct sigframe_ia32 of which the first has been
// popped by the handler's return and the signal's number is on top; behind 128 bytes of
// siginfo and the head of a struct ucontext in a struct rt_sigframe_ia32 (sigframe.h).
//
//	edi, esi, ebp, esp, ebx, edx, ecx, eax = *(sp + at + 16) …; eip = *(sp + at + 56)
func i386Sigreturn(at int) *rule.RegisterList {
	const sp = 4
	l := &rule.RegisterList{CFA: rule.At(sp, int32(at+28)), RA: rule.At(sp, int32(at+56)), Flags: rule.Signal}
	for i, reg := range []task.Reg{7, 6, 5, sp, 3, 2, 1, 0} {
		if reg != sp {
			l.Saved = append(l.Saved, saved(reg, sp, at+16+4*i))
		}
	}
	return l
}

// armSigreturn: a struct sigcontext (arch/arm/include/uapi/asm/sigcontext.h) is at
// sp + at: behind the head of the struct ucontext that a struct sigframe begins with, in
// a struct rt_sigframe behind 128 bytes of siginfo, too (arch/arm/kernel/signal.h).
//
//	r0 … r12 = *(sp + at + 12) …; cfa = *(sp + at + 64); lr, pc = *(sp + at + 68) …
func armSigreturn(at int) *rule.RegisterList {
	const sp, lr = 13, 14
	l := &rule.RegisterList{CFA: rule.At(sp, int32(at+64)), RA: rule.At(sp, int32(at+72)), Flags: rule.Signal}
	for i := range sp {
		l.Saved = append(l.Saved, saved(task.Reg(i), sp, at+12+4*i))
	}
	l.Saved = append(l.Saved, saved(lr, sp, at+68))
	return l
}

func saved(reg, base task.Reg, off int) rule.Value {
	v := rule.At(base, int32(off))
	v.Reg = reg
	return v
}
