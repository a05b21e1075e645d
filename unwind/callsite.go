package unwind

import "stacksnap/task"

// maxCall is the length of the longest call instruction.
const maxCall = 8

// followsCall reports whether the instruction before pc is a call, which, where it
// says so itself, goes to code.
func (u *Unwinder) followsCall(pc task.Addr) bool {
	follows := archOf(u.walk.arch).followsCall
	return follows != nil && follows(u, pc)
}

func (u *Unwinder) isCode(a task.Addr) bool {
	_, executable := u.place(a)
	return executable
}
