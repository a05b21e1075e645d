package unwind

import (
	"bytes"

	"stacksnap/images/code/x86"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

var amd64 = arch{
	trampolines: []trampoline{
		{[]byte{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}, amd64Sigreturn, []interior{{7, amd64Sigreturn}}}, // mov $15, %rax; syscall
		{[]byte{0xb8, 15, 0, 0, 0, 0x0f, 0x05}, amd64Sigreturn, []interior{{5, amd64Sigreturn}}},             // mov $15, %eax; syscall
	},
	landing:     []byte{0xf3, 0x0f, 0x1e, 0xfa}, // endbr64
	followsCall: followsCallX86,
	ends:        endsAMD64,
	starts:      startsAMD64,
	born:        bornAMD64,
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

// endsAMD64 reports whether code passes the result of the call before it to the
// system call exit:
//
//	mov %rax, %rdi; mov $60, %eax; syscall
//	mov %eax, %edi; xor %eax, %eax; mov $60, %al; syscall
func endsAMD64(code []byte) bool {
	const exit = 60 // asm/unistd.h
	passed, number := false, int64(-1)
	var i x86.Inst
	for off := uint32(0); i.Decode(code, off); off += i.Size {
		switch {
		case i.Op == 0x0f05:
			return passed && number == exit
		case i.Op == 0x89 && i.ModRM == 0xc7: // mov %rax, %rdi
			passed = true
		case i.Op == 0xb8, i.Op == 0xb0: // mov $n, %eax or %al
			number = i.Imm
		case i.Op == 0x31 && i.ModRM == 0xc0: // xor %eax, %eax
			number = 0
		default:
			return false
		}
	}
	return false
}

// startsAMD64 reports whether code ends as _start does, without a jump or another
// call in between:
//
//	xor %ebp, %ebp; …; and $-16, %rsp; …; call
func startsAMD64(code []byte) bool {
	from := bytes.LastIndex(code, clearsFP)
	if from < 0 {
		return false
	}
	var i x86.Inst
	aligned := false
	for off := uint32(from); i.Decode(code, off); off += i.Size {
		end := int(off+i.Size) == len(code)
		switch {
		case i.Flow() == x86.Call:
			return end && aligned
		case i.Flow() != x86.Next:
			return false
		case i.Op == 0x83 && i.ModRM == 0xe4: // and $n, %rsp
			aligned = true
		}
	}
	return false
}

// How C libraries test the result of clone, up to the instruction that clears the
// frame pointer in the new thread.
//
//	glibc  test %rax, %rax; jl error; je 1f; ret; 1: xor %ebp, %ebp
//	musl   test %eax, %eax; jnz 1f; xor %ebp, %ebp
var (
	syscallAMD64 = []byte{0x0f, 0x05}
	clearsFP     = []byte{0x31, 0xed}
	testsResult  = [][]byte{{0x48, 0x85, 0xc0}, {0x85, 0xc0}}
)

// bornAMD64 reports whether the instruction in the middle of code is after the system
// call, up to the one with which the new thread clears its frame pointer, inclusive.
func bornAMD64(code []byte) bool {
	at := bytes.LastIndex(code[:maxBirth], syscallAMD64)
	if at < 0 {
		return false
	}
	behind := code[at+len(syscallAMD64):]
	for _, test := range testsResult {
		if bytes.HasPrefix(behind, test) {
			clear := bytes.Index(behind, clearsFP)
			return clear >= 0 && at+len(syscallAMD64)+clear >= maxBirth
		}
	}
	return false
}
