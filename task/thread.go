package task

import "time"

// ThreadID names one thread of a process: the thread id of the kernel (gettid)
// on Linux, the system-wide unique thread id (pthread_threadid_np) on macOS.
type ThreadID uint64

// State is what the kernel said of a thread just before it was stopped.
type State uint8

// The states of a thread. Stopped means stopped by someone else (job control,
// a debugger), never by stacksnap.
const (
	StateUnknown State = iota
	Running            // on a processor, or waiting for one: see [Thread].OnCPUState
	Sleeping
	Uninterruptible
	Stopped
	Ended
)

var stateNames = [...]string{"unknown", "runnable", "sleeping", "uninterruptible", "stopped", "ended"}

// String returns the state's name in lower case.
func (s State) String() string {
	if int(s) >= len(stateNames) {
		s = StateUnknown
	}
	return stateNames[s]
}

// Thread is one thread of the target. [Process.Describe] fills the facts,
// [Process.Capture] the registers and the stack.
type Thread struct {
	ID           ThreadID
	Name         string // empty when the thread has none or the system does not tell
	RuntimeName  string // that a language runtime itself has for it; empty: none, or not known
	Queue        string // label of the dispatch queue it works for; macOS
	QueueSerial  uint64 // that queue's number, in the order of their making; 0: unknown
	State        State
	OnCPUState   OnCPUState    // of a Running thread, where that was found out
	Processor    int           // with OnCPU: which one it had
	User, System time.Duration // CPU time used so far
	Schedule     Schedule      // in a sampling; Linux
	Lifetime     *Lifetime     // in a single snapshot, of a thread that did not sleep; nil: not known; Linux
	NotRun       time.Duration // in a single snapshot, for how long at least it had not run before; 0: not known; Linux
	SuspendCount int           // holds placed by others than stacksnap; macOS
	Priority     Priority      // macOS
	QoS          QoS           // macOS

	// Kernel are the functions of the kernel that it waits in, or runs, the innermost first:
	// those of the same stay in the kernel as the stack, or none. They are never written to.
	Kernel []KernelFrame

	Registers Registers
	// Stacks are the copied parts of the stack, the one that sp is in first.
	// Others follow where a thread runs on one stack above another (a signal
	// stack, a goroutine's and its thread's).
	Stacks []Stack
	// Err says why registers or stack are missing, nil when they are not.
	Err error
	// Same says that registers and stack are those of the sample before: the thread
	// has not run since, or it was at the same place with the same stack.
	Same bool
	// Unstopped says that the thread was read without a stop, so that registers may
	// be missing and the stack's words of different moments.
	Unstopped bool
	// Skipped says that the thread was left where it waits and read there, see
	// [Snapshot].Skip: it has not run meanwhile, so that its stack is of one moment,
	// but only pc, sp and the arguments of its call are known of its registers.
	Skipped bool
	// Age is for how long the copy had been there when it was asked for, of a thread that the
	// system copied as it ran: see [RunningCopier]. Registers and stack are of that moment.
	Age time.Duration
	// Call is the system call that it was in when it was captured, or until it was stopped,
	// which may have ended the call. It is empty where the system does not tell.
	Call Syscall
	// HasEnded: it came into the stop from a system call that ended on the way, with the number
	// EndedCall, and has the arguments in its registers. It was in the call when it was told to
	// stop, or made it right after. Linux on x86-64.
	HasEnded  bool
	EndedCall int32
	// Sure is the number of frames of the stack, from the innermost on, whose code is known to be
	// that of the capture; 0: all of them.
	Sure int
	// Probe is what was probed while the thread was stopped.
	Probe StopProbe
	// Chains are the copies of those that [Watch].Chains lists for it, in that order, of the
	// moment of the stack, or Later; there are none where the thread ran meanwhile.
	Chains []CopiedChain
	// Later: Chains and Managed are of a moment after that of registers and stack, if it has any, for
	// the thread ran on.
	Later bool
	// Managed are the frames of an interpreter's language that are known of it, the innermost
	// first.
	Managed []ManagedFrame

	buf      []byte // where Capture copies to; see Buffer
	captured bool   // in the Take under way
}

// Buffer returns where [Process.Capture] copies the stack to: its capacity
// bounds the copy.
func (t *Thread) Buffer() []byte { return t.buf }

// Stack is one copied range of stack memory.
type Stack struct {
	Base  Addr   // address of Bytes[0]
	Bytes []byte // the copy, from Base up
	Top   Addr   // end of the mapping that the stack is in, where the used part ends; 0 when unknown
}

// End returns the address just above the copied bytes.
func (s *Stack) End() Addr { return s.Base + Addr(len(s.Bytes)) }

// Truncated reports whether the stack went on above what was copied.
func (s *Stack) Truncated() bool { return s.Top != 0 && s.End() < s.Top }

// Contains reports whether the n bytes at a were copied.
func (s *Stack) Contains(a Addr, n int) bool {
	return a >= s.Base && uint64(a-s.Base)+uint64(n) <= uint64(len(s.Bytes)) && a+Addr(n) >= a
}

// ReadMemory reads from the copied stack alone, so that what the target did
// after it was captured is never seen.
func (t *Thread) ReadMemory(p []byte, a Addr) (int, error) {
	s := t.stackAt(a)
	if s == nil {
		return 0, &FaultError{Addr: a}
	}
	n := copy(p, s.Bytes[a-s.Base:])
	if n < len(p) {
		return n, &FaultError{Addr: a + Addr(n)}
	}
	return n, nil
}

// stackAt returns the copied range that a is in, nil when there is none.
func (t *Thread) stackAt(a Addr) *Stack {
	for i := range t.Stacks {
		if s := &t.Stacks[i]; s.Contains(a, 1) {
			return s
		}
	}
	return nil
}

// QoS is the quality of service that a thread asks for; macOS.
type QoS uint8

// The classes, from the least to the most urgent (sys/qos.h).
const (
	UnknownQoS QoS = iota
	Maintenance
	Background
	Utility
	Default
	UserInitiated
	UserInteractive
)

var qosNames = [...]string{"", "maintenance", "background", "utility", "default", "user-initiated", "user-interactive"}

// String returns the class's name as Apple's tools write it in lower case, empty
// for the unknown one.
func (q QoS) String() string {
	if int(q) >= len(qosNames) {
		return ""
	}
	return qosNames[q]
}

// Priority is how urgent the kernel takes a thread for; macOS. The zero value is
// unknown: no thread of a user's has priority 0.
type Priority struct {
	Now  int // what it is scheduled by at present
	Base int // what it has by its own policy
}
