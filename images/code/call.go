package code

import "stacksnap/task"

// CallTarget returns where the call goes that code ends with, before pc, if it says so
// itself: call rel32, or bl.
func CallTarget(arch task.Arch, code []byte, pc task.Addr) (target task.Addr, ok bool) {
	if f := instructionsOf(arch).callTarget; f != nil {
		return f(code, pc)
	}
	return 0, false
}
