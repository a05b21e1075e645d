package task

import (
	"slices"
	"time"
)

// ThreadID identifies a thread of a process: the kernel's thread id (gettid) on Linux, the
// system-wide unique thread id (pthread_threadid_np) on macOS.
type ThreadID uint64

// State is the state that the kernel reported for a thread just before it was stopped.
type State uint8

// The states of a thread. Stopped means stopped by another program (job control, a debugger),
// never by stacksnap.
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

// Thread is one thread of the target. [Process.Describe] fills in the facts, [Process.Capture]
// the registers and the stack.
type Thread struct {
	ID           ThreadID
	Name         string // empty when the thread has none or the system does not report it
	RuntimeName  string // its name in a language runtime; empty: none, or not known
	Queue        string // label of the dispatch queue that it works for; macOS
	QueueSerial  uint64 // that queue's serial number, in order of creation; 0: unknown
	State        State
	OnCPUState   OnCPUState    // for a Running thread, where that was found out
	Processor    int           // if OnCPU: the number of its processor
	User, System time.Duration // CPU time used so far
	Schedule     Schedule      // in a sampling; Linux
	Lifetime     *Lifetime     // in a single snapshot, for a thread that did not sleep; nil: not known; Linux
	NotRun       time.Duration // in a single snapshot: it had not run for at least this long; 0: not known; Linux
	SuspendCount int           // its suspend count without stacksnap's own; macOS
	Priority     Priority      // macOS
	QoS          QoS           // macOS

	// Kernel are the kernel functions that the thread waits in or runs, innermost first. They
	// are from the same stay in the kernel as the stack; otherwise there are none. The slice is
	// never modified.
	Kernel []KernelFrame

	Registers Registers
	// Stacks are the copied parts of the stack, the part that contains sp first. Others follow
	// where a thread runs on one stack above another (a signal stack, or a goroutine's stack
	// above its thread's).
	Stacks []Stack
	// Err says why registers or stack are missing; nil when they are not.
	Err error
	// Same means that registers and stack are those of the previous sample: the thread has not
	// run since, or it was at the same place with the same stack.
	Same bool
	// Unstopped means that the thread was read without a stop, so that registers may be missing
	// and the words of its stack may be from different moments.
	Unstopped bool
	// Skipped means that the thread was not stopped but read where it waits, see
	// [Snapshot].Skip. It has not run meanwhile, so that its stack is of one moment, but of its
	// registers only pc, sp and the arguments of its call are known.
	Skipped bool
	// Age is how old the copy already was when it was read, for a thread that the system copied
	// as it ran: see [RunningCopier]. Registers and stack are from that earlier moment.
	Age time.Duration
	// Call is the system call that the thread was in when it was captured, or until the stop,
	// which may have ended the call. It is empty where the system does not report it.
	Call Syscall
	// HasEnded means that a system call ended as the thread stopped. The thread was in the call
	// when it was ordered to stop, or made it right after. EndedCall is the call's number; its
	// arguments are in the registers. Linux on x86-64.
	HasEnded  bool
	EndedCall int32
	// Sure is the number of frames, from the innermost on, whose code is known not to have
	// changed since the capture; 0: all of them.
	Sure int
	// Probe is what was probed while the thread was stopped.
	Probe StopProbe
	// Chains are the copies of the chains that [Watch].Chains lists for the thread, in that
	// order and from the same moment as the stack, or Later. There are none if the thread ran
	// meanwhile.
	Chains []CopiedChain
	// Later means that Chains and Managed are from a later moment than the registers and the
	// stack, because the thread ran on.
	Later bool
	// Goroutine is the goroutine that the thread ran at the moment of the stack.
	Goroutine Goroutine
	// Managed are the known frames of an interpreter's language, innermost first.
	Managed []ManagedFrame

	buf      []byte // Capture copies to it; see Buffer
	captured bool   // in the Take that is under way
}

// Goroutine is a goroutine that a thread runs. The zero value means none, or not known.
type Goroutine struct {
	ID     uint64
	Labels []string // that the program has set by runtime/pprof: a key, its value, the next key …
}

// Equal reports whether two goroutines have the same id and the same labels.
func (g *Goroutine) Equal(other *Goroutine) bool {
	return g.ID == other.ID && slices.Equal(g.Labels, other.Labels)
}

// Buffer returns where [Process.Capture] copies the stack to. Its capacity bounds the copy.
func (t *Thread) Buffer() []byte { return t.buf }

// Stack is one copied range of stack memory.
type Stack struct {
	Base  Addr   // address of Bytes[0]
	Bytes []byte // the copy, from Base up
	Top   Addr   // end of the stack's mapping, where the used part ends; 0 when unknown
}

// End returns the address just above the copied bytes.
func (s *Stack) End() Addr { return s.Base + Addr(len(s.Bytes)) }

// Truncated reports whether the stack goes on above the copied bytes.
func (s *Stack) Truncated() bool { return s.Top != 0 && s.End() < s.Top }

// Contains reports whether the n bytes at a were copied.
func (s *Stack) Contains(a Addr, n int) bool {
	return a >= s.Base && uint64(a-s.Base)+uint64(n) <= uint64(len(s.Bytes)) && a+Addr(n) >= a
}

// ReadMemory reads only from the copied stack, so that it never sees what the target did after
// the capture.
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

// stackAt returns the copied range that contains a, nil when there is none.
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

// String returns the class's name as Apple's tools write it in lower case; empty for the unknown
// class.
func (q QoS) String() string {
	if int(q) >= len(qosNames) {
		return ""
	}
	return qosNames[q]
}

// Priority is a thread's scheduling priority in the kernel; macOS. The zero value is unknown,
// because no user thread has priority 0.
type Priority struct {
	Now  int // the priority by which it is scheduled at present
	Base int // the priority that its own policy gives it
}
