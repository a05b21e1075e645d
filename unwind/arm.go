package unwind

import (
	"bytes"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

var arm = arch{
	trampolines: []trampoline{
		{[]byte{119, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef}, armFrame, []interior{{4, armFrame}}},       // mov r7, #119; svc #0
		{[]byte{119, 0x70, 0xa0, 0xe3, 119, 0, 0, 0xef}, armFrame, []interior{{4, armFrame}}},     // mov r7, #119; svc #119
		{[]byte{173, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef}, armRTFrame, []interior{{4, armRTFrame}}},   // mov r7, #173; svc #0
		{[]byte{173, 0x70, 0xa0, 0xe3, 173, 0, 0, 0xef}, armRTFrame, []interior{{4, armRTFrame}}}, // mov r7, #173; svc #173
		{[]byte{119, 0x27, 0, 0xdf}, armFrame, []interior{{2, armFrame}}},                         // the same in Thumb
		{[]byte{119, 0x27, 119, 0xdf}, armFrame, []interior{{2, armFrame}}},
		{[]byte{173, 0x27, 0, 0xdf}, armRTFrame, []interior{{2, armRTFrame}}},
		{[]byte{173, 0x27, 173, 0xdf}, armRTFrame, []interior{{2, armRTFrame}}},
	},
	ends: endsARM,
}

// armFrame and armRTFrame are the rules in the frames for sigreturn and rt_sigreturn.
var armFrame, armRTFrame = armSigreturn(20), armSigreturn(148)

// armSigreturn: a struct sigcontext (arch/arm/include/uapi/asm/sigcontext.h) is at sp
// + at. In a struct sigframe it follows the head of a struct ucontext. In a struct
// rt_sigframe it follows 128 bytes of siginfo and that head
// (arch/arm/kernel/signal.h).
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

// endsARM reports whether code is what follows the call in musl's clone: it ends the
// thread. The result of the call is in the register of exit's argument already.
func endsARM(code []byte) bool {
	return bytes.HasPrefix(code, []byte{1, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef}) // mov r7, #1; svc #0
}
