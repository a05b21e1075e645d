package mach

import "fmt"

// Return is a kern_return_t, the result of a Mach call. success is not an error; callers compare
// before they use a Return as an error.
type Return int32

// The results on which decisions depend (osfmk/mach/kern_return.h, message.h and mig_errors.h).
const (
	success           Return = 0
	invalidAddress    Return = 1
	protectionFailure Return = 2
	noSpace           Return = 3
	invalidArgument   Return = 4
	failure           Return = 5
	resourceShortage  Return = 6
	aborted           Return = 14
	invalidName       Return = 15
	invalidTask       Return = 16
	terminated        Return = 37
	notSupported      Return = 46
	timedOut          Return = 49
	denied            Return = 53
	sendInvalidDest   Return = 0x10000003
	sendInterrupted   Return = 0x10000007
	receiveDied       Return = 0x10004009
	serverDied        Return = -308
)

// name returns the name that the headers give the result, or "".
func (r Return) name() string {
	switch r {
	case success:
		return "KERN_SUCCESS"
	case invalidAddress:
		return "KERN_INVALID_ADDRESS"
	case protectionFailure:
		return "KERN_PROTECTION_FAILURE"
	case noSpace:
		return "KERN_NO_SPACE"
	case invalidArgument:
		return "KERN_INVALID_ARGUMENT"
	case failure:
		return "KERN_FAILURE"
	case resourceShortage:
		return "KERN_RESOURCE_SHORTAGE"
	case aborted:
		return "KERN_ABORTED"
	case invalidName:
		return "KERN_INVALID_NAME"
	case invalidTask:
		return "KERN_INVALID_TASK"
	case terminated:
		return "KERN_TERMINATED"
	case notSupported:
		return "KERN_NOT_SUPPORTED"
	case timedOut:
		return "KERN_OPERATION_TIMED_OUT"
	case denied:
		return "KERN_DENIED"
	case sendInvalidDest:
		return "MACH_SEND_INVALID_DEST"
	case sendInterrupted:
		return "MACH_SEND_INTERRUPTED"
	case receiveDied:
		return "MACH_RCV_PORT_DIED"
	case serverDied:
		return "MIG_SERVER_DIED"
	}
	return ""
}

func (r Return) Error() string {
	n := r.name()
	switch {
	case n == "":
		return fmt.Sprintf("Mach error %#x", int32(r))
	case r >= 0x10000000:
		return fmt.Sprintf("%s (%#x)", n, int32(r))
	}
	return fmt.Sprintf("%s (%d)", n, int32(r))
}

// ended reports whether the result is returned only for a port whose task or thread has ended.
func (r Return) ended() bool {
	switch r {
	case sendInvalidDest, receiveDied, serverDied, terminated:
		return true
	}
	return false
}

// mayHaveEnded reports whether the result can mean that the task or thread has ended, among
// other causes. MIG converts a port without an object to TASK_NULL or THREAD_NULL, which most
// routines refuse as an argument, and an inactive task returns KERN_FAILURE (osfmk/kern/task.c,
// task_threads_internal). A task that does not reply in time may have ended, too.
func (r Return) mayHaveEnded() bool {
	switch r {
	case invalidArgument, failure, invalidName, invalidTask, timedOut:
		return true
	}
	return false
}

// Errno is an errno of Darwin, which has its own numbers (bsd/sys/errno.h).
type Errno int32

// The errors on which decisions depend.
const (
	ok           Errno = 0
	notPermitted Errno = 1
	noEntry      Errno = 2
	noProcess    Errno = 3
	interrupted  Errno = 4
	noMemory     Errno = 12
	accessDenied Errno = 13
	busy         Errno = 16
	invalid      Errno = 22
	tooSmall     Errno = 28
	notSup       Errno = 45
	notInTime    Errno = 60
	noCall       Errno = 78
)

func (e Errno) Error() string {
	var n string
	switch e {
	case notPermitted:
		n = "EPERM"
	case noEntry:
		n = "ENOENT"
	case noProcess:
		n = "ESRCH"
	case interrupted:
		n = "EINTR"
	case noMemory:
		n = "ENOMEM"
	case accessDenied:
		n = "EACCES"
	case busy:
		n = "EBUSY"
	case invalid:
		n = "EINVAL"
	case tooSmall:
		n = "ENOSPC"
	case notSup:
		n = "ENOTSUP"
	case notInTime:
		n = "ETIMEDOUT"
	case noCall:
		n = "ENOSYS"
	default:
		return fmt.Sprintf("errno %d", int32(e))
	}
	return fmt.Sprintf("%s (%d)", n, int32(e))
}

// callError says which Mach call failed, and how.
type callError struct {
	call string
	ret  Return
}

func (e *callError) Error() string { return e.call + ": " + e.ret.Error() }

func (e *callError) Unwrap() error { return e.ret }
