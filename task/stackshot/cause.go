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

// Darwin's signals up to the last by which programs crash (bsd/sys/signal.h).
var signals = []string{
	1: "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGEMT", "SIGFPE", "SIGKILL", "SIGBUS", "SIGSEGV", "SIGSYS",
}

// Results of the kernel that are the code of a bad access (osfmk/mach/kern_return.h); the
// subcode is then the address.
var accesses = []string{1: "KERN_INVALID_ADDRESS", "KERN_PROTECTION_FAILURE"}

// Cause returns what ended the process, as far as that is told. The exception that the
// kernel keeps of a crash has the signal, the exception that led to it, and 20 bits of the
// code of that, in 8, 4 and 20 bits (proc_prepareexit, bsd/kern/kern_exit.c); of others,
// such as EXC_RESOURCE, it has their own codes.
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

// nameOf is the name of a number; empty where there is none.
func nameOf(names []string, n uint64) string {
	if n >= uint64(len(names)) {
		return ""
	}
	return names[n]
}
