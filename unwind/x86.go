package unwind

import (
	"stacksnap/images/code"
	"stacksnap/images/code/x86"
	"stacksnap/task"
)

// followsCallX86 recognises e8 rel32, and ff /2 of every length.
func followsCallX86(u *Unwinder, pc task.Addr) bool {
	b := u.call[:]
	if task.ReadFull(u.walk.code, b, pc-maxCall) != nil { // a page may begin in between
		if b = b[maxCall-5:]; task.ReadFull(u.walk.code, b, pc-5) != nil {
			return false
		}
	}
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
