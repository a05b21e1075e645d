package analysis

import (
	"encoding/binary"

	"stacksnap/images/code/x86"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// maxStub is how many bytes before and after the pc are searched for a stub.
const maxStub = 32

// stub recognises the linker's stubs, which are outside all functions, jump on, and
// do not change the frame. Only the innermost frame can be in one.
func (w *walk) stub(q *rule.Query) (rule.Rule, bool) {
	if !q.First || q.Code == nil {
		return rule.Rule{}, false
	}
	before := task.Addr(maxStub)
	if q.PC < before || w.read(q.Code, q.PC-before, 2*maxStub) != nil {
		before = 0
		if w.read(q.Code, q.PC, maxStub) != nil {
			return rule.Rule{}, false
		}
	}
	switch q.Arch {
	case task.ARM64:
		return rule.Frameless(q.Arch, 0), arm64Stub(w.code, int(before))
	case task.AMD64:
		size, ok := amd64Stub(w.code[before:])
		return rule.Frameless(q.Arch, size), ok
	}
	jump := w.code[before:] // jmp *n, which i386 uses nowhere else
	return rule.Frameless(q.Arch, 0), q.Arch == task.I386 && jump[0] == 0xff && jump[1] == 0x25
}

// arm64Stubs are the patterns, mask and value, of stubs that jump through a pointer:
//
//	__stubs       adrp x16; ldr x16, [x16, …]; br x16, or nop; ldr x16, literal; br x16
//	__auth_stubs  adrp x17; add x17, x17, …; ldr x16, [x17]; braa x16, x17
//	__objc_stubs  adrp x1; ldr x1, [x1, …]; adrp x16; ldr x16, [x16, …]; br x16
//	              (authenticated: … adrp x17; add x17; ldr x16, [x17]; braa x16, x17)
var arm64Stubs = [...][][2]a64{
	{{0x9f00001f, 0x90000010}, {0xffc003ff, 0xf9400210}, {^a64(0), 0xd61f0200}},
	{{^a64(0), 0xd503201f}, {0xff00001f, 0x58000010}, {^a64(0), 0xd61f0200}},
	{{0x9f00001f, 0x90000011}, {0xffc003ff, 0x91000231}, {^a64(0), 0xf9400230}, {^a64(0), 0xd71f0a11}},
	{{0x9f00001f, 0x90000001}, {0xffc003ff, 0xf9400021}, {0x9f00001f, 0x90000010}, {0xffc003ff, 0xf9400210}, {^a64(0), 0xd61f0200}},
	{{0x9f00001f, 0x90000001}, {0xffc003ff, 0xf9400021}, {0x9f00001f, 0x90000011}, {0xffc003ff, 0x91000231}, {^a64(0), 0xf9400230}, {^a64(0), 0xd71f0a11}},
}

// arm64Stub reports whether the instruction at pc is part of a stub.
func arm64Stub(code []byte, pc int) bool {
	for _, s := range arm64Stubs {
		for i := range s {
			if matches(code, pc-4*i, s) {
				return true
			}
		}
	}
	return false
}

func matches(code []byte, at int, pattern [][2]a64) bool {
	if at < 0 || at+4*len(pattern) > len(code) {
		return false
	}
	for i, p := range pattern {
		if !a64(binary.LittleEndian.Uint32(code[at+4*i:])).is(p[0], p[1]) {
			return false
		}
	}
	return true
}

// amd64Stub recognises a jump through a rip-relative pointer, which never occurs
// within a function, and what may precede it. size is how many bytes the stub has
// pushed by then:
//
//	__stubs        jmp *n(%rip)
//	__objc_stubs   mov n(%rip), %rsi; jmp *n(%rip)
//	.plt           endbr64; jmp *n(%rip)
//	__stub_helper  lea n(%rip), %r11; push %r11; jmp *n(%rip): the push is size 8
func amd64Stub(code []byte) (size int32, ok bool) {
	var i x86.Inst
	for off := uint32(0); i.Decode(code, off); off += i.Size {
		rip := !i.Register() && i.ModRM&0xc7 == 5
		switch {
		case i.Op == 0xff && i.Digit() == 4 && rip:
			return size, true
		case i.Op == 0x8b && rip && i.Wide() && i.Reg == 6:
		case i.Op == 0x0f1e: // endbr64
		default:
			return 0, false
		}
	}
	return 0, false
}
