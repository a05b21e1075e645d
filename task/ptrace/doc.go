// Package ptrace reads live Linux processes.
//
// # How a target is stopped
//
// Suspend attaches to every thread with PTRACE_SEIZE, which alone stops
// nothing, orders the stop with PTRACE_INTERRUPT, waits until all stand, and
// looks for threads that were created meanwhile until there are none. Resume
// detaches from each. Between two suspensions nothing is attached: a thread
// that is traced stops for its tracer at every signal, and the target must
// never wait for us.
//
// Stops are looked at with WNOWAIT, and that of a thread which stopped to deliver a
// signal is never consumed. Such a thread keeps the signal's number until its stop is
// waited for: left there, the signal is delivered whether we detach, which passes it
// on, or are killed, when the kernel lets the thread go on as if it had not been asked
// (ptrace_stop and wait_task_stopped, kernel/signal.c and kernel/exit.c). Where several
// threads are stopped together, a stop by our order is consumed, so that it is not
// found again: it keeps nothing.
//
// A thread in a group-stop (SIGSTOP, SIGTSTP…) moves to a traced stop when it is
// seized and back to its group-stop when it is let go (ptrace(2), "Group-stop",
// and __ptrace_unlink, kernel/ptrace.c).
//
// # Whose pids
//
// Pids and thread ids are those of our own pid namespace. The mount namespace of
// a target in a container is another: a path in a [task.Region] or in
// [task.Info] is in the target's view, below /proc/PID/root in ours.
package ptrace
