package unwind

import (
	"bytes"
	"sync"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// sigreturn knows the code that Linux returns to from a signal handler by its
// instructions, because not all of it has unwind information that is right: the
// vdso's of ARM64 leads past the interrupted function, Go's and musl's to
// nothing. It is a rule.Source.
type sigreturn struct{ buffers sync.Pool } // of *[16]byte

// trampoline is code that calls rt_sigreturn.
type trampoline struct {
	code    []byte
	syscall int // offset of the last instruction, where a thread may stand too
	rule    *rule.Long
}

var trampolines = map[task.Arch][]trampoline{
	task.AMD64: {
		{[]byte{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}, 7, amd64Sigreturn}, // mov $15, %rax; syscall
		{[]byte{0xb8, 15, 0, 0, 0, 0x0f, 0x05}, 5, amd64Sigreturn},             // mov $15, %eax; syscall
	},
	task.ARM64: {
		{[]byte{0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4}, 4, arm64Sigreturn}, // mov x8, #139; svc #0
	},
}

// Rule implements [rule.Source].
func (s *sigreturn) Rule(q rule.Query) (rule.Rule, error) {
	b, ok := s.buffers.Get().(*[16]byte)
	if !ok {
		b = new([16]byte)
	}
	defer s.buffers.Put(b)
	pc := q.PC
	if !q.First {
		pc++ // the handler returns to the start
	}
	for _, t := range trampolines[q.Arch] {
		if t.at(q.Code, pc, b[:]) || q.First && t.at(q.Code, pc-task.Addr(t.syscall), b[:]) {
			return t.rule.Rule(), nil
		}
	}
	return rule.Rule{}, rule.ErrNone
}

func (t *trampoline) at(code task.Memory, a task.Addr, b []byte) bool {
	p := b[:len(t.code)]
	return task.ReadFull(code, p, a) == nil && bytes.Equal(p, t.code)
}

// amd64Sigreturn: sp points to a struct ucontext, whose uc_mcontext (struct
// sigcontext, arch/x86/include/uapi/asm/sigcontext.h) is at 40.
//
//	r8 … r15 = *(sp + 40) …; rdi, rsi, rbp, rbx, rdx, rax, rcx = *(sp + 104) …
//	cfa = *(sp + 160); pc = *(sp + 168)
var amd64Sigreturn = func() *rule.Long {
	const sp = 7
	l := &rule.Long{CFA: rule.At(sp, 160), RA: rule.At(sp, 168), Flags: rule.Signal}
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
var arm64Sigreturn = func() *rule.Long {
	const sp = 31
	l := &rule.Long{CFA: rule.At(sp, 560), RA: rule.At(sp, 568), Flags: rule.Signal}
	for i := range 31 {
		l.Saved = append(l.Saved, saved(task.Reg(i), sp, 312+8*i))
	}
	return l
}()

func saved(reg, base task.Reg, off int) rule.Value {
	v := rule.At(base, int32(off))
	v.Reg = reg
	return v
}
