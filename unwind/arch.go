package unwind

import "stacksnap/task"

// arch has code to recognise instructions of an architecture, for use where unwind
// information is missing or wrong. A nil field is not supported.
type arch struct {
	trampolines []trampoline // code that signal handlers return to
	landing     []byte       // the instruction at which targets of indirect calls begin
	// followsCall reports whether the instruction before pc is a call. The target of
	// a direct call must be code.
	followsCall func(u *Unwinder, pc task.Addr) bool
	// ends reports whether the code after a call ends the thread.
	ends func(code []byte) bool
	// starts reports whether code ends like _start, with the call of the program's
	// first function.
	starts func(code []byte) bool
	// born reports whether the instruction in the middle of code is after the system
	// call that creates a thread, up to the one with which the new thread clears its
	// frame pointer, inclusive.
	born func(code []byte) bool
}

var archs = [task.NumArchs]*arch{
	task.UnknownArch: {},
	task.AMD64:       &amd64,
	task.ARM64:       &arm64,
	task.I386:        &i386,
	task.ARM:         &arm,
}

// archOf returns the arch of a, an empty one if there is none.
func archOf(a task.Arch) *arch {
	if a < task.NumArchs && archs[a] != nil {
		return archs[a]
	}
	return archs[task.UnknownArch]
}
