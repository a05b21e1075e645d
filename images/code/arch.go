package code

import "stacksnap/task"

// instructions are the decoders of one architecture. A decoder is nil if there is
// none.
type instructions struct {
	// callTarget returns the target of the call that ends code, right before pc.
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

// instructionsOf returns the decoders of a; all are nil for an unknown architecture.
func instructionsOf(a task.Arch) *instructions {
	if a < task.NumArchs && archs[a] != nil {
		return archs[a]
	}
	return archs[task.UnknownArch]
}
