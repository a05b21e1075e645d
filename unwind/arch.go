package unwind

import "stacksnap/task"

// arch is what is known of an architecture's code, for where unwind information is
// missing or wrong. What is nil is not known.
type arch struct {
	trampolines []trampoline // to which handlers of signals return
	landing     []byte       // the instruction that a target of indirect calls begins with
	// followsCall reports whether the instruction before pc is a call, which, where it
	// says so itself, goes to code.
	followsCall func(u *Unwinder, pc task.Addr) bool
	// ends reports whether the code behind a call ends the thread.
	ends func(code []byte) bool
	// starts reports whether code ends as _start does, with the call of what it starts.
	starts func(code []byte) bool
	// born reports whether the instruction in the middle of code is between the system
	// call that makes a thread and where the new one clears its frame pointer, or there.
	born func(code []byte) bool
}

var archs = [task.NumArchs]*arch{
	task.UnknownArch: {},
	task.AMD64:       &amd64,
	task.ARM64:       &arm64,
	task.I386:        &i386,
	task.ARM:         &arm,
}

// archOf returns what is known of a: nothing where it has no row.
func archOf(a task.Arch) *arch {
	if a < task.NumArchs && archs[a] != nil {
		return archs[a]
	}
	return archs[task.UnknownArch]
}
