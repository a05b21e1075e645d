package stackshot

import "stacksnap/task"

// Exceptions (osfmk/mach/exception_types.h).
var exceptions = []string{
	1: "EXC_BAD_ACCESS", "EXC_BAD_INSTRUCTION", "EXC_ARITHMETIC", "EXC_EMULATION", "EXC_SOFTWARE", "EXC_BREAKPOINT", "EXC_SYSCALL",
	"EXC_MACH_SYSCALL", "EXC_RPC_ALERT", "EXC_CRASH", "EXC_RESOURCE", "EXC_GUARD", "EXC_CORPSE_NOTIFY",
}

const (
	badAccess = 1
	crashed   = 10
)

// Darwin's signals up to the last one that crashes programs (bsd/sys/signal.h).
var signals = []string{
	1: "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGEMT", "SIGFPE", "SIGKILL", "SIGBUS", "SIGSEGV", "SIGSYS",
}

// Kernel results that are the code of a bad access (osfmk/mach/kern_return.h); the
// subcode is then the address.
var accesses = []string{1: "KERN_INVALID_ADDRESS", "KERN_PROTECTION_FAILURE"}

// Cause returns what ended the process, as far as it is known. The exception that the
// kernel saves of a crash packs the signal, the original exception and 20 bits of its
// code into 8, 4 and 20 bits (proc_prepareexit, bsd/kern/kern_exit.c); others, such
// as EXC_RESOURCE, have their own codes.
func (c *Crash) Cause() task.Crash {
	var cause task.Crash
	if c.Thread != nil {
		cause.Thread = task.ThreadID(*c.Thread)
	}
	if c.Kind != nil && *c.Kind != crashed {
		cause.Signal = nameOf(exceptions, *c.Kind)
		return cause
	}
	e := c.Exception
	if e == nil || e.Code>>32 != 0 {
		return cause
	}
	kind, code := e.Code>>20&0xf, e.Code&0xfffff
	cause.Signal = nameOf(signals, e.Code>>24)
	cause.Detail = nameOf(exceptions, kind)
	if why := nameOf(accesses, code); kind == badAccess && why != "" {
		cause.Detail += ": " + why + " at " + task.Addr(e.Subcode).String()
	}
	if cause.Signal == "" {
		cause.Signal, cause.Detail = cause.Detail, ""
	}
	return cause
}

// nameOf returns the name of a number, "" if it has none.
func nameOf(names []string, n uint64) string {
	if n >= uint64(len(names)) {
		return ""
	}
	return names[n]
}
