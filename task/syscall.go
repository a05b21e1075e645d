package task

// CallState is what a thread was doing as the kernel was asked for its system
// call.
type CallState uint8

// The states of a call.
const (
	CallUnknown CallState = iota // the system does not tell
	OnProcessor                  // it runs or waits for a processor, in user space or in the kernel
	InCall                       // it waits in the system call that Syscall describes
	InFault                      // it waits in the kernel, but in no system call: for a page, say
)

// Syscall is the system call that a thread is in.
type Syscall struct {
	State  CallState
	Number int // as the kernel of the target's architecture counts
	Args   [6]uint64
	SP, PC Addr // of the thread, where it entered the kernel
}

// SyscallReader is a live [Process] whose system tells of the calls that threads
// are in, and of what these calls wait for. Nothing is stopped for it.
type SyscallReader interface {
	// Syscall asks what call a thread is in. Its error is ErrThreadGone, or that
	// the system refuses.
	Syscall(ThreadID) (Syscall, error)
	FileNamer
	// Watched returns how many files the epoll instance at descriptor fd watches, and
	// the lowest descriptors of those that are still open as they were when it was
	// told. 0 when fd is no such instance, or the system does not tell.
	Watched(fd int) (n int, fds []int)
	// LockHolder returns the process that holds the file lock for which a thread
	// of the target waits at descriptor fd; false when that is not known.
	LockHolder(fd int) (pid int, ok bool)
	// LocalThread returns the thread that the target itself knows by the number n:
	// in a container the numbers differ. False when it has no such thread.
	LocalThread(n int) (ThreadID, bool)
}

// FileNamer is a live [Process] whose system tells of its open files. Nothing is
// stopped for it.
type FileNamer interface {
	// OpenFile says what a descriptor of the target is: a path, or the kind of thing
	// with what is known of it, such as "tcp socket 127.0.0.1:80"; empty when the
	// target has no such descriptor, or the system refuses.
	OpenFile(fd int) string
}

// ChannelReader is a live [Process] whose system tells in which of its functions a
// thread waits. Nothing is stopped for it.
type ChannelReader interface {
	// Channel returns the function's name, empty when it is not told.
	Channel(ThreadID) string
}

// ThreadHandler is a live [Process] whose threads have a handle: on Darwin the
// address of their thread-specific data.
type ThreadHandler interface {
	ThreadHandle(ThreadID) (Addr, bool)
}
