package code

import "stacksnap/task"

// CallTarget returns the target of the call that ends code, right before pc. It knows
// direct calls only: call rel32 and bl.
func CallTarget(arch task.Arch, code []byte, pc task.Addr) (target task.Addr, ok bool) {
	if f := instructionsOf(arch).callTarget; f != nil {
		return f(code, pc)
	}
	return 0, false
}
