package code

import "stacksnap/task"

// instructions is what is known of an architecture's. What is nil is not known.
type instructions struct {
	// callTarget returns where the call goes that code ends with, before pc.
	callTarget func(code []byte, pc task.Addr) (target task.Addr, ok bool)
	decode     func(code []byte, off uint64) step
}

var archs = [task.NumArchs]*instructions{
	task.UnknownArch: {},
	task.AMD64:       {callTargetX86, decodeAMD64},
	task.ARM64:       {callTargetARM64, decodeARM64},
	task.I386:        {callTarget: callTargetI386},
	task.ARM:         {},
}

// instructionsOf returns what is known of a's: nothing where it has no row.
func instructionsOf(a task.Arch) *instructions {
	if a < task.NumArchs && archs[a] != nil {
		return archs[a]
	}
	return archs[task.UnknownArch]
}
