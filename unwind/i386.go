package unwind

import (
	"bytes"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

var i386 = arch{
	trampolines: []trampoline{
		// pop %eax; mov $119, %eax; int $0x80
		{[]byte{0x58, 0xb8, 119, 0, 0, 0, 0xcd, 0x80}, i386Sigreturn(4), []interior{{1, i386Popped}, {6, i386Popped}}},
		// mov $173, %eax; int $0x80
		{[]byte{0xb8, 173, 0, 0, 0, 0xcd, 0x80}, i386RTSigreturn, []interior{{5, i386RTSigreturn}}},
	},
	landing:     []byte{0xf3, 0x0f, 0x1e, 0xfb}, // endbr32
	followsCall: followsCallX86,
	ends:        endsI386,
}

// i386Popped is the rule where sigreturn has popped its argument. i386RTSigreturn is
// the rule of rt_sigreturn.
var i386Popped, i386RTSigreturn = i386Sigreturn(0), i386Sigreturn(160)

// i386Sigreturn: a struct sigcontext_32 (arch/x86/include/uapi/asm/sigcontext.h) is
// at sp + at. The handler's return has popped the first word of the frame. In a
// struct sigframe_ia32 the signal's number follows, then the sigcontext. In a struct
// rt_sigframe_ia32 the signal's number, two pointers, 128 bytes of siginfo and the
// head of a struct ucontext precede it (sigframe.h).
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

// endsI386 reports whether code is what follows the call in musl's clone: it ends the
// thread.
func endsI386(code []byte) bool {
	// mov %eax, %ebx; xor %eax, %eax; inc %eax; int $0x80
	return bytes.HasPrefix(code, []byte{0x89, 0xc3, 0x31, 0xc0, 0x40, 0xcd, 0x80})
}
