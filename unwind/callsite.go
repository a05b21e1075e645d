package unwind

import (
	"encoding/binary"

	"stacksnap/images/code"
	"stacksnap/images/code/x86"
	"stacksnap/task"
)

// maxCall is the length of the longest call instruction, in bytes.
const maxCall = 8

// followsCall reports whether the instruction before pc is a call. The target of a
// direct call must be code.
func (u *Unwinder) followsCall(pc task.Addr) bool {
	w := &u.walk
	b := &u.call
	switch w.arch {
	case task.ARM64:
		if pc%4 != 0 || task.ReadFull(w.code, b[:4], pc-4) != nil {
			return false
		}
		return u.callsARM64(pc, b[:4])
	case task.AMD64, task.I386:
		n := len(b)
		if task.ReadFull(w.code, b[:], pc-maxCall) != nil { // a page may begin in between
			if n = 5; task.ReadFull(w.code, b[maxCall-n:], pc-task.Addr(n)) != nil {
				return false
			}
		}
		return u.callsX86(pc, b[maxCall-n:])
	}
	return false
}

// callsARM64 recognises bl, blr and the blra forms, which authenticate their target.
func (u *Unwinder) callsARM64(pc task.Addr, b []byte) bool {
	if target, ok := code.CallTarget(task.ARM64, b, pc); ok {
		return u.isCode(target)
	}
	ins := binary.LittleEndian.Uint32(b)
	if ins&0xfffffc1f == 0xd63f0000 { // blr
		return true
	}
	return ins&0xfefff800 == 0xd63f0800 // blraa, blrab, blraaz, blrabz
}

// callsX86 recognises e8 rel32, and ff /2 of every length.
func (u *Unwinder) callsX86(pc task.Addr, b []byte) bool {
	if target, ok := code.CallTarget(u.walk.arch, b, pc); ok && u.isCode(target) {
		return true
	}
	for n := 2; n <= len(b); n++ {
		var i x86.Inst
		if i.Decode(b[len(b)-n:], 0) && int(i.Size) == n && i.Op == 0xff && i.Digit() == 2 {
			return true
		}
	}
	return false
}

func (u *Unwinder) isCode(a task.Addr) bool {
	_, executable := u.place(a)
	return executable
}
