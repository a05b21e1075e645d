package unwind

import "stacksnap/task"

// maxCall is the length of the longest call instruction, in bytes.
const maxCall = 8

// followsCall reports whether the instruction before pc is a call. The target of a
// direct call must be code.
func (u *Unwinder) followsCall(pc task.Addr) bool {
	follows := archOf(u.walk.arch).followsCall
	return follows != nil && follows(u, pc)
}

func (u *Unwinder) isCode(a task.Addr) bool {
	_, executable := u.place(a)
	return executable
}
