package unwind

import (
	"encoding/binary"

	"stacksnap/images/code"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

var arm64 = arch{
	trampolines: []trampoline{
		{[]byte{0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4}, arm64Sigreturn, []interior{{4, arm64Sigreturn}}}, // mov x8, #139; svc #0
	},
	followsCall: followsCallARM64,
	ends:        endsARM64,
}

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

// followsCallARM64 recognises bl, blr and the authenticating forms of blr.
func followsCallARM64(u *Unwinder, pc task.Addr) bool {
	b := u.call[:4]
	if pc%4 != 0 || task.ReadFull(u.walk.code, b, pc-4) != nil {
		return false
	}
	if target, ok := code.CallTarget(task.ARM64, b, pc); ok {
		return u.isCode(target)
	}
	ins := binary.LittleEndian.Uint32(b)
	if ins&0xfffffc1f == 0xd63f0000 { // blr
		return true
	}
	return ins&0xfefff800 == 0xd63f0800 // blraa, blrab, blraaz, blrabz
}

// endsARM64 reports whether code ends the thread: mov w8, #93; svc #0. The result of
// the call is in the register of exit's argument already.
func endsARM64(code []byte) bool {
	const exit = 93 // asm-generic/unistd.h
	return len(code) >= 8 && binary.LittleEndian.Uint32(code)&^(1<<31) == 0x52800008|exit<<5 &&
		binary.LittleEndian.Uint32(code[4:]) == 0xd4000001
}
